/// The postbacks that were the first of their kind, in the order in which they came: what the `TransactionIndex` is made
/// anew from. The file `seen.log`, which only grows.
package final class SeenLog {
  static let name = "seen.log"
  static let newName = "\(name).new"

  /// How much of the log there is; committed where the ledger says so.
  package private(set) var mark: SeenMark
  private let file: SeenFile

  private init(_ file: SeenFile, _ mark: SeenMark) {
    self.file = file
    self.mark = mark
  }

  /// How many entries `recover` will find: as many as are committed, if they are there. Nothing is reserved for what a
  /// damaged ledger promises.
  static func expectedCount(_ ledger: Ledger) throws(StateFailure) -> Int {
    let folder = ledger.folder.folder
    guard try folder.byteCount(of: name) != nil else { return 0 }
    return Int(min(ledger.seen.entries, try SeenFile(name, in: folder, .reading).entryCount()))
  }

  /// Opens the log, or makes it before there is anything in it; puts every committed entry into the index, and cuts off
  /// what was not committed. Finishes a compaction that a crash has left.
  ///
  /// Throws, with an index that is not to be used, where the log is not what was committed.
  package static func recover(_ ledger: Ledger, into index: inout TransactionIndex) throws(StateFailure) -> SeenLog {
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
    try file.read(ledger.seen) { words throws(StateFailure) in
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

  /// Writes entries behind the others. They are not durable.
  package func append(_ entries: [SeenEntry]) throws(StateFailure) { mark = try file.append(entries, after: mark) }

  /// Makes all entries durable, so that `mark` may be committed.
  package func synchronize() throws(StateFailure) { try file.synchronize() }

  /// Drops the committed entries that were taken before a time, in seconds since 1970: a copy of such a postback that
  /// still comes will be a first one again. Returns how many.
  ///
  /// To be called before `recover`. A crash at any point is made good by the next start.
  package static func compact(_ ledger: Ledger, before seconds: UInt32) throws(StateFailure) -> Int64 {
    try SeenCompaction.finish(ledger)
    guard ledger.seen.entries > 0 else { return 0 }
    let compaction = try SeenCompaction(ledger, before: seconds)
    if compaction.dropped.count > 0 { try compaction.begin(in: ledger) }
    try SeenCompaction.finish(ledger)
    return compaction.dropped.count
  }

  /// The index goes through its segments once for so many.
  private static let restoredAtOnce = 1 << 19
}
