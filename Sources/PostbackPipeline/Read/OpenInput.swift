package import DurableFiles
internal import Glibc

/// An input that is open, positioned at its start.
package struct OpenInput: ~Copyable {
  /// The path, modification time and size of the input.
  let input: InputFile
  let content: InputContent
  /// The identity of the content; nil for standard input and for files that are not regular, which cannot be read twice.
  let identity: FileIdentity?

  /// Opens a file or standard input.
  package init(_ input: InputFile) throws(FileFailure) {
    let file = try Self.open(input)
    let identity = try file.identity()
    self.init(input, file, identity)
  }

  private static func open(_ input: InputFile) throws(FileFailure) -> OpenFile {
    do { return try OpenFile(path: input.path, limit: input.limit) } catch {
      guard error.kind == .notFound, let later = input.laterPath else { throw error }
      return try OpenFile(path: later, limit: input.limit)
    }
  }

  /// An input from a file that is open already.
  package init(_ input: InputFile, _ file: consuming OpenFile, _ identity: FileIdentity?) {
    self.input = input
    content = .file(file)
    self.identity = identity
  }

  /// An input from bytes that are read in place of a file.
  package init(_ input: InputFile, _ bytes: any InputBytes, _ identity: FileIdentity?) {
    self.input = input
    content = .bytes(bytes)
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
  /// The time of the last change of the file or its status, in nanoseconds since 1970; 0 if it is unknown, or so short
  /// ago that a later change may have the same time.
  var changed: Int64

  /// Makes the identity of a file.
  package init(device: UInt64, inode: UInt64, byteCount: Int64, changed: Int64 = 0) {
    self.device = device
    self.inode = inode
    self.byteCount = byteCount
    self.changed = changed
  }

  /// Returns the time of the last change, in nanoseconds since 1970; 0 if it is not more than two seconds ago.
  fileprivate static func changed(_ status: stat) -> Int64 {
    var now = timespec()
    guard unsafe clock_gettime(CLOCK_REALTIME, &now) == 0, Int64(status.st_ctim.tv_sec) < Int64(now.tv_sec) - 2 else {
      return 0
    }
    let (seconds, overflow) = Int64(status.st_ctim.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? 0 : seconds &+ Int64(status.st_ctim.tv_nsec)
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
  case idle
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

/// A file descriptor that is open for reading, closed when it goes out of scope.
package struct OpenFile: ~Copyable {
  private let path: String
  private let descriptor: Int32
  /// The number of bytes after which the file counts as ended; nil for all.
  private let limit: Int64?

  /// Opens the file at `path` for reading, up to a number of bytes if there is a limit; `-` is standard input.
  init(path: String, limit: Int64? = nil) throws(FileFailure) {
    (self.path, self.limit) = (path, limit)
    guard path != InputFile.standardInput else {
      descriptor = STDIN_FILENO
      return
    }
    var descriptor: Int32
    repeat { descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC) } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else {
      throw FileFailure.system(.notFound, path, "The file cannot be opened", errno, access: .read)
    }
    self.descriptor = descriptor
  }

  /// Takes over a descriptor that is open for reading; failures name the file as `path`.
  package init(descriptor: Int32, path: String) {
    (self.path, limit) = (path, nil)
    self.descriptor = descriptor
  }

  /// Returns the identity of a regular file; nil if it is no regular file, or is standard input.
  func identity() throws(FileFailure) -> FileIdentity? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw FileFailure.system(.io, path, "The status of the file cannot be read", errno, access: .read)
    }
    guard status.st_mode & S_IFMT == S_IFREG, path != InputFile.standardInput else { return nil }
    return FileIdentity(
      device: UInt64(status.st_dev),
      inode: UInt64(status.st_ino),
      byteCount: Int64(status.st_size),
      changed: FileIdentity.changed(status)
    )
  }

  /// Returns another descriptor of the same open file; both share one read position.
  func duplicate() throws(FileFailure) -> OpenFile {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else {
      throw FileFailure.system(.io, path, "The file cannot be opened a second time", errno, access: .read)
    }
    return OpenFile(descriptor: copy, path: path)
  }

  /// Goes back to the start of a regular file.
  func rewind() throws(FileFailure) {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw FileFailure.system(.io, path, "The file cannot be read again from its start", errno, access: .read)
    }
  }

  deinit {
    if descriptor != STDIN_FILENO { _ = close(descriptor) }
  }

  /// Reads into `buffer` from index `start` on. Returns the number of bytes read, 0 at the end of the file. Waits if no
  /// bytes are available yet.
  func read(into buffer: inout [UInt8], at start: Int) throws(FileFailure) -> Int {
    let left = limit.map { Int(max(0, $0 - Int64(lseek(descriptor, 0, SEEK_CUR)))) } ?? .max
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        let free = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
        return unsafe Glibc.read(descriptor, free.baseAddress, min(free.count, left))
      }
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN: waitForBytes()
      case let code: throw FileFailure.system(.io, path, "The file cannot be read", code, access: .read)
      }
    }
  }

  /// Waits until a read would return at once. Standard input can be non-blocking, because another process that shares
  /// it may have set it so.
  private func waitForBytes() {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&request, 1, -1)
  }
}
