internal import Base
package import DurableFiles

/// The time up to which the clock is believed. What is too old is removed only while the clock is believed, because a clock
/// that is years ahead makes everything too old.
///
/// The time follows the clock while that moves on in steps of at most a day and a half, also back. A clock that jumps
/// further, or that nobody has looked at for longer, is in doubt, and believed again once it has gone on for three days.
/// The times in postbacks have no say: senders choose them.
package struct RemovalClock: Equatable, Sendable {
  /// The newest time at which the clock was believed, in milliseconds since 1970; 0 before the first commit.
  package private(set) var trusted: Int64 = 0
  /// The first and the last time that the clock gave while in doubt; nil if it is believed.
  private(set) var doubted: ClosedRange<Int64>?

  private static let hour: Int64 = 3_600_000
  /// The step that is believed: a nightly run is not always at the same minute.
  private static let step = 36 * hour
  private static let confirmation = 72 * hour
  /// The longest time between two looks at a clock in doubt: a week, and a day.
  private static let longestPause = 192 * hour

  /// Takes the present time over, or doubts it.
  package mutating func observe(_ now: Int64) {
    if trusted == 0 || abs(now - trusted) <= Self.step { return trust(max(now, trusted)) }
    guard let doubted, now >= doubted.lowerBound, now - doubted.upperBound <= Self.longestPause else {
      return self.doubted = now...now
    }
    if now - doubted.lowerBound >= Self.confirmation { return trust(now) }
    self.doubted = doubted.lowerBound...max(now, doubted.upperBound)
  }

  /// Believes the clock, which somebody has looked at.
  package mutating func trust(_ now: Int64) { (trusted, doubted) = (now, nil) }

  /// The time to note for what is written while the clock is in doubt; nil if it is believed.
  package func stamp(at now: Int64) -> Int64? { refusal(at: now) == nil ? nil : trusted }

  /// Returns the reason not to remove anything now; nil if the clock is believed.
  package func refusal(at now: Int64) -> RemovalRefusal? {
    var next = self
    next.observe(now)
    guard next.doubted != nil else { return nil }
    return RemovalRefusal(
      .clock,
      """
      Nothing was removed: the clock says \(Timestamp(milliseconds: now)), more than a day and a half from \
      \(Timestamp(milliseconds: trusted)), the last time at which it was believed. It is believed again once it has gone on \
      for three days while commits are made. If it is right, give postback retain or state compact --trust-clock
      """
    )
  }

  /// Indicates that the ledger should hold this clock instead of an earlier state of it.
  func differs(from kept: RemovalClock) -> Bool {
    abs(trusted - kept.trusted) >= Self.hour || doubted?.lowerBound != kept.doubted?.lowerBound
      || (doubted?.upperBound ?? 0) - (kept.doubted?.upperBound ?? 0) >= Self.hour
  }
}

/// The reason why nothing was removed, though it is older than it is to be kept.
package struct RemovalRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of a reason.
  package enum Reason: String, CaseIterable, Sendable {
    /// The clock has jumped.
    case clock
    /// Too large a share would go at once.
    case share
  }

  /// The kind of the reason.
  package let reason: Reason
  /// The reason as a sentence with the advice, without a full stop.
  package let description: String

  init(_ reason: Reason, _ description: String) { (self.reason, self.description) = (reason, description) }
}

/// What a removal would take, of all that there is.
package struct RemovalShare: Equatable, Sendable {
  /// The number that would go.
  package var old: Int64
  /// The number that there is.
  package var all: Int64

  /// The share that one removal takes without being told to.
  package static let most = 0.2

  /// Makes a share.
  package init(old: Int64, of all: Int64) { (self.old, self.all) = (old, all) }

  /// Returns the reason not to remove so much of `name`; nil if it is little enough.
  package func refusal(_ name: String, before time: Int64) -> RemovalRefusal? {
    guard Double(old) > Double(all) * Self.most else { return nil }
    return RemovalRefusal(
      .share,
      """
      Nothing was removed: \(old) of \(all) \(name) are from before \(Timestamp(milliseconds: time)), and one removal takes \
      at most \(Int(Self.most * 100)) %. If all of them are to go, stop the consumer and run postback retain, or state compact \
      for ids, once with --yes-remove-all
      """
    )
  }
}

/// The kinds of things that are removed because of their age. For each of them the ledger keeps the end of the last removal.
package enum RemovedKind {
  /// The rows of a table.
  case rows(ofTable: String)
  /// The ids of postbacks.
  case ids
  /// The files of the spool.
  case spool

  var name: String {
    switch self {
    case .rows(let table): table
    case .ids: "ids"
    case .spool: "spool"
    }
  }

  var title: String {
    switch self {
    case .rows(let table): "rows of \(table)"
    case .ids: "ids of postbacks"
    case .spool: "files of the spool"
    }
  }
}

