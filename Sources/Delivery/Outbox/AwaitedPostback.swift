internal import DurableFiles
internal import Ledger
internal import PostbackVerification

/// A postback without a delivery to a partner, to which a settlement may add some: the postback itself, if a filter has left it
/// out because of its values, and events.
struct AwaitedPostback {
  let partner: String
  let receivedAt: Int64?
  let plannedAt: Int64
  /// The values of the first copy.
  let values: DeliveryValues
  /// The kind of the delivery that was left out, `event` if the partner did not want the postback itself; nil where an earlier
  /// version has noted the postback.
  let kind: DeliveryKind?

  /// Reads the current row of the selection.
  init(_ row: SQLiteStatement) throws(FileFailure) {
    partner = row.text(0)
    receivedAt = row.isNull(1) ? nil : try row.integer(1)
    plannedAt = try row.integer(2)
    var values = try DeliveryValues(row.text(3), in: Outbox.name)
    let word = values.values.removeValue(forKey: .kind)
    kind = word.flatMap { DeliveryKind(rawValue: $0.written(.words)) }
    self.values = values
  }

  static let schema = """
    CREATE TABLE IF NOT EXISTS awaited_events (
      postback_key BLOB NOT NULL, partner TEXT NOT NULL, received_at INTEGER, planned_at INTEGER NOT NULL,
      delivery_values TEXT NOT NULL, PRIMARY KEY (postback_key, partner)) WITHOUT ROWID
    """
  static let insertion = "INSERT OR REPLACE INTO awaited_events VALUES (?, ?, ?, ?, ?)"
}

extension Outbox {
  /// Notes that a settlement may add deliveries of a postback, within a transaction.
  func note(awaited delivery: PlannedDelivery, at now: Int64) throws(FileFailure) {
    var values = delivery.values
    values.values[.kind] = .text(delivery.kind.rawValue)
    try insertAwaited.run(
      .wide(UInt128(delivery.postback)),
      .text(delivery.partner),
      delivery.receivedAt.map { .integer($0) } ?? .null,
      .integer(now),
      .text(values.json)
    )
  }

  /// The statement that reads the partners to which a settlement may add deliveries of a postback.
  func awaitedSelection() throws(FileFailure) -> SQLiteStatement {
    try statement("SELECT partner, received_at, planned_at, delivery_values FROM awaited_events WHERE postback_key = ?")
  }

  /// The statement that removes what was noted for a postback and a partner.
  func awaitedRemoval() throws(FileFailure) -> SQLiteStatement {
    try statement("DELETE FROM awaited_events WHERE postback_key = ? AND partner = ?")
  }
}
