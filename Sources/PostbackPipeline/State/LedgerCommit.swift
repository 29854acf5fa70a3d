/// What changes with one transaction of the ledger.
package struct LedgerCommit: Sendable {
  /// Inputs that are new or have changed.
  package var inputs: [LedgerInput] = []
  /// Parts that are new or have changed.
  package var parts: [LedgerPart] = []
  /// How much of `seen.log` is durable; nil where that has not changed.
  package var seen: SeenMark?
  /// What is added to the counts, by their names.
  package var increments: [String: Int64] = [:]
  /// When it is, in milliseconds since 1970.
  package var time: Int64
  /// Rejects that were taken up again, all by one run.
  var fedBack: [FedBackReject] = []
  /// The settings from this commit on, where they are others than before.
  var settings: LedgerSettings?
  /// A step of the compaction of `seen.log`.
  var compaction: SeenCompaction.Step?

  /// A commit of nothing.
  package init(time: Int64) { self.time = time }
}