extension Ledger {
  /// A removal no further than this behind the last one takes what it finds: the share is of one week, and a day.
  private static let usualAdvance: Int64 = 192 * 3_600_000

  /// Returns the reason not to remove the old ones of a kind; nil if there is none. The share is counted only if the last
  /// removal ended long before `time`, in milliseconds since 1970.
  package func refusal(
    _ kind: RemovedKind,
    before time: Int64,
    now: Int64,
    share: () throws(FileFailure) -> RemovalShare
  ) throws(FileFailure) -> RemovalRefusal? {
    if let refusal = clock.refusal(at: now) { return refusal }
    if let end = try Self.removalEnd(of: kind, in: database), time <= end + Self.usualAdvance { return nil }
    return try share().refusal(kind.title, before: time)
  }

  /// Records, durably, that all of a kind that is from before a time was removed.
  package func recordRemoval(_ kind: RemovedKind, before time: Int64) throws(FileFailure) {
    guard try Self.removalEnd(of: kind, in: database).map({ abs(time - $0) >= 3_600_000 }) ?? true else { return }
    let put = try SQLiteStatement(
      database,
      "INSERT INTO removal_ends VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET before = excluded.before"
    )
    try put.run(.text(kind.name), .integer(time))
  }

  /// Records, durably, that the rows of a table without parts from before a time were removed because of their age.
  package func recordRetention(ofTable table: String, before time: Int64) throws(FileFailure) {
    let put = try SQLiteStatement(
      database,
      "INSERT INTO removal_ends VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET before = max(before, excluded.before)"
    )
    try put.run(.text(table), .integer(time))
  }

  /// Returns the time before which `recordRetention` says that the rows of a table were removed, in milliseconds since 1970; nil if
  /// none were. Read without the lock.
  package static func retention(_ folderPath: String, ofTable table: String) throws(FileFailure) -> Int64? {
    try reading(folderPath) { database throws(FileFailure) in
      try LedgerSchema.identify(database) > 8 ? try removalEnd(of: .rows(ofTable: table), in: database) : nil
    }
  }

  private static func removalEnd(of kind: RemovedKind, in database: SQLiteDatabase) throws(FileFailure) -> Int64? {
    let find = try SQLiteStatement(database, "SELECT before FROM removal_ends WHERE name = ?")
    return try find.first(.text(kind.name)) { row throws(FileFailure) in try row.integer(0) as Int64 }
  }

  /// Looks at the clock while no commits are made.
  package func observeClock(_ now: Int64) throws(FileFailure) {
    clock.observe(now)
    try writeClock()
  }

  /// Believes the clock, durably, because somebody has looked at it.
  package func trustClock(_ now: Int64) throws(FileFailure) {
    clock.trust(now)
    try writeClock()
  }

  /// Writes the clock if it has moved so far that the next start should know.
  func writeClock() throws(FileFailure) {
    guard clock.differs(from: keptClock) else { return }
    try clock.write(to: database)
    keptClock = clock
  }

  /// Reads the clock of a ledger without its lock; nil if an earlier version left it.
  package static func removalClock(_ folderPath: String) throws(FileFailure) -> RemovalClock? {
    try reading(folderPath) { database throws(FileFailure) in
      try LedgerSchema.identify(database) > 8 ? RemovalClock(database) : nil
    }
  }
}

extension RemovalClock {
  /// The tables of the ledger, which begin with the time of the last commit.
  static let schema = """
    CREATE TABLE removal_clock (
      id INTEGER PRIMARY KEY CHECK (id = 1), trusted_at INTEGER NOT NULL,
      doubted_from INTEGER, doubted_to INTEGER
    ) STRICT;
    INSERT INTO removal_clock SELECT 1, committed_at, NULL, NULL FROM state;
    CREATE TABLE removal_ends (name TEXT PRIMARY KEY, before INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    """

  init(_ database: SQLiteDatabase) throws(FileFailure) {
    let statement = try SQLiteStatement(database, "SELECT trusted_at, doubted_from, doubted_to FROM removal_clock")
    let found = try statement.first { row throws(FileFailure) in
      var clock = RemovalClock()
      clock.trusted = try row.count(0)
      if !row.isNull(1) {
        let first: Int64 = try row.count(1)
        clock.doubted = first...max(first, try row.count(2))
      }
      return clock
    }
    guard let found else { throw .damaged(database.path, "The ledger does not hold the time of its clock") }
    self = found
  }

  func write(to database: SQLiteDatabase) throws(FileFailure) {
    let put = try SQLiteStatement(database, "UPDATE removal_clock SET trusted_at = ?, doubted_from = ?, doubted_to = ?")
    try put.run(
      .integer(max(trusted, 0)),
      doubted.map { .integer(max($0.lowerBound, 0)) } ?? .null,
      doubted.map { .integer(max($0.upperBound, 0)) } ?? .null
    )
  }
}
