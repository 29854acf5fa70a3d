internal import Base
package import DurableFiles
internal import ConversionModel
internal import Glibc

/// The folder of the state, locked for this process as long as the object lives.
package final class StateFolder {
  /// The path of the folder.
  package let path: String
  /// The locked folder.
  package let folder: DurableFolder
  private let lock: Int32

  private static let lockName = "lock"

  /// Creates the folder and missing folders above it, and locks it. Throws `.locked` if another process has the lock.
  ///
  /// The lock is a file that stays after it is released. It names the process that has the lock, or had it last.
  package convenience init(_ path: String) throws(FileFailure) { try self.init(try DurableFolder(making: path)) }

  /// Locks the folder of an existing state. Throws `.noState` if there is none.
  package convenience init(existing path: String) throws(FileFailure) {
    let folder = DurableFolder(path)
    guard try folder.byteCount(of: Ledger.name) != nil else { throw .noState(path) }
    try self.init(folder)
  }

  private init(_ folder: DurableFolder) throws(FileFailure) {
    self.folder = folder
    path = folder.path
    let lockPath = "\(folder.path)/\(Self.lockName)"
    lock = unsafe open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard lock >= 0 else { throw .system(.cannotCreate, lockPath, "The file cannot be opened") }
    guard Self.take(lock) else {
      guard errno == EWOULDBLOCK else { throw .system(.io, lockPath, "The file cannot be locked") }
      throw FileFailure(
        .locked,
        folder.path,
        "The state is in use by \(Self.holder(lock))",
        advice: "Wait for it to end, or give --state another directory"
      )
    }
    let since = Timestamp(milliseconds: Int64(time(nil)) * 1000)
    let command = String(CommandLine.arguments.joined(separator: " ").prefix(200)).replacing("\n", with: " ")
    let holder = Array("process \(getpid()) (\(command)) since \(since)\n".utf8)
    guard ftruncate(lock, 0) == 0, holder.writeAll(to: lock) else {
      throw .system(.io, lockPath, "The file cannot be written")
    }
  }

  deinit {
    if lock >= 0 { close(lock) }
  }

  /// Returns a description of the process that uses a folder now, from its lock file; nil if none does. Creates no
  /// file.
  package static func user(of path: String) throws(FileFailure) -> String? {
    let lockPath = "\(path)/\(lockName)"
    let lock = unsafe open(lockPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard lock >= 0 else {
      if errno == ENOENT { return nil }
      throw .system(.io, lockPath, "The file cannot be opened")
    }
    defer { close(lock) }
    if flock(lock, LOCK_SH | LOCK_NB) == 0 { return nil }
    guard errno == EWOULDBLOCK else { throw .system(.io, lockPath, "The lock of the file cannot be read") }
    return holder(lock)
  }

  /// Locks the file; returns false with `errno` set if that fails. Tries for about half a second, because `user(of:)`
  /// also takes the lock for a moment.
  private static func take(_ lock: Int32) -> Bool {
    for attempt in 0..<25 {
      if attempt > 0 { usleep(20_000) }
      if flock(lock, LOCK_EX | LOCK_NB) == 0 { return true }
      if errno != EWOULDBLOCK { break }
    }
    return false
  }

  /// Returns the description of the lock's holder in the lock file.
  private static func holder(_ lock: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = unsafe pread(lock, &bytes, bytes.count, 0)
    let line = bytes.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: "\n") }
    return line.isEmpty ? "another process" : String(decoding: line, as: UTF8.self)
  }
}

extension FileFailure {
  /// Returns the failure for a folder without a state.
  static func noState(_ folder: String) -> FileFailure {
    FileFailure(.notFound, folder, "The directory holds no state (\(Ledger.name))", advice: "Check the path")
  }
}
