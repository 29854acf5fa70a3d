package import DurableFiles
internal import Ledger
package import PostbackVerification
package import Tables

/// The removal of recorded deliveries, with the lock that keeps new ones out meanwhile.
package struct DeliveryRemoval: ~Copyable {
  private let state: String
  private let lock: LockFile

  /// Locks the deliveries of a state. Throws `.locked` if a process sends them.
  package init(_ state: String) throws(FileFailure) { (self.state, lock) = (state, try DeliveryService.lock(state)) }

  /// Removes the deliveries of postbacks, also those that are pending, masks the ids of a request in the values of others,
  /// and overwrites both in the file. Returns the number of removed deliveries.
  package func remove(_ keys: Set<PostbackKey>, _ request: RemovalRequest) throws(FileFailure) -> Int64 {
    guard try Outbox.exists(in: state) else { return 0 }
    return try Outbox(in: state).remove(keys, request)
  }
}

extension Outbox {
  fileprivate func remove(_ keys: Set<PostbackKey>, _ request: RemovalRequest) throws(FileFailure) -> Int64 {
    try statement("PRAGMA secure_delete = ON").run()
    let removal = try statement("DELETE FROM deliveries WHERE postback_key = ? RETURNING 1")
    let awaited = try statement("DELETE FROM awaited_events WHERE postback_key = ?")
    var count = 0
    try transaction { () throws(FileFailure) in
      for key in keys {
        count += try removal.all(.wide(UInt128(key))) { _ in true }.count
        try awaited.run(.wide(UInt128(key)))
      }
      try mask(request)
      try maskAwaited(request)
    }
    try statement("PRAGMA wal_checkpoint(TRUNCATE)").run()
    return Int64(count)
  }

  /// Masks the ids of a request in the values and answers of deliveries.
  private func mask(_ request: RemovalRequest) throws(FileFailure) {
    for column in ["delivery_values", RestatedDelivery.column, "error"] {
      let texts = try statement(
        "SELECT sequence, \(column) FROM deliveries WHERE \(column) IS NOT NULL AND sequence > ? LIMIT 2000"
      )
      let update = try statement("UPDATE deliveries SET \(column) = ? WHERE sequence = ?")
      var last: Int64? = 0
      while let start = last {
        let rows = try texts.all(.integer(start)) { row throws(FileFailure) in
          (try row.integer(0, as: Int64.self), row.text(1))
        }
        for (sequence, text) in rows {
          if let masked = request.masked(text) { try update.run(.text(masked), .integer(sequence)) }
        }
        last = rows.last?.0
      }
    }
  }

  /// Masks the ids of a request in the values of postbacks that may get events.
  private func maskAwaited(_ request: RemovalRequest) throws(FileFailure) {
    let texts = try statement(
      """
      SELECT postback_key, partner, delivery_values FROM awaited_events WHERE (postback_key, partner) > (?, ?)
      ORDER BY postback_key, partner LIMIT 2000
      """
    )
    let update = try statement("UPDATE awaited_events SET delivery_values = ? WHERE postback_key = ? AND partner = ?")
    var last: (key: UInt128, partner: String)? = (0, "")
    while let (key, partner) = last {
      let rows = try texts.all(.wide(key), .text(partner)) { row throws(FileFailure) in
        (key: try row.wide(0), partner: row.text(1), text: row.text(2))
      }
      for row in rows {
        guard let masked = request.masked(row.text) else { continue }
        try update.run(.text(masked), .wide(row.key), .text(row.partner))
      }
      last = rows.last.map { ($0.key, $0.partner) }
    }
  }
}
