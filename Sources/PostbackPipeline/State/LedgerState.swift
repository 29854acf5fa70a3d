/// The single-row state of the ledger: commits, the committed end of `seen.log`, and its compactions.
struct LedgerState: Equatable, Sendable {
  /// The number of commits.
  var commits: Int64 = 0
  /// The time of the last commit, in milliseconds since 1970; 0 before the first.
  var committedAt: Int64 = 0
  /// The committed end of `seen.log`.
  var seen = SeenMark()
  /// The keys that compactions have dropped.
  var retired = KeyTally()
  /// The compaction that has begun and is not finished; nil if there is none.
  var compaction: SeenCompaction?

  /// Returns the state after a commit.
  func after(_ commit: LedgerCommit) -> LedgerState {
    var state = self
    state.commits += 1
    state.committedAt = commit.time
    state.seen = commit.seen ?? seen
    switch commit.compaction {
    case .begin(let compaction): state.compaction = compaction
    case .finish:
      state.seen = compaction?.mark ?? seen
      state.retired += compaction?.dropped ?? KeyTally()
      state.compaction = nil
    case nil: break
    }
    return state
  }
}

extension LedgerState {
  /// The columns in the order in which `init(_:)` reads them and `write(with:)` writes them.
  static let columns = """
    commits, committed_at, seen_entries, seen_checksum, retired_count, retired_sum, retired_difference,
    pending_entries, pending_checksum, pending_count, pending_sum, pending_difference
    """

  /// Reads the state from a row.
  init(_ row: SQLiteStatement) throws(StateFailure) {
    func mark(_ column: Int32) throws(StateFailure) -> SeenMark {
      SeenMark(entries: try row.count(column), checksum: try row.integer(column + 1, as: UInt32.self))
    }
    func tally(_ column: Int32) throws(StateFailure) -> KeyTally {
      KeyTally(
        count: try row.count(column),
        sum: try row.wide(column + 1),
        difference: try row.wide(column + 2)
      )
    }
    commits = try row.count(0)
    committedAt = try row.count(1)
    seen = try mark(2)
    retired = try tally(4)
    if !row.isNull(7) { compaction = SeenCompaction(mark: try mark(7), dropped: try tally(9)) }
  }

  /// Runs a statement that sets all columns to this state.
  func write(with statement: SQLiteStatement) throws(StateFailure) {
    let (pending, dropped) = (compaction?.mark, compaction?.dropped)
    func integer(_ value: Int64?) -> SQLiteValue { value.map { .integer($0) } ?? .null }
    func wide(_ value: UInt128?) -> SQLiteValue { value.map { .wide($0) } ?? .null }
    try statement.run(
      .integer(commits),
      .integer(committedAt),
      .integer(seen.entries),
      .integer(Int64(seen.checksum)),
      .integer(retired.count),
      .wide(retired.sum),
      .wide(retired.difference),
      integer(pending?.entries),
      integer(pending.map { Int64($0.checksum) }),
      integer(dropped?.count),
      wide(dropped?.sum),
      wide(dropped?.difference)
    )
  }
}
