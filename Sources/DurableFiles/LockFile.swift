internal import Base
internal import Glibc

/// A file that one process at a time has locked, for as long as its object lives or until the process ends.
///
/// The file stays after it is released. It names the process that has the lock, or had it last.
package final class LockFile: Sendable {
  private let descriptor: Int32

  /// Creates the file if it is missing, and locks it. If another process has the lock, throws the failure that
  /// `refusal` makes of a description of that process.
  package init(_ path: String, refusal: (_ holder: String) -> FileFailure) throws(FileFailure) {
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw .system(.cannotCreate, path, "The file cannot be opened") }
    try Self.take(descriptor, path, LOCK_EX, refusal)
    try Self.sign(descriptor, path)
  }

  /// Writes a description of this process into the file.
  private static func sign(_ descriptor: Int32, _ path: String) throws(FileFailure) {
    let since = Timestamp(milliseconds: Int64(time(nil)) * 1000)
    // Options may have ids of people, which have to leave no trace.
    let words = CommandLine.arguments.prefix { !$0.hasPrefix("-") }
    let command = String(words.joined(separator: " ").prefix(200)).replacing("\n", with: " ")
    let holder = Array("process \(getpid()) (\(command)) since \(since)\n".utf8)
    guard ftruncate(descriptor, 0) == 0, holder.writeAll(to: descriptor) else {
      throw .system(.io, path, "The file cannot be written")
    }
  }

  /// Locks a file for a process that only reads what it protects, and may not be allowed to write: then nothing is written. If
  /// there is no file, nobody uses it.
  package init(reading path: String, refusal: (_ holder: String) -> FileFailure) throws(FileFailure) {
    let codes = [EACCES, EPERM, EROFS]
    var descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    let mayWrite = descriptor >= 0
    if !mayWrite, codes.contains(errno) { descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
    self.descriptor = descriptor
    guard descriptor >= 0 else {
      if codes.contains(errno) || errno == ENOENT { return }
      throw .system(.cannotCreate, path, "The file cannot be opened")
    }
    try Self.take(descriptor, path, mayWrite ? LOCK_EX : LOCK_SH, refusal)
    if mayWrite { try Self.sign(descriptor, path) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Returns a description of the process that has the lock now; nil if none has. Creates no file.
  package static func holder(of path: String) throws(FileFailure) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .system(.io, path, "The file cannot be opened")
    }
    defer { close(descriptor) }
    if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
    guard errno == EWOULDBLOCK else { throw .system(.io, path, "The lock of the file cannot be read") }
    return holder(descriptor)
  }

  /// Locks the file. Tries for about half a second, because `holder(of:)` also takes the lock for a moment.
  private static func take(
    _ descriptor: Int32,
    _ path: String,
    _ operation: Int32,
    _ refusal: (_ holder: String) -> FileFailure
  ) throws(FileFailure) {
    for attempt in 0..<25 {
      if attempt > 0 { usleep(20_000) }
      if flock(descriptor, operation | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK else { throw .system(.io, path, "The file cannot be locked") }
    }
    throw refusal(holder(descriptor))
  }

  /// Returns the description of the lock's holder in the file.
  private static func holder(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
    let line = bytes.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") }
    return line.isEmpty ? "another process" : String(decoding: line, as: UTF8.self)
  }
}
