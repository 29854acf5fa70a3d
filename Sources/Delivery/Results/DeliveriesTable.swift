internal import Base
internal import DerivedTables
package import DurableFiles
internal import Ledger
internal import PostbackVerification
package import Tables

extension Table {
  /// The table of the deliveries to partners.
  package static let partnerDeliveries = Table(
    name: "partner_deliveries",
    description: """
      A delivery of a postback, or of one of its events, to a partner, in the order of acceptance. In CSV a null is an empty \
      field.
      """,
    key: .deliveryID,
    columns: [
      Column(
        .deliveryID,
        .key,
        .required,
        """
        The id of the delivery, the same in every attempt: the first 128 bits, in hexadecimal digits, of the SHA-256 of \
        partner, postback, kind and event (empty if there is none), joined by U+2063; for a correction also of the one \
        before it: the delivery that it supersedes, or a correction of that one which failed. Partners recognise repeated \
        deliveries by it.
        """
      ),
      Column(.partner, .nonEmptyText, .required, "The id of the partner in its configuration."),
      Column(.postbackKey, .key, .required, "The postback, a row of `skan_postbacks`."),
      Column(
        .kind,
        .word(of: DeliveryKind.self),
        .required,
        """
        `install`, `redownload` or `reengagement` for the postback itself; `event` for an event; `correction` for new values \
        of a delivery that `postback settle` has restated.
        """
      ),
      Column(.eventName, .nonEmptyText, "The name of the event. Null for the postback itself."),
      Column(
        .state,
        .word(of: DeliveryState.self),
        .required,
        """
        `pending` until there is a result; `delivered` after a status from 200 to 299; `failed` if the partner has refused \
        it, or the attempts took too long; `cancelled` if it will not be sent, or not again.
        """
      ),
      Column(.attempts, .count, .required, "The number of attempts."),
      Column(.firstAttemptAt, .time, "The time of the first attempt. Null if there was none."),
      Column(.lastAttemptAt, .time, "The time of the last attempt. Null if there was none."),
      Column(.httpStatus, .integer(100...999), "The status of the last response. Null if there was none."),
      Column(
        .error,
        .nonEmptyText,
        "The reason of the last failure, or the beginning of the body of the response. Null if there was no failure."
      ),
      Column(.nextAttemptAt, .time, "The time of the next attempt. Null unless `state` is `pending`."),
    ],
    rules: [
      .when(
        [.state: .word(DeliveryState.pending.rawValue)],
        then: [.nextAttemptAt: .present],
        otherwise: [.nextAttemptAt: .null]
      ),
      .when(
        [.state: .word(DeliveryState.delivered.rawValue)],
        then: [.lastAttemptAt: .present, .httpStatus: .present]
      ),
    ]
  )
}

extension Outbox {
  /// Writes `partner_deliveries` into a folder, in place of the one that was there before.
  package func writeTable(_ encoding: TableEncoding, in folder: String, partBytes: Int64 = 1 << 28) throws(FileFailure)
  {
    let table = try DerivedTable(.partnerDeliveries, encoding, in: folder, partBytes: partBytes)
    let page = try statement(
      """
      SELECT sequence, delivery_id, partner, postback_key, kind, event_name, state, attempts, first_attempt_at,
        last_attempt_at, http_status, error, next_attempt_at
      FROM deliveries WHERE sequence > ? ORDER BY sequence LIMIT 2000
      """
    )
    var last: Int64 = 0
    var count = 0
    while true {
      var encoder = RowEncoder(.partnerDeliveries, encoding)
      let found = try page.all(.integer(last)) { row throws(FileFailure) -> Int64 in
        func time(_ column: Int32) throws(FileFailure) -> Timestamp? {
          row.isNull(column) ? nil : Timestamp(milliseconds: try row.integer(column))
        }
        encoder.text(.deliveryID, DeliveryID(try row.wide(1)).description)
        encoder.text(.partner, row.text(2))
        encoder.text(.postbackKey, PostbackKey(try row.wide(3)).description)
        encoder.word(.kind, try row.word(4, as: DeliveryKind.self).rawValue)
        encoder.text(.eventName, row.isNull(5) ? nil : row.text(5))
        encoder.word(.state, try row.word(6, as: DeliveryState.self).rawValue)
        encoder.integer(.attempts, try row.integer(7))
        encoder.time(.firstAttemptAt, try time(8))
        encoder.time(.lastAttemptAt, try time(9))
        encoder.integer(.httpStatus, row.isNull(10) ? nil : try row.integer(10))
        encoder.text(.error, row.isNull(11) ? nil : row.text(11))
        encoder.time(.nextAttemptAt, try time(12))
        encoder.endRow()
        return try row.integer(0)
      }
      guard let end = found.last else { break }
      try table.append(encoder.take())
      last = end
      count += found.count
    }
    try table.complete(summary: "{\"rows\":\(count)}")
  }
}
