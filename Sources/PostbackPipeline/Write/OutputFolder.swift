internal import Glibc

/// The folder of the tables, which no other process may write to meanwhile.
final class OutputFolder {
  /// Where it is.
  let path: String
  private let lock: Int32

  /// Makes the folder, and those above it, where they are not there, and locks it.
  init(_ path: String) throws(StateFailure) {
    self.path = path
    _ = try DurableFolder(making: path)
    lock = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0 else { throw .system(.cannotCreate, path, "cannot be opened as a folder") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      throw StateFailure(.locked, path, "another process is writing there; wait for it to end")
    }
  }

  deinit {
    if lock >= 0 { close(lock) }
  }

  /// Whether there are parts of a table that a reader sees.
  func hasParts(of table: Table) throws(StateFailure) -> Bool {
    try DurableFolder("\(path)/\(table.name)").names().contains { $0.hasPrefix("part-") }
  }

  /// Whether there is a part, hidden as long as it has not its name.
  func hasHidden(_ part: LedgerPart) throws(StateFailure) -> Bool {
    try DurableFolder("\(path)/\(part.table)").byteCount(of: part.hiddenName) != nil
  }
}
