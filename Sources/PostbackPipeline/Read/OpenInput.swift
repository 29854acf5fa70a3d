internal import Glibc

/// An input that is open, at its start.
package struct OpenInput: ~Copyable {
  /// Where it came from.
  let input: InputFile
  let file: OpenFile
  /// Which file it is; nil for what is not a regular file, which cannot be read twice.
  let identity: FileIdentity?

  /// Opens an input.
  init(_ input: InputFile) throws(ReadFailure) {
    let file = try OpenFile(path: input.path)
    let identity = try file.identity()
    self.init(input, file, identity)
  }

  /// An input that is open.
  init(_ input: InputFile, _ file: consuming OpenFile, _ identity: FileIdentity?) {
    self.input = input
    self.file = file
    self.identity = identity
  }
}

/// Which file something is, whatever it is called.
struct FileIdentity: Hashable, Sendable {
  /// The file system's number.
  var device: UInt64
  /// The file's number in the file system, which another file may get when this one is gone.
  var inode: UInt64
  /// The file's length.
  var byteCount: Int64
}

/// Where inputs come from, one after the other.
package protocol InputSource {
  /// Opens the next one.
  mutating func next() throws(PipelineFailure) -> NextInput

  /// Whether to stop, also in the middle of an input.
  mutating func shouldStop() -> Bool
}

extension InputSource {
  /// Goes on to the end.
  package mutating func shouldStop() -> Bool { false }
}

/// What an input source has.
package enum NextInput: ~Copyable {
  /// An input.
  case input(OpenInput)
  /// Nothing now: what was read so far had better be committed.
  case pause
  /// No more.
  case end
}

/// The inputs of a list.
struct InputList: InputSource {
  private var inputs: ArraySlice<InputFile>

  init(_ inputs: [InputFile]) { self.inputs = inputs[...] }

  mutating func next() throws(PipelineFailure) -> NextInput {
    guard let input = inputs.popFirst() else { return .end }
    do { return .input(try OpenInput(input)) } catch {
      inputs = []
      throw .read(error)
    }
  }
}
