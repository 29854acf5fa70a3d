internal import DurableFiles
internal import Ledger
internal import Tables

/// The positions of partners from which their planning can begin anew, if the output does not have what was planned later.
enum EarlierPositions {
  static let schema = """
    CREATE TABLE IF NOT EXISTS earlier_positions (
      partner TEXT NOT NULL, noted_at INTEGER NOT NULL, postbacks TEXT NOT NULL, events TEXT,
      PRIMARY KEY (partner, noted_at)) WITHOUT ROWID
    """

  /// The least time between two positions, and the time for which positions are kept, but for one more, in milliseconds.
  /// Deliveries are kept for a day more, so those that are planned again are known.
  fileprivate static let (interval, age): (Int64, Int64) = (600_000, 89 * 86_400_000)
}

extension Outbox {
  /// Notes the positions of a partner, within a transaction, unless some were noted just before.
  func noteEarlier(
    _ partner: String,
    _ postbacks: TableCursor,
    _ events: TableCursor?,
    at now: Int64
  ) throws(FileFailure) {
    let name = SQLiteValue.text(partner)
    // Where the clock has jumped back, later times are wrong.
    try statement("DELETE FROM earlier_positions WHERE partner = ? AND noted_at > ?").run(name, .integer(now))
    // The last one that is too old stays: it tells that deliveries before it may be forgotten.
    try statement(
      """
      DELETE FROM earlier_positions WHERE partner = ?1 AND noted_at <
        (SELECT max(noted_at) FROM earlier_positions WHERE partner = ?1 AND noted_at < ?2)
      """
    ).run(name, .integer(now - EarlierPositions.age))
    let newest = try statement("SELECT 1 FROM earlier_positions WHERE partner = ? AND noted_at > ?")
      .first(name, .integer(now - EarlierPositions.interval)) { _ in true }
    guard newest == nil else { return }
    try statement("INSERT OR REPLACE INTO earlier_positions VALUES (?, ?, ?, ?)")
      .run(name, .integer(now), .text(postbacks.description), events.map { .text($0.description) } ?? .null)
  }

  /// Sets partners back to the earliest positions behind which all of their deliveries are known, as far as a state has the
  /// positions: before the first row, unless rows were planned longer ago than deliveries are kept for.
  func rewind(_ partners: [String], to state: String, at now: Int64 = DeliveryService.clock()) throws(FileFailure) {
    func isThere(_ postbacks: TableCursor, _ events: TableCursor?) throws(FileFailure) -> Bool {
      guard postbacks.mark != nil else { return false }
      for mark in [postbacks.mark, events?.mark] {
        if let mark, try !Ledger.has(mark, state) { return false }
      }
      return true
    }
    let start = now - EarlierPositions.age
    for partner in partners {
      let current = try positions(of: partner)
      guard let postbacks = current.postbacks else { continue }
      let earlier = try statement(
        "SELECT noted_at, postbacks, events FROM earlier_positions WHERE partner = ? ORDER BY noted_at"
      ).all(.text(partner)) { row throws(FileFailure) in
        (time: try row.integer(0) as Int64, TableCursor(row.text(1)), row.isNull(2) ? nil : TableCursor(row.text(2)))
      }
      var place: (postbacks: TableCursor, events: TableCursor?)?
      if earlier.contains(where: { $0.time < start }) {
        let known = earlier.filter { $0.time >= start } + [(now, postbacks, current.events)]
        for case (_, let postbacks?, let events) in known + earlier.reversed() where place == nil {
          if try isThere(postbacks, events) { place = (postbacks, events) }
        }
      }
      try transaction { () throws(FileFailure) in
        // Rows of a settlement are planned again, and so compared with it again. The events of all of them are planned.
        for table in ["positions", "events_wanted"] {
          try statement("DELETE FROM \(table) WHERE partner = ?").run(.text(partner))
        }
        try statement(PassingCancellation.replanning).run(.text(partner))
        if let place { try setPositions(of: partner, place.postbacks, place.events) }
      }
    }
    try noteRestore(of: state)
  }
}
