internal import DurableFiles
internal import Glibc

/// A file descriptor that is open for reading, closed when it goes out of scope.
package struct OpenFile: ~Copyable {
  private let path: String
  private let descriptor: Int32

  /// Opens the file at `path` for reading; `-` is standard input.
  init(path: String) throws(FileFailure) {
    self.path = path
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
    self.path = path
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
      byteCount: Int64(status.st_size)
    )
  }

  /// Tells if a regular file begins as gzip or zstd data does. Reads its first bytes and goes back to the start.
  func isCompressed() throws(FileFailure) -> Bool {
    var start = [UInt8](repeating: 0, count: Compression.magicCount)
    let count = try read(into: &start, at: 0)
    try rewind()
    return Compression(start: start.span.extracting(first: count)) != nil
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
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        let free = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
        return unsafe Glibc.read(descriptor, free.baseAddress, free.count)
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
