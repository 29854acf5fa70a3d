internal import CLinux
internal import Glibc
internal import Synchronization

/// An open file of the state or of the tables, closed when it is released. Any number of tasks may write to different
/// places of it at once.
///
/// After a failed write or fsync every further one fails too: the system may have dropped the data, and a second fsync
/// would then succeed without writing it.
package final class DurableFile: Sendable {
  /// The way to open a file.
  package enum Access {
    /// For reading only; the file must exist.
    case reading
    /// For reading and appending; the file must exist.
    case appending
    /// For reading and appending; the file is created, or emptied if it exists.
    case creating
    /// For reading and for writing at any offset; the file is created if it does not exist.
    case updating

    fileprivate var flags: Int32 {
      switch self {
      case .reading: O_RDONLY
      case .appending: O_RDWR | O_APPEND
      case .creating: O_RDWR | O_APPEND | O_CREAT | O_TRUNC
      case .updating: O_RDWR | O_CREAT
      }
    }
  }

  /// The path of the file.
  package let path: String
  private let descriptor: Int32
  private let failure = Mutex<FileFailure?>(nil)

  /// The number of bytes to read at a time: about 4 MiB, and a whole number of entries of `seen.log`.
  package static let chunk = 4 << 20 - 4 << 20 % 48

  /// Opens or creates the file at a path, as `access` says.
  package init(_ path: String, _ access: Access) throws(FileFailure) {
    self.path = path
    descriptor = unsafe open(path, access.flags | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw .system(.cannotCreate, path, "The file cannot be opened") }
  }

  deinit { close(descriptor) }

  /// Throws `.damaged` if the path no longer names this file, because somebody has removed, moved or replaced it.
  package func verifyName() throws(FileFailure) { try NamedFile(path, descriptor: descriptor).verify() }

  /// Returns the length of the file in bytes.
  package func byteCount() throws(FileFailure) -> Int64 {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw .system(.io, path, "The status of the file cannot be read")
    }
    return Int64(status.st_size)
  }

  /// Appends all the bytes. They are not durable until `synchronize`.
  package func append(_ bytes: Span<some BitwiseCopyable>) throws(FileFailure) {
    try unlessFailed { bytes.writeAll(to: descriptor) ? nil : .system(.io, path, "The file cannot be written") }
  }

  /// Writes all the bytes at an offset. They are not durable until `synchronize`. The file must not be open for appending.
  package func write(_ bytes: Span<UInt8>, at offset: Int64) throws(FileFailure) {
    try unlessFailed {
      var start = 0
      while start < bytes.count {
        let written = unsafe bytes.withUnsafeBytes { buffer in
          let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
          return unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(start))
        }
        if written > 0 { start += written }
        guard written > 0 || written < 0 && errno == EINTR else {
          return .system(.io, path, "The file cannot be written", written < 0 ? errno : ENOSPC)
        }
      }
      return nil
    }
  }

  /// Writes a few words at an offset in bytes, with a single call.
  package func write(_ bytes: Span<UInt64>, at offset: Int64) throws(FileFailure) {
    try unlessFailed {
      let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
      return written == bytes.count * 8
        ? nil : .system(.io, path, "The file cannot be written", written < 0 ? errno : ENOSPC)
    }
  }

  /// Makes the written data and the length of the file durable.
  package func synchronize() throws(FileFailure) {
    try unlessFailed { fdatasync(descriptor) == 0 ? nil : .system(.io, path, "The file cannot be made durable") }
  }

  /// Cuts the file to a length in bytes, durably.
  package func truncate(to byteCount: Int64) throws(FileFailure) {
    try unlessFailed {
      let isCut = ftruncate(descriptor, off_t(byteCount)) == 0 && fsync(descriptor) == 0
      return isCut ? nil : .system(.io, path, "The file cannot be cut to its committed length")
    }
  }

  /// Gives the file the time of modification of another one.
  package func keepTime(of other: DurableFile) throws(FileFailure) {
    var status = stat()
    guard unsafe fstat(other.descriptor, &status) == 0 else {
      throw .system(.io, other.path, "The status of the file cannot be read")
    }
    let times = [status.st_atim, status.st_mtim]
    guard unsafe futimens(descriptor, times) == 0 else {
      throw .system(.io, path, "The time of the file cannot be set")
    }
  }

  /// Asks the system to begin writing a range to the disk, so that `synchronize` takes less time; without a count all bytes
  /// from the offset on. Only a hint.
  package func beginWriting(from offset: Int64 = 0, count: Int64 = 0) {
    _ = sync_file_range(descriptor, off_t(offset), off_t(count), UInt32(CLINUX_SYNC_FILE_RANGE_WRITE))
  }

  /// Asks the file system to give the disk space of a range back; it reads as zeros then. Only a hint: some file systems
  /// cannot do it.
  package func release(from offset: Int64, count: Int64) {
    if count > 0 { _ = fallocate(descriptor, CInt(CLINUX_FALLOC_PUNCH_HOLE), off_t(offset), off_t(count)) }
  }

  /// Reads from an offset to the end of the buffer or of the file. Returns the number of bytes read.
  package func read<Word: BitwiseCopyable>(into buffer: inout [Word], at offset: Int64) throws(FileFailure) -> Int {
    try unsafe buffer.withUnsafeMutableBytes { bytes in
      Result { () throws(FileFailure) in try unsafe read(into: bytes, at: offset) }
    }.get()
  }

  /// Reads from an offset to the end of the buffer or of the file. Returns the number of bytes read.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileFailure) -> Int {
    var count = 0
    while count < buffer.count {
      let free = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let received = unsafe pread(descriptor, free.baseAddress, free.count, off_t(offset) + off_t(count))
      if received == 0 { break }
      if received < 0, errno == EINTR { continue }
      guard received > 0 else { throw .system(.io, path, "The file cannot be read") }
      count += received
    }
    return count
  }

  /// Reads the first `byteCount` bytes in pieces, in order. Returns their checksum; nil if the file is shorter.
  package func readPrefix(
    _ byteCount: Int64,
    _ body: (Span<UInt8>) throws(FileFailure) -> Void = { _ in }
  ) throws(FileFailure) -> CRC32? {
    var checksum = CRC32()
    var buffer = [UInt8](repeating: 0, count: Int(min(byteCount, Int64(Self.chunk))))
    var offset: Int64 = 0
    while offset < byteCount {
      let received = min(try read(into: &buffer, at: offset), Int(clamping: byteCount - offset))
      guard received > 0 else { return nil }
      checksum.update(buffer.span.extracting(first: received))
      try body(buffer.span.extracting(first: received))
      offset += Int64(received)
    }
    return checksum
  }

  private func unlessFailed(_ operation: () -> FileFailure?) throws(FileFailure) {
    if let failure = failure.withLock({ $0 }) { throw failure }
    guard let failed = operation() else { return }
    throw failure.withLock { failure in
      let first = failure ?? failed
      failure = first
      return first
    }
  }
}
