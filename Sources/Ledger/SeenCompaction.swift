internal import DurableFiles
package import PostbackVerification

/// A compaction of `seen.log`: a new file without the oldest entries, which takes the place of the log.
///
/// It has four steps, each durable before the next: `seen.log.new` is written; the ledger commits that the new file is
/// valid (`begin`); the new file is renamed to `seen.log`; the ledger commits that the compaction is done (`finish`).
/// Before the second step only the old file is valid, after it only the new one.
package struct SeenCompaction: Equatable, Sendable {
  /// A step of a compaction that the ledger commits.
  enum Step: Sendable {
    /// The new file is complete and durable.
    case begin(SeenCompaction)
    /// The new file has the name of the log.
    case finish
  }

  /// The end of the new file.
  package var mark: SeenMark
  /// The keys of the entries that the new file leaves out.
  package var dropped: KeyTally

  private static let entriesAtOnce = 4096

  init(mark: SeenMark, dropped: KeyTally) { (self.mark, self.dropped) = (mark, dropped) }

  /// Writes `seen.log.new`, durably, with the committed entries from the time `seconds` (since 1970) on.
  init(_ ledger: Ledger, before seconds: UInt32) throws(FileFailure) {
    let folder = ledger.folder.folder
    let old = try SeenFile(SeenLog.name, in: folder, .reading)
    let new = try SeenFile(creating: SeenLog.newName, in: folder)
    var mark = SeenMark()
    var dropped = KeyTally()
    var kept: [SeenEntry] = []
    let reached = try old.read(from: ledger.state.forgotten, to: ledger.seen.entries) { words throws(FileFailure) in
      for start in stride(from: 0, to: words.count, by: SeenEntry.wordCount) {
        let entry = SeenEntry(words, at: start)
        if entry.seenAt < seconds { dropped.add(entry.seen.key) } else { kept.append(entry) }
        if kept.count == Self.entriesAtOnce {
          mark = try new.append(kept, after: mark)
          kept.removeAll(keepingCapacity: true)
        }
      }
    }
    guard reached == ledger.seen else { throw old.damaged(ledger.seen) }
    mark = try new.append(kept, after: mark)
    try new.synchronize()
    // The file's name must be durable too, because the ledger is about to rely on it.
    try folder.synchronize()
    self.init(mark: mark, dropped: dropped)
  }

  /// Commits that the new file is to become the log.
  func begin(in ledger: Ledger) throws(FileFailure) {
    var commit = LedgerCommit(time: ledger.committedAt)
    commit.compaction = .begin(self)
    try ledger.commit(commit)
  }

  /// Completes a compaction that has begun; removes a new file that the ledger does not know.
  static func finish(_ ledger: Ledger) throws(FileFailure) {
    let folder = ledger.folder.folder
    guard let compaction = ledger.state.compaction else { return try folder.remove(SeenLog.newName) }
    // The segments are those of the old log.
    try SeenSegments.removeAll(in: folder)
    if try folder.byteCount(of: SeenLog.newName) != nil {
      try SeenFile(SeenLog.newName, in: folder, .reading).read(compaction.mark) { _ in }
      try replace(in: folder)
    }
    try SeenFile(SeenLog.name, in: folder, .reading).read(compaction.mark) { _ in }
    var commit = LedgerCommit(time: ledger.committedAt)
    commit.compaction = .finish
    try ledger.commit(commit)
  }

  /// Renames the new file to the name of the log, durably.
  static func replace(in folder: DurableFolder) throws(FileFailure) {
    try folder.rename(SeenLog.newName, to: SeenLog.name)
  }
}

/// A summary of a multiset of keys, independent of their order, by which two multisets are compared.
///
/// Different multisets have the same tally with a chance of only 2⁻¹²⁸, as keys are parts of a SHA-256.
package struct KeyTally: Equatable, Sendable {
  /// The number of keys.
  package private(set) var count: Int64 = 0
  /// The sum of the keys, modulo 2¹²⁸.
  package private(set) var sum: UInt128 = 0
  /// The exclusive or of the keys.
  package private(set) var difference: UInt128 = 0

  /// Creates a tally, by default that of no keys.
  package init(count: Int64 = 0, sum: UInt128 = 0, difference: UInt128 = 0) {
    (self.count, self.sum, self.difference) = (count, sum, difference)
  }

  /// Adds a key.
  package mutating func add(_ key: PostbackKey) {
    let key = UInt128(key)
    self += KeyTally(count: 1, sum: key, difference: key)
  }

  /// Adds all keys of another tally.
  package static func += (tally: inout KeyTally, other: KeyTally) {
    tally.count += other.count
    tally.sum &+= other.sum
    tally.difference ^= other.difference
  }
}
