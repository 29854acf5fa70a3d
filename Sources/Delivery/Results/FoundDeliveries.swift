internal import Base
package import DurableFiles
package import JSON
internal import Ledger
package import PostbackVerification

extension Outbox {
  /// Reads the deliveries of a postback, as objects with the columns of `partner_deliveries`, without making or changing a file;
  /// nil if the folder of the state has no outbox.
  package static func deliveries(of key: PostbackKey, in state: String) throws(FileFailure) -> [JSONValue]? {
    guard try exists(in: state) else { return nil }
    return try SQLiteDatabase.reading(name, in: DurableFolder(state)) { database throws(FileFailure) in
      try deliveries(of: key, in: database)
    }
  }

  private static func deliveries(of key: PostbackKey, in database: SQLiteDatabase) throws(FileFailure) -> [JSONValue] {
    let found = try SQLiteStatement(
      database,
      """
      SELECT delivery_id, partner, kind, event_name, state, attempts, first_attempt_at, last_attempt_at, http_status, error,
        next_attempt_at
      FROM deliveries WHERE postback_key = ? ORDER BY sequence
      """
    )
    return try found.all(.wide(UInt128(key))) { row throws(FileFailure) in
      func time(_ column: Int32) throws(FileFailure) -> JSONValue {
        row.isNull(column) ? .null : .string(Timestamp(milliseconds: try row.integer(column)).description)
      }
      func text(_ column: Int32) -> JSONValue { row.isNull(column) ? .null : .string(row.text(column)) }
      return JSONValue.object([
        .init("delivery_id", .string(DeliveryID(try row.wide(0)).description)), .init("partner", text(1)),
        .init("kind", text(2)), .init("event_name", text(3)), .init("state", text(4)),
        .init("attempts", .integer(try row.integer(5) as Int64)), .init("first_attempt_at", try time(6)),
        .init("last_attempt_at", try time(7)),
        .init("http_status", row.isNull(8) ? .null : .integer(try row.integer(8) as Int64)), .init("error", text(9)),
        .init("next_attempt_at", try time(10)),
      ])
    }
  }
}
