internal import DurableFiles
internal import Glibc

/// A folder of this process among temporary files. The lock of a file in it, which ends with the process, shows that it is in use.
final class TemporaryPlace: Sendable {
  /// The path of the folder.
  let path: String
  private let lock: Int32

  private static let prefix = "postback-view-"
  /// The end of the name in a template of mkdtemp, in whose place random signs come.
  private static let randomEnd = "XXXXXX"
  private static let lockName = "lock"

  /// Makes a folder that nobody else may read. Folders that killed processes of the same user have left are removed.
  convenience init() throws(FileFailure) {
    let named = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
    try self.init(in: named.isEmpty ? "/tmp" : named)
  }

  /// Makes a folder in another one.
  init(in base: String) throws(FileFailure) {
    Self.removeLeftovers(in: base)
    // Another process may take a folder whose file is not locked yet for one that was left, and remove it.
    for _ in 0..<10 {
      guard let made = Self.makeFolder(in: base) else { break }
      guard let lock = Self.lock(made, making: O_CREAT | O_EXCL) else { continue }
      (path, self.lock) = (made, lock)
      return
    }
    throw .system(.cannotCreate, base, "No directory for temporary files can be made")
  }

  deinit { close(lock) }

  private static func makeFolder(in base: String) -> String? {
    var template = Array("\(base)/\(prefix)\(randomEnd)".utf8CString)
    return unsafe template.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress, let made = unsafe mkdtemp(start) else { return nil }
      return unsafe String(cString: made)
    }
  }

  /// Locks a folder, and returns the descriptor of its lock; nil if another process has it, or the file or the folder is gone.
  ///
  /// A lock of a file that was removed meanwhile is none, so that only one process at a time has one.
  private static func lock(_ path: String, making options: Int32 = 0) -> Int32? {
    let file = "\(path)/\(lockName)"
    let descriptor = unsafe open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW | options, 0o600)
    guard descriptor >= 0 else { return nil }
    var (held, named) = (stat(), stat())
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, unsafe fstat(descriptor, &held) == 0,
      unsafe lstat(file, &named) == 0, held.st_ino == named.st_ino, held.st_dev == named.st_dev
    else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Indicates that a path is a directory of this user, and no symbolic link, which may lead to any directory.
  private static func isOwnFolder(_ path: String) -> Bool {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
  }

  /// Removes the folders that nobody locks. A folder without the file was not made here, or has lost its maker before it was used.
  private static func removeLeftovers(in base: String) {
    let length = prefix.utf8.count + randomEnd.utf8.count
    for name in (try? DurableFolder(base).names()) ?? [] where name.hasPrefix(prefix) && name.utf8.count == length {
      let path = "\(base)/\(name)"
      guard isOwnFolder(path), let lock = lock(path) else { continue }
      try? DurableFolder(path).removeWithFiles()
      close(lock)
    }
  }
}
