internal import DurableFiles

/// The statements of a ledger, prepared once.
struct LedgerStatements {
  let inputByPath: SQLiteStatement
  let inputByFile: SQLiteStatement
  let inputByDigest: SQLiteStatement
  let inputBySize: SQLiteStatement
  let inputsByFirst: SQLiteStatement
  let completeInputs: SQLiteStatement
  private let database: SQLiteDatabase
  private let reprocessing: ReprocessingStatements
  private let begin: SQLiteStatement
  private let end: SQLiteStatement
  private let putInput: SQLiteStatement
  private let dropInput: SQLiteStatement
  private let putPart: SQLiteStatement
  private let addCount: SQLiteStatement
  private let putState: SQLiteStatement

  init(_ database: SQLiteDatabase, _ reprocessing: ReprocessingStatements) throws(FileFailure) {
    self.database = database
    self.reprocessing = reprocessing
    func prepare(_ text: String) throws(FileFailure) -> SQLiteStatement { try SQLiteStatement(database, text) }
    func inputs(_ condition: String) -> String {
      "SELECT \(LedgerInput.columns) FROM inputs WHERE \(condition) ORDER BY id DESC LIMIT 1"
    }
    inputByPath = try prepare(inputs("path = ?"))
    inputByFile = try prepare(inputs("inode = ? AND device = ?"))
    inputByDigest = try prepare(inputs("digest = ? AND records = ?"))
    inputBySize = try prepare(inputs("stored_bytes = ?"))
    // Rows from earlier versions have zeros instead of the first record's digest.
    inputsByFirst = try prepare(
      "SELECT \(LedgerInput.columns) FROM inputs WHERE first_digest IN (?, zeroblob(16)) AND compressed = ? AND records > 0"
    )
    completeInputs = try prepare(
      """
      SELECT \(LedgerInput.columns) FROM inputs
      WHERE path > ? AND path < ? AND phase = '\(LedgerInput.Phase.complete.rawValue)' AND id < ? LIMIT ?
      """
    )
    begin = try prepare("BEGIN IMMEDIATE")
    end = try prepare("COMMIT")
    putInput = try prepare(
      """
      INSERT INTO inputs (\(LedgerInput.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET path = excluded.path, device = excluded.device, inode = excluded.inode,
        stored_bytes = excluded.stored_bytes, records = excluded.records, digest = excluded.digest,
        prefix_digest = excluded.prefix_digest, phase = excluded.phase,
        compressed = excluded.compressed, first_digest = excluded.first_digest,
        changed_at = excluded.changed_at, reading = excluded.reading
      """
    )
    dropInput = try prepare("DELETE FROM inputs WHERE id = ?")
    putPart = try prepare(
      """
      INSERT INTO parts (\(LedgerPart.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (table_name, format, number) DO UPDATE SET length = excluded.length, checksum = excluded.checksum,
        rows = excluded.rows, phase = excluded.phase, oldest_received = excluded.oldest_received,
        newest_received = excluded.newest_received, rewritten = excluded.rewritten,
        latest_received = excluded.latest_received
      """
    )
    addCount = try prepare(
      "INSERT INTO counts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value"
    )
    putState = try prepare(
      "UPDATE state SET (\(LedgerState.columns)) = (\(Array(repeating: "?", count: 20).joined(separator: ", ")))"
    )
  }

  /// Writes a commit and the state after it in one transaction. `mark` is given if the commit begins a line, and `clock` if the
  /// clock has moved.
  func write(
    _ commit: LedgerCommit,
    _ state: LedgerState,
    beginning mark: CommitMark?,
    clock: RemovalClock?
  ) throws(FileFailure) {
    try begin.run()
    try mark?.begin(in: database)
    for input in commit.inputs { try put(input) }
    for id in commit.dropped { try dropInput.run(.integer(Int64(id))) }
    for part in commit.parts { try put(part) }
    for removal in commit.removals { try removal.write(to: database, at: state.committedAt) }
    for (counter, value) in commit.increments { try addCount.run(.text(counter.name), .integer(value)) }
    try reprocessing.write(commit.reprocessed, commit: state.commits)
    try commit.settings?.write(to: database, commit: state.commits)
    try putState.run(state.values)
    try clock?.write(to: database)
    try end.run()
  }

  private func put(_ input: LedgerInput) throws(FileFailure) {
    try putInput.run(
      .integer(Int64(input.id)),
      .text(input.path),
      .integer(Int64(bitPattern: input.device)),
      .integer(Int64(bitPattern: input.inode)),
      .integer(input.storedBytes),
      .integer(input.records),
      .wide(input.digest),
      .wide(input.prefixDigest),
      .text(input.phase.rawValue),
      .integer(input.isCompressed ? 1 : 0),
      .wide(input.firstDigest),
      .integer(input.changed),
      .integer(input.reading)
    )
  }

  private func put(_ part: LedgerPart) throws(FileFailure) {
    try putPart.run(
      .text(part.table),
      .text(part.format.rawValue),
      .integer(Int64(part.number)),
      .integer(part.length),
      .integer(Int64(part.checksum)),
      .integer(part.rows),
      .text(part.phase.rawValue),
      .text(part.partition),
      part.received.map { .integer($0.oldest) } ?? .null,
      part.received.map { .integer($0.newest) } ?? .null,
      .integer(part.isRewritten ? 1 : 0),
      part.received?.latest.map { .integer($0) } ?? .null
    )
  }
}
