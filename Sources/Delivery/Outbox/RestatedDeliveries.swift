internal import DurableFiles
internal import Ledger
internal import PostbackVerification

/// A delivery that was tried with other values than those of the last settlement. It keeps them, because the partner may have
/// them, and is corrected when it has a result.
struct RestatedDelivery {
  let postback: PostbackKey
  let partner: String
  let event: String?
  /// The values of the settlement.
  let values: DeliveryValues

  static let column = "restated_values"
  static let index = """
    CREATE INDEX IF NOT EXISTS deliveries_restated ON deliveries (state) WHERE restated_values IS NOT NULL
    """
  fileprivate static let condition = "restated_values IS NOT NULL AND state IN ('delivered', 'failed', 'cancelled')"

  /// The statement that finds those that have a result.
  static let selection = """
    SELECT postback_key, partner, event_name, restated_values FROM deliveries WHERE \(condition)
    """
}

extension Outbox {
  /// The statement that notes the values of a settlement for a delivery that was tried, or that there are none.
  func restatement() throws(FileFailure) -> SQLiteStatement {
    try statement("UPDATE deliveries SET restated_values = ? WHERE sequence = ?")
  }

  /// Returns the restated deliveries that have a result.
  func restated() throws(FileFailure) -> [RestatedDelivery] {
    try selectRestated.all { row throws(FileFailure) in
      RestatedDelivery(
        postback: PostbackKey(try row.wide(0)),
        partner: row.text(1),
        event: row.isNull(2) ? nil : row.text(2),
        values: try DeliveryValues(row.text(3), in: Self.name)
      )
    }
  }

  /// Forgets the restated deliveries that have a result, within a transaction.
  func forgetRestated() throws(FileFailure) {
    try statement("UPDATE deliveries SET restated_values = NULL WHERE \(RestatedDelivery.condition)").run()
  }
}
