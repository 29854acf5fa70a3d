package import DurableFiles

/// The log of first postbacks, in the order in which they came: the file `seen.log`. The `TransactionIndex` is rebuilt
/// from it. Entries are only appended, except by a compaction.
package final class SeenLog {
  package static let name = "seen.log"
  package static let newName = "\(name).new"

  /// The end of the log. It is committed once the ledger has it.
  package private(set) var mark: SeenMark
  private let file: SeenFile

  private init(_ file: SeenFile, _ mark: SeenMark) {
    self.file = file
    self.mark = mark
  }

  /// Returns the number of entries that `recover` will find: the committed ones, at most those in the file, so that a
  /// damaged ledger cannot cause a large allocation.
  package static func expectedCount(_ ledger: Ledger) throws(FileFailure) -> Int {
    let folder = ledger.folder.folder
    guard try folder.byteCount(of: name) != nil else { return 0 }
    return Int(min(ledger.seen.entries, try SeenFile(name, in: folder, .reading).entryCount()))
  }

  /// Opens the log, or creates it if nothing is committed; adds every committed entry to the index, and cuts off
  /// entries that were not committed. Finishes a compaction that a crash has interrupted.
  ///
  /// Throws `.damaged` if the log is not as it was committed. The index must not be used then.
  package static func recover(_ ledger: Ledger, into index: inout TransactionIndex) throws(FileFailure) -> SeenLog {
    try SeenCompaction.finish(ledger)
    let folder = ledger.folder.folder
    if ledger.seen.entries == 0, try folder.byteCount(of: name) == nil {
      let file = try SeenFile(creating: newName, in: folder)
      try file.synchronize()
      try folder.rename(newName, to: name)
    }
    let file = try SeenFile(name, in: folder)
    var seen: [TransactionIndex.Seen] = []
    seen.reserveCapacity(restoredAtOnce)
    try file.read(ledger.seen) { words throws(FileFailure) in
      for start in stride(from: 0, to: words.count, by: SeenEntry.wordCount) {
        seen.append(SeenEntry(words, at: start).seen)
      }
      guard seen.count >= restoredAtOnce else { return }
      index.restore(seen)
      seen.removeAll(keepingCapacity: true)
    }
    index.restore(seen)
    try file.truncate(to: ledger.seen)
    return SeenLog(file, ledger.seen)
  }

  /// Appends entries. They are not durable until `synchronize`.
  package func append(_ entries: [SeenEntry]) throws(FileFailure) { mark = try file.append(entries, after: mark) }

  /// Makes all entries durable, so that `mark` may be committed.
  package func synchronize() throws(FileFailure) { try file.synchronize() }

  /// Drops the committed entries from before a time, in seconds since 1970, and returns their number. A later copy of
  /// such a postback counts as a first one again.
  ///
  /// Call it before `recover`. After a crash at any point the next start completes or discards the compaction.
  package static func compact(_ ledger: Ledger, before seconds: UInt32) throws(FileFailure) -> Int64 {
    try SeenCompaction.finish(ledger)
    guard ledger.seen.entries > 0 else { return 0 }
    let compaction = try SeenCompaction(ledger, before: seconds)
    if compaction.dropped.count > 0 { try compaction.begin(in: ledger) }
    try SeenCompaction.finish(ledger)
    return compaction.dropped.count
  }

  /// The number of entries to collect before they are added to the index, which goes through its segments each time.
  private static let restoredAtOnce = 1 << 19
}
