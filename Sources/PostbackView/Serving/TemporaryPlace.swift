internal import DurableFiles
internal import Glibc

/// A folder of this process among temporary files.
enum TemporaryPlace {
  private static let prefix = "postback-view-"

  /// Makes a folder that nobody else may read, and returns its path. Folders that killed processes of the same user have left are
  /// removed.
  static func make() throws(FileFailure) -> String {
    let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    removeLeftovers(in: base)
    var template = Array("\(base)/\(prefix)\(getpid())-XXXXXX".utf8CString)
    let path = unsafe template.withUnsafeMutableBufferPointer { buffer -> String? in
      guard let start = buffer.baseAddress, let made = unsafe mkdtemp(start) else { return nil }
      return unsafe String(cString: made)
    }
    guard let path else { throw .system(.cannotCreate, base, "No directory for temporary files can be made") }
    return path
  }

  private static func removeLeftovers(in base: String) {
    for name in (try? DurableFolder(base).names()) ?? [] where name.hasPrefix(prefix) {
      let words = name.dropFirst(prefix.count).split(separator: "-")
      guard words.count == 2, let process = pid_t(words[0]), process > 0, kill(process, 0) != 0, errno == ESRCH else {
        continue
      }
      // A folder of another user stays.
      try? DurableFolder("\(base)/\(name)").removeWithFiles()
    }
  }
}
