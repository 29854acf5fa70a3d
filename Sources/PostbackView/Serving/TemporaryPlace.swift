internal import DurableFiles
internal import Glibc

/// A folder of this process among temporary files.
enum TemporaryPlace {
  private static let prefix = "postback-view-"

  /// Makes a folder that nobody else may read, and returns its path. Folders that killed processes of the same user have left are
  /// removed.
  static func make() throws(FileFailure) -> String {
    try make(in: unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp")
  }

  /// Makes a folder as `make` does, in another one.
  static func make(in base: String) throws(FileFailure) -> String {
    removeLeftovers(in: base)
    var template = Array("\(base)/\(prefix)\(getpid())-XXXXXX".utf8CString)
    let path = unsafe template.withUnsafeMutableBufferPointer { buffer -> String? in
      guard let start = buffer.baseAddress, let made = unsafe mkdtemp(start) else { return nil }
      return unsafe String(cString: made)
    }
    guard let path else { throw .system(.cannotCreate, base, "No directory for temporary files can be made") }
    return path
  }

  /// Indicates that a path is a directory of this user, and no symbolic link, which may lead to any directory.
  private static func isOwnFolder(_ path: String) -> Bool {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
  }

  private static func removeLeftovers(in base: String) {
    for name in (try? DurableFolder(base).names()) ?? [] where name.hasPrefix(prefix) {
      let words = name.dropFirst(prefix.count).split(separator: "-")
      guard words.count == 2, let process = pid_t(words[0]), process > 0, kill(process, 0) != 0, errno == ESRCH else {
        continue
      }
      guard isOwnFolder("\(base)/\(name)") else { continue }
      try? DurableFolder("\(base)/\(name)").removeWithFiles()
    }
  }
}
