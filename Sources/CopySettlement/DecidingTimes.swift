internal import DerivedTables
internal import DurableFiles
internal import PostbackVerification
package import Tables

extension DecidedColumns {
  /// The times of receipt of the copies that decide, as `skan_settled` of an output has them when they are asked for. Postbacks that
  /// were not settled have none.
  package static func times(in output: String) -> DecidingTimes {
    { number throws(FileFailure) in
      let snapshot = try DerivedSnapshot(of: output)
      defer { withExtendedLifetime(snapshot) {} }
      try snapshot.verify(.settled)
      var times: [PostbackKey: Int64] = [:]
      let key = Table.settled.place(.postbackKey)
      guard var stored = try StoredRows(.settled, in: snapshot.place(of: .settled), part: number) else { return times }
      while let batch = try stored.next() {
        var row = RowCursor(batch, of: .settled)
        while row.next() { if let key = row.key(key) { times[key] = settled.received(row) } }
      }
      return times
    }
  }
}
