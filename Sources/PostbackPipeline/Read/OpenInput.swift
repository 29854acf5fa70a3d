internal import DurableFiles
internal import Glibc

/// An input that is open, positioned at its start.
package struct OpenInput: ~Copyable {
  /// The path, modification time and size of the input.
  let input: InputFile
  let file: OpenFile
  /// The identity of the file; nil for standard input and for files that are not regular, which cannot be read twice.
  let identity: FileIdentity?

  /// Opens an input.
  init(_ input: InputFile) throws(FileFailure) {
    let file = try OpenFile(path: input.path)
    let identity = try file.identity()
    self.init(input, file, identity)
  }

  /// An input from a file that is open already.
  package init(_ input: InputFile, _ file: consuming OpenFile, _ identity: FileIdentity?) {
    self.input = input
    self.file = file
    self.identity = identity
  }
}

/// The identity of a file, independent of its name.
package struct FileIdentity: Hashable, Sendable {
  /// The number of the file system's device.
  var device: UInt64
  /// The inode number of the file. The file system may give it to another file after this one is deleted.
  var inode: UInt64
  /// The length of the file as stored, in bytes.
  var byteCount: Int64

  /// Makes the identity of a file.
  package init(device: UInt64, inode: UInt64, byteCount: Int64) {
    self.device = device
    self.inode = inode
    self.byteCount = byteCount
  }
}

/// A source of inputs, which it opens one after the other.
package protocol InputSource {
  /// Opens the next input.
  mutating func next() throws(PipelineFailure) -> NextInput

  /// Tells if reading is to stop now, even in the middle of an input.
  mutating func shouldStop() -> Bool
}

extension InputSource {
  /// Never stops before the end of the source.
  package mutating func shouldStop() -> Bool { false }
}

/// The answer of an input source that is asked for its next input.
package enum NextInput: ~Copyable {
  /// The next input.
  case input(OpenInput)
  /// No input for now; everything that was read so far should be committed.
  case pause
  /// No more inputs.
  case end
}

/// An input source for a list of files.
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
