internal import DurableFiles

/// The file `stopped`: the version of the database that the last process left when it stopped in good order.
///
/// A start that finds exactly this version need not verify the whole database again. After a crash, or if the database was
/// written or replaced since, the version differs or the write-ahead log is not empty.
enum CleanShutdownMarker {
  static let name = "stopped"

  /// Records the version of the database, whose write-ahead log is copied into it.
  static func record(in folder: DurableFolder) throws(FileFailure) {
    guard let version = try folder.settledVersion(of: Ledger.name) else { return }
    let file = try DurableFile("\(folder.path)/\(name)", .creating)
    try file.append(Array("\(version)\n".utf8).span)
  }

  /// Returns true if the database is the recorded one, and its write-ahead log is empty.
  static func isLast(in folder: DurableFolder) throws(FileFailure) -> Bool {
    guard try folder.byteCount(of: name) != nil, try folder.byteCount(of: "\(Ledger.name)-wal") ?? 0 == 0,
      let version = try folder.version(of: Ledger.name)
    else { return false }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = try DurableFile("\(folder.path)/\(name)", .reading).read(into: &bytes, at: 0)
    return bytes.prefix(count).elementsEqual("\(version)\n".utf8)
  }
}
