internal import DurableFiles
internal import Ledger
internal import PostbackVerification

/// A postback without a delivery to a partner that wants events, which a settlement may add.
struct AwaitedEvents {
  let partner: String
  let receivedAt: Int64?
  let values: DeliveryValues

  static let schema = """
    CREATE TABLE IF NOT EXISTS awaited_events (
      postback_key BLOB NOT NULL, partner TEXT NOT NULL, received_at INTEGER, planned_at INTEGER NOT NULL,
      delivery_values TEXT NOT NULL, PRIMARY KEY (postback_key, partner)) WITHOUT ROWID
    """
  static let insertion = "INSERT OR IGNORE INTO awaited_events VALUES (?, ?, ?, ?, ?)"
}

extension Outbox {
  /// Notes that a postback may get events, within a transaction.
  func note(awaited delivery: PlannedDelivery, at now: Int64) throws(FileFailure) {
    try insertAwaited.run(
      .wide(UInt128(delivery.postback)),
      .text(delivery.partner),
      delivery.receivedAt.map { .integer($0) } ?? .null,
      .integer(now),
      .text(delivery.values.json)
    )
  }

  /// The statement that reads the partners that wait for events of a postback.
  func awaitedSelection() throws(FileFailure) -> SQLiteStatement {
    try statement("SELECT partner, received_at, delivery_values FROM awaited_events WHERE postback_key = ?")
  }

  /// The statement that removes what was noted for a postback and a partner.
  func awaitedRemoval() throws(FileFailure) -> SQLiteStatement {
    try statement("DELETE FROM awaited_events WHERE postback_key = ? AND partner = ?")
  }
}
