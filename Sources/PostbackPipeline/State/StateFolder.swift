internal import ConversionModel
internal import Glibc

/// The folder of the state, which this process alone uses as long as this lives.
package final class StateFolder {
  /// Where it is.
  package let path: String
  let folder: DurableFolder
  private let lock: Int32

  private static let lockName = "lock"

  /// Makes the folder, and those above it, if they are not there, and locks it.
  ///
  /// The lock is a file that stays when it is released, and says who has it or had it last.
  package convenience init(_ path: String) throws(StateFailure) { try self.init(try DurableFolder(making: path)) }

  /// Locks the folder of a state that is there.
  package convenience init(existing path: String) throws(StateFailure) {
    let folder = DurableFolder(path)
    guard try folder.byteCount(of: Ledger.name) != nil else { throw .missing(path) }
    try self.init(folder)
  }

  private init(_ folder: DurableFolder) throws(StateFailure) {
    self.folder = folder
    path = folder.path
    let lockPath = "\(folder.path)/\(Self.lockName)"
    lock = unsafe open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard lock >= 0 else { throw .system(.cannotCreate, lockPath, "cannot be opened") }
    guard Self.take(lock) else {
      guard errno == EWOULDBLOCK else { throw .system(.io, lockPath, "cannot be locked") }
      throw StateFailure(
        .locked,
        folder.path,
        "is in use by \(Self.holder(lock)); wait for it to end, or give --state another folder"
      )
    }
    let since = Timestamp(milliseconds: Int64(time(nil)) * 1000)
    let command = String(CommandLine.arguments.joined(separator: " ").prefix(200)).replacing("\n", with: " ")
    let holder = Array("process \(getpid()) (\(command)) since \(since)\n".utf8)
    guard ftruncate(lock, 0) == 0, holder.writeAll(to: lock) else {
      throw .system(.io, lockPath, "cannot be written")
    }
  }

  deinit {
    if lock >= 0 { close(lock) }
  }

  /// Who uses a folder now, as its lock says; nil where nobody does. Makes no file.
  package static func user(of path: String) throws(StateFailure) -> String? {
    let lockPath = "\(path)/\(lockName)"
    let lock = unsafe open(lockPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard lock >= 0 else {
      if errno == ENOENT { return nil }
      throw .system(.io, lockPath, "cannot be opened")
    }
    defer { close(lock) }
    if flock(lock, LOCK_SH | LOCK_NB) == 0 { return nil }
    guard errno == EWOULDBLOCK else { throw .system(.io, lockPath, "cannot be looked at") }
    return holder(lock)
  }

  /// Locks the file, or tells with `errno` why not. `user(of:)` has the lock too, for a moment, and keeps nobody out.
  private static func take(_ lock: Int32) -> Bool {
    for attempt in 0..<25 {
      if attempt > 0 { usleep(20_000) }
      if flock(lock, LOCK_EX | LOCK_NB) == 0 { return true }
      if errno != EWOULDBLOCK { break }
    }
    return false
  }

  /// Who has the lock, as its file says.
  private static func holder(_ lock: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = unsafe pread(lock, &bytes, bytes.count, 0)
    let line = bytes.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") }
    return line.isEmpty ? "another process" : String(decoding: line, as: UTF8.self)
  }
}
