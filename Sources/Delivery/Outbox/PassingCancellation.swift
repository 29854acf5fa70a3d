internal import DurableFiles
internal import Ledger

/// The reasons for which deliveries that were never sent are cancelled, and which may end: a delivery that is planned again is
/// pending again.
enum PassingCancellation {
  static let noEvent = "the settlement has no such event"

  static let dotSegment = "a value makes a segment of the path . or .., which is another path"

  /// The reason for what a filter leaves out, by its name.
  static func filter(_ name: String) -> String { "the setting \(name) of the partner leaves it out" }

  /// The reason for what has too low a level of trust.
  static func trust(_ level: String) -> String { "the trust level \(level) is below minimum_trust" }

  /// The condition of the reasons that another settlement may end.
  static let endsBySettlement =
    "(error IN ('\(noEvent)', '\(filter(PartnerFilter.nulls.rawValue))') OR error LIKE '\(trust("%"))')"

  /// The condition of all reasons, which a planning anew may end.
  static let endsByReplanning = "(\(endsBySettlement) OR error = '\(dotSegment)' OR error LIKE '\(filter("%"))')"

  /// The statement that notes that the rows of a partner are planned anew, until its deliveries are compared again.
  static let replanning = "INSERT OR REPLACE INTO settlements VALUES (?, '')"
  /// The query of the partners whose rows were planned anew since the last comparison.
  static let replanned = "SELECT partner FROM settlements WHERE settlement = ''"

  /// The statement that makes a delivery pending again.
  static let revival = """
    UPDATE deliveries SET state = 'pending', error = NULL, received_at = ?, next_attempt_at = ?, delivery_values = ?
    WHERE delivery_id = ? AND state = 'cancelled' AND attempts = 0 AND \(endsByReplanning) RETURNING 1
    """
}

extension Outbox {
  /// Makes a delivery pending again that was cancelled for a time; returns false if it was not.
  func revive(_ delivery: PlannedDelivery) throws(FileFailure) -> Bool {
    try revival.first([
      delivery.receivedAt.map { .integer($0) } ?? .null, .integer(delivery.dueAt), .text(delivery.values.json),
      .wide(delivery.id.number),
    ]) { _ in true } ?? false
  }
}
