/// `seen.log` without its oldest entries, on its way to take the place of the log.
///
/// Four steps, each durable before the next: `seen.log.new` is written; the ledger says that it is to be; it gets the
/// log's name; the ledger says that it is. Before the second the new file is nothing, after it the old one is.
struct SeenCompaction: Equatable, Sendable {
  /// What the ledger is told of a compaction.
  enum Step: Sendable {
    /// The new file is complete.
    case begin(SeenCompaction)
    /// It has the log's name.
    case finish
  }

  /// What the new file holds.
  var mark: SeenMark
  /// The keys that it does not hold any more.
  var dropped: KeyTally

  private static let entriesAtOnce = 4096

  init(mark: SeenMark, dropped: KeyTally) {
    self.mark = mark
    self.dropped = dropped
  }

  /// Writes `seen.log.new`: the committed entries that were not taken before `seconds`.
  init(_ ledger: Ledger, before seconds: UInt32) throws(StateFailure) {
    let folder = ledger.folder.folder
    let old = try SeenFile(SeenLog.name, in: folder, .reading)
    let new = try SeenFile(creating: SeenLog.newName, in: folder)
    var mark = SeenMark()
    var dropped = KeyTally()
    var kept: [SeenEntry] = []
    try old.read(ledger.seen) { words throws(StateFailure) in
      for start in stride(from: 0, to: words.count, by: SeenEntry.wordCount) {
        let entry = SeenEntry(words, at: start)
        if entry.seenAt < seconds { dropped.add(entry.seen.key) } else { kept.append(entry) }
        if kept.count == Self.entriesAtOnce {
          mark = try new.append(kept, after: mark)
          kept.removeAll(keepingCapacity: true)
        }
      }
    }
    mark = try new.append(kept, after: mark)
    try new.synchronize()
    // The name too: the ledger is about to rely on it.
    try folder.synchronize()
    self.init(mark: mark, dropped: dropped)
  }

  /// Commits that the new file is to be the log.
  func begin(in ledger: Ledger) throws(StateFailure) {
    var commit = LedgerCommit(time: ledger.committedAt)
    commit.compaction = .begin(self)
    try ledger.commit(commit)
  }

  /// Does what is left to do of a compaction; takes the new file away where the ledger does not know of it.
  static func finish(_ ledger: Ledger) throws(StateFailure) {
    let folder = ledger.folder.folder
    guard let compaction = ledger.state.compaction else { return try folder.remove(SeenLog.newName) }
    if try folder.byteCount(of: SeenLog.newName) != nil {
      try SeenFile(SeenLog.newName, in: folder, .reading).read(compaction.mark) { _ in }
      try replace(in: folder)
    }
    try SeenFile(SeenLog.name, in: folder, .reading).read(compaction.mark) { _ in }
    var commit = LedgerCommit(time: ledger.committedAt)
    commit.compaction = .finish
    try ledger.commit(commit)
  }

  /// Gives the new file the log's name.
  static func replace(in folder: DurableFolder) throws(StateFailure) {
    try folder.rename(SeenLog.newName, to: SeenLog.name)
  }
}
