package import DurableFiles
internal import Ledger
internal import PostbackVerification
internal import Tables

/// The deliveries of an output, with the positions up to which its tables were planned. It is a database in the folder of
/// the state, beside the ledger.
///
/// Planned deliveries and positions move in one transaction, so a row of the tables is planned exactly once. Attempts are
/// recorded after they were made: after a crash the last ones may be repeated, with the same ids.
package final class Outbox {
  private let database: SQLiteDatabase
  private let insert: SQLiteStatement
  private let update: SQLiteStatement
  private let firstDue: SQLiteStatement
  private let retriesDue: SQLiteStatement
  let revival: SQLiteStatement
  let selectRestated: SQLiteStatement
  let insertStaged: SQLiteStatement
  let selectStaged: SQLiteStatement
  let insertAwaited: SQLiteStatement
  /// The numbers of deliveries by partner and state, with those that were removed.
  private(set) var counts: [String: [DeliveryState: Int64]] = [:]
  /// Indicates that `forget()` will undo all changes.
  private var isTrial = false

  static let name = "deliver.sqlite"
  private static let version: Int64 = 1

  /// Opens the outbox in the folder of a state, which is created if it does not exist.
  package convenience init(in state: String) throws(FileFailure) { try self.init(at: "\(state)/\(Self.name)") }

  /// Opens an outbox that is never written to a disk.
  package static func temporary() throws(FileFailure) -> Outbox { try Outbox(at: ":memory:") }

  /// Indicates that the folder of a state has an outbox.
  package static func exists(in state: String) throws(FileFailure) -> Bool {
    try DurableFolder(state).byteCount(of: name) != nil
  }

  private init(at path: String) throws(FileFailure) {
    database = try SQLiteDatabase(path, .creating)
    // After a power cut whole transactions may be missing: deliveries and positions alike, so both are planned again.
    try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000")
    let found = try database.integer("PRAGMA user_version")
    guard found <= Self.version else {
      throw FileFailure(.incompatible, path, "A later version of postback made this file", advice: "Use that version")
    }
    if found == 0 { try database.execute("BEGIN; \(Self.schema); PRAGMA user_version = \(Self.version); COMMIT") }
    try database.execute("\(AwaitedPostback.schema); \(StagedEvents.schema)")
    try database.execute("\(EarlierPositions.schema); \(BackupTime.schema); \(PartnerFilter.schema)")
    let columns = "SELECT count(*) FROM pragma_table_info('deliveries') WHERE name = '\(RestatedDelivery.column)'"
    if try database.integer(columns) == 0 {
      try database.execute("ALTER TABLE deliveries ADD COLUMN \(RestatedDelivery.column) TEXT")
    }
    try database.execute("\(RemovedDeliveries.schema); \(RestatedDelivery.index)")
    insertAwaited = try SQLiteStatement(database, AwaitedPostback.insertion)
    revival = try SQLiteStatement(database, PassingCancellation.revival)
    selectRestated = try SQLiteStatement(database, RestatedDelivery.selection)
    insertStaged = try SQLiteStatement(database, StagedEvents.insertion)
    selectStaged = try SQLiteStatement(database, StagedEvents.selection)
    insert = try SQLiteStatement(
      database,
      """
      INSERT OR IGNORE INTO deliveries (delivery_id, partner, postback_key, kind, event_name, supersedes, state, error,
        received_at, planned_at, next_attempt_at, delivery_values) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      RETURNING 1
      """
    )
    update = try SQLiteStatement(
      database,
      """
      UPDATE deliveries SET state = ?, attempts = ?, first_attempt_at = ?, last_attempt_at = ?, http_status = ?, error = ?,
        next_attempt_at = ? WHERE sequence = ?
      """
    )
    firstDue = try SQLiteStatement(
      database,
      """
      SELECT \(Self.columns) FROM deliveries
      WHERE partner = ? AND state = 'pending' AND attempts = 0 AND next_attempt_at <= ? ORDER BY sequence LIMIT ?
      """
    )
    retriesDue = try SQLiteStatement(
      database,
      """
      SELECT \(Self.columns) FROM deliveries
      WHERE partner = ? AND state = 'pending' AND attempts > 0 AND next_attempt_at <= ? ORDER BY next_attempt_at LIMIT ?
      """
    )
    let rows = try SQLiteStatement(database, RemovedDeliveries.totals).all { row throws(FileFailure) in
      (row.text(0), try row.word(1, as: DeliveryState.self), try row.integer(2, as: Int64.self))
    }
    for (partner, state, count) in rows { counts[partner, default: [:]][state, default: 0] += count }
  }

  private static let columns = """
    sequence, delivery_id, kind, event_name, supersedes, attempts, first_attempt_at, received_at, delivery_values,
      last_attempt_at, http_status, error
    """
  private static let schema = """
    CREATE TABLE positions (partner TEXT PRIMARY KEY, postbacks TEXT, events TEXT);
    CREATE TABLE settlements (partner TEXT PRIMARY KEY, settlement TEXT NOT NULL);
    CREATE TABLE corrections_not_sent (partner TEXT PRIMARY KEY, number INTEGER NOT NULL);
    CREATE TABLE deliveries (
      sequence INTEGER PRIMARY KEY, delivery_id BLOB NOT NULL UNIQUE, partner TEXT NOT NULL, postback_key BLOB NOT NULL,
      kind TEXT NOT NULL, event_name TEXT, supersedes BLOB, state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
      first_attempt_at INTEGER, last_attempt_at INTEGER, http_status INTEGER, error TEXT, received_at INTEGER,
      planned_at INTEGER NOT NULL, next_attempt_at INTEGER, delivery_values TEXT NOT NULL);
    CREATE INDEX deliveries_first ON deliveries (partner, sequence) WHERE state = 'pending' AND attempts = 0;
    CREATE INDEX deliveries_again ON deliveries (partner, next_attempt_at) WHERE state = 'pending' AND attempts > 0;
    CREATE INDEX deliveries_postback ON deliveries (postback_key)
    """

  /// Calls `body` in a transaction, which is rolled back if it throws. Between `begin()` and `forget()` all are one.
  func transaction(_ body: () throws(FileFailure) -> Void) throws(FileFailure) {
    if isTrial { return try body() }
    let before = counts
    try database.execute("BEGIN IMMEDIATE")
    do throws(FileFailure) {
      try body()
      try database.execute("COMMIT")
    } catch {
      counts = before
      try? database.execute("ROLLBACK")
      throw error
    }
  }

  /// Begins a transaction that only `forget()` ends.
  func begin() throws(FileFailure) {
    try database.execute("BEGIN IMMEDIATE")
    isTrial = true
  }

  /// Undoes all changes since `begin()`.
  func forget() throws(FileFailure) { try database.execute("ROLLBACK") }

  // MARK: - Planning

  /// Returns the positions up to which the tables were planned for a partner; nil where nothing was.
  func positions(of partner: String) throws(FileFailure) -> (postbacks: TableCursor?, events: TableCursor?) {
    let statement = try SQLiteStatement(database, "SELECT postbacks, events FROM positions WHERE partner = ?")
    let texts = try statement.first(.text(partner)) { ($0.text(0), $0.text(1)) } ?? ("", "")
    return (TableCursor(texts.0), TableCursor(texts.1))
  }

  /// Sets the positions, within a transaction.
  func setPositions(of partner: String, _ postbacks: TableCursor, _ events: TableCursor?) throws(FileFailure) {
    try SQLiteStatement(database, "INSERT OR REPLACE INTO positions VALUES (?, ?, ?)")
      .run(.text(partner), .text(postbacks.description), events.map { .text($0.description) } ?? .null)
  }

  /// Adds a delivery, within a transaction, unless there is one with its id that is not cancelled for a time.
  @discardableResult
  func add(_ delivery: PlannedDelivery, at now: Int64) throws(FileFailure) -> Bool {
    let state: DeliveryState = delivery.refusal == nil ? .pending : .cancelled
    var isAdded =
      try insert.first([
        .wide(delivery.id.number), .text(delivery.partner), .wide(UInt128(delivery.postback)),
        .text(delivery.kind.rawValue),
        delivery.event.map { .text($0) } ?? .null, delivery.supersedes.map { .wide($0.number) } ?? .null,
        .text(state.rawValue), delivery.refusal.map { .text($0) } ?? .null,
        delivery.receivedAt.map { .integer($0) } ?? .null, .integer(now),
        state == .pending ? .integer(delivery.dueAt) : .null,
        .text(delivery.values.json),
      ]) { _ in true } ?? false
    if !isAdded, state == .pending { isAdded = try revive(delivery) }
    if isAdded { counts[delivery.partner, default: [:]][state, default: 0] += 1 }
    return isAdded
  }

  /// Counts a delivery that was pending and is cancelled now.
  func countCancelled(of partner: String) {
    counts[partner, default: [:]][.pending, default: 0] -= 1
    counts[partner, default: [:]][.cancelled, default: 0] += 1
  }

  // MARK: - Sending

  /// Returns deliveries of a partner that are due: those without an attempt in the order of acceptance, or those to be
  /// tried again.
  func due(of partner: String, again: Bool, at now: Int64, limit: Int) throws(FileFailure) -> [PendingDelivery] {
    try (again ? retriesDue : firstDue).all(.text(partner), .integer(now), .integer(Int64(limit)), as: pending)
  }

  /// Returns pending deliveries of a partner in the order of acceptance, due or not, after one with a sequence number.
  func pending(of partner: String, after sequence: Int64, limit: Int) throws(FileFailure) -> [PendingDelivery] {
    let statement = try SQLiteStatement(
      database,
      """
      SELECT \(Self.columns) FROM deliveries
      WHERE partner = ? AND state = 'pending' AND sequence > ? ORDER BY sequence LIMIT ?
      """
    )
    return try statement.all(.text(partner), .integer(sequence), .integer(Int64(limit)), as: pending)
  }

  private func pending(_ row: SQLiteStatement) throws(FileFailure) -> PendingDelivery {
    PendingDelivery(
      sequence: try row.integer(0),
      id: DeliveryID(try row.wide(1)),
      kind: try row.word(2, as: DeliveryKind.self),
      event: row.isNull(3) ? nil : row.text(3),
      supersedes: row.isNull(4) ? nil : DeliveryID(try row.wide(4)),
      attempts: try row.integer(5, as: Int.self),
      firstAttemptAt: row.isNull(6) ? nil : try row.integer(6),
      lastAttemptAt: row.isNull(9) ? nil : try row.integer(9),
      status: row.isNull(10) ? 0 : try row.integer(10, as: Int.self),
      error: row.isNull(11) ? nil : row.text(11),
      receivedAt: row.isNull(7) ? nil : try row.integer(7),
      values: try DeliveryValues(row.text(8), in: database.path)
    )
  }

  /// Returns the earliest time of the next attempt of a pending delivery; nil if none is pending.
  func nextAttempt(of partner: String) throws(FileFailure) -> Int64? {
    var earliest: Int64?
    for attempts in ["= 0", "> 0"] {
      let statement = try SQLiteStatement(
        database,
        """
        SELECT min(next_attempt_at) FROM deliveries
        WHERE partner = ? AND state = 'pending' AND attempts \(attempts)
        """
      )
      let found = try statement.first(.text(partner)) { row throws(FileFailure) -> Int64? in
        row.isNull(0) ? nil : try row.integer(0)
      }
      if let time = found ?? nil { earliest = min(earliest ?? time, time) }
    }
    return earliest
  }

  /// Lets no pending delivery of a partner wait longer than until a time: `first` without an attempt, else `again`. Returns
  /// the number of those that would have.
  func limitWaits(of partner: String, first: Int64, again: Int64) throws(FileFailure) -> Int {
    var count = 0
    for (attempts, time) in [("= 0", first), ("> 0", again)] {
      count += try statement(
        """
        UPDATE deliveries SET next_attempt_at = ?2
        WHERE partner = ?1 AND state = 'pending' AND attempts \(attempts) AND next_attempt_at > ?2 RETURNING 1
        """
      ).all(.text(partner), .integer(time)) { _ in true }.count
    }
    return count
  }

  /// Records the results of attempts, in one transaction.
  func record(_ outcomes: [AttemptOutcome], of partner: String) throws(FileFailure) {
    try transaction { () throws(FileFailure) in
      for outcome in outcomes {
        try update.run(
          .text(outcome.state.rawValue),
          .integer(Int64(outcome.attempts)),
          outcome.firstAttemptAt.map { .integer($0) } ?? .null,
          outcome.lastAttemptAt.map { .integer($0) } ?? .null,
          outcome.status == 0 ? .null : .integer(Int64(outcome.status)),
          outcome.error.map { .text($0) } ?? .null,
          outcome.nextAttemptAt.map { .integer($0) } ?? .null,
          .integer(outcome.sequence)
        )
        if outcome.state != .pending {
          counts[partner, default: [:]][.pending, default: 0] -= 1
          counts[partner, default: [:]][outcome.state, default: 0] += 1
        }
      }
    }
  }

  /// Returns the time since which the oldest pending delivery of a partner is due, which may be yet to come; nil if none is
  /// pending.
  func oldestPending(of partner: String) throws(FileFailure) -> Int64? {
    // With hold_hours a delivery is due long after it is planned.
    let first = try SQLiteStatement(
      database,
      """
      SELECT max(planned_at, next_attempt_at) FROM deliveries WHERE partner = ? AND state = 'pending' AND attempts = 0
      ORDER BY sequence LIMIT 1
      """
    ).first(.text(partner)) { row throws(FileFailure) in try row.integer(0) as Int64 }
    let again = try SQLiteStatement(
      database,
      "SELECT min(first_attempt_at) FROM deliveries WHERE partner = ? AND state = 'pending' AND attempts > 0"
    ).first(.text(partner)) { row throws(FileFailure) -> Int64? in row.isNull(0) ? nil : try row.integer(0) }
    return [first, again ?? nil].compactMap { $0 }.min()
  }
}

extension Outbox {
  /// Prepares a statement of another part of the outbox.
  func statement(_ text: String) throws(FileFailure) -> SQLiteStatement { try SQLiteStatement(database, text) }
}
