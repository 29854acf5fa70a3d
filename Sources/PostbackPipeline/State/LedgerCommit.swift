/// The changes of one transaction of the ledger.
package struct LedgerCommit: Sendable {
  /// The inputs that are new or have changed.
  package var inputs: [LedgerInput] = []
  /// The parts that are new or have changed.
  package var parts: [LedgerPart] = []
  /// The durable end of `seen.log`; nil if it has not changed.
  package var seen: SeenMark?
  /// The amounts to add to the counts, by name.
  package var increments: [String: Int64] = [:]
  /// The time of the commit, in milliseconds since 1970.
  package var time: Int64
  /// Rejects that were taken up again, all by one run.
  var fedBack: [FedBackReject] = []
  /// The settings from this commit on, where they are others than before.
  var settings: LedgerSettings?
  /// A step of a compaction of `seen.log`; nil if the commit is no such step.
  var compaction: SeenCompaction.Step?

  /// Creates a commit without changes.
  package init(time: Int64) { self.time = time }
}
