package import DurableFiles

/// A snapshot of the ledger at one moment, which can be read while another process writes the ledger.
package struct LedgerReading: Sendable {
  /// The options that shape the tables, by name.
  package let settings: [String: String]
  /// The parts, sorted by table, format and number.
  package let parts: [LedgerPart]
  /// The counters that are not 0.
  package let counts: [LedgerCounter: Int64]
  /// The number of inputs in each phase, with those whose rows were dropped; a phase without inputs is absent.
  package let inputs: [LedgerInput.Phase: Int64]
  /// The digests of the settings of the last commit; empty before the first commit, or if earlier versions of the
  /// program made all commits.
  package let runSettings: [RunSettings.Name: String]
  /// The single-row state of the ledger.
  package let state: LedgerState
  /// The output that the ledger belongs to; nil if an earlier version of the program left the ledger.
  let output: LedgerOutput?
  /// The tally of the keys in the rows of `skan_postbacks` that were removed, by format; empty unless verified.
  package let removedKeys: [TableFormat: KeyTally]
  /// The removed parts whose files may still exist.
  package let pendingRemovals: [LedgerPart]
  /// The lines of the rows of `skan_rejects` of the ledger's output that were taken up again, by part; empty unless asked for.
  package let reprocessed: [Int: Set<Int>]

  /// The id of the output that the ledger belongs to; nil until the folder of the tables holds the id.
  package var outputID: OutputID? { output.flatMap { $0.isMarked ? $0.id : nil } }
  /// The number of commits.
  package var commits: Int64 { state.commits }
  /// The time of the last commit, in milliseconds since 1970; 0 before the first.
  package var committedAt: Int64 { state.committedAt }
  /// The committed end of `seen.log`.
  package var seen: SeenMark { state.seen }

  /// The number of ids in `seen.log` that are not forgotten.
  package var seenCount: Int64 { seen.entries - state.forgotten.entries }

  fileprivate init(
    _ database: SQLiteDatabase,
    _ folder: DurableFolder,
    isVerified: Bool,
    readsReprocessed: Bool
  ) throws(FileFailure) {
    // This number is read before the ledger: a commit between the two makes the ledger newer, never older.
    let witnessed = try CommitMarker.number(in: folder)
    let version = try LedgerSchema.identify(database)
    if isVerified { try LedgerSchema.verify(database) }
    try database.execute("BEGIN")
    output = version > 1 ? try Ledger.output(in: database) : nil
    runSettings = version > 1 ? try Ledger.settingsInForce(in: database) : [:]
    state = try Ledger.state(in: database)
    settings = try Ledger.settings(in: database)
    parts = try Ledger.parts(in: database)
    removedKeys = isVerified && version > 5 ? try TableRemoval.removedKeys(in: database) : [:]
    pendingRemovals = version > 5 ? try TableRemoval.pending(in: database) : []
    let marked = readsReprocessed && version > 3 ? output.flatMap { $0.isMarked ? $0.id : nil } : nil
    reprocessed = try marked.map { id throws(FileFailure) in try Ledger.reprocessedRows(of: id, in: database) } ?? [:]
    counts = try Ledger.counts(in: database)
    let phases = try SQLiteStatement(database, "SELECT phase, count(*) FROM inputs GROUP BY phase")
      .all { row throws(FileFailure) in
        (try row.word(0, as: LedgerInput.Phase.self), try row.integer(1) as Int64)
      }
    var inputs = Dictionary(uniqueKeysWithValues: phases)
    if state.putAway.inputs > 0 { inputs[.complete, default: 0] += state.putAway.inputs }
    self.inputs = inputs
    try database.execute("COMMIT")
    try CommitMarker.check(witnessed, folder, ledger: state.commits)
    // A verified reading holds the lock, so nobody writes. Otherwise the first commit may have come in between.
    if isVerified, witnessed == nil, state.commits > 0 {
      throw .damaged(
        "\(folder.path)/\(CommitMarker.name)",
        "The file is missing, and the ledger has \(state.commits) commits"
      )
    }
  }
}

extension Ledger {
  /// Tells if a folder has a ledger. One that cannot be looked at counts as there: who reads it is told why.
  package static func isThere(_ folderPath: String) -> Bool {
    do throws(FileFailure) { return try DurableFolder(folderPath).byteCount(of: name) != nil } catch { return true }
  }

  /// Reads the ledger of a folder without its lock, and without making any file.
  ///
  /// If `isVerified` is true, SQLite checks the whole database first; the caller must hold the lock. If `readsReprocessed` is true,
  /// the rows that were taken up again are read, too.
  package static func reading(
    _ folderPath: String,
    isVerified: Bool = false,
    readsReprocessed: Bool = false
  ) throws(FileFailure) -> LedgerReading {
    try reading(folderPath) { database throws(FileFailure) in
      let folder = DurableFolder(folderPath)
      return try LedgerReading(database, folder, isVerified: isVerified, readsReprocessed: readsReprocessed)
    }
  }

  /// Reads from the ledger of a folder without its lock, and without making any file.
  static func reading<Value>(
    _ folderPath: String,
    _ body: (SQLiteDatabase) throws(FileFailure) -> Value
  ) throws(FileFailure) -> Value {
    let folder = DurableFolder(folderPath)
    let path = "\(folderPath)/\(name)"
    guard let byteCount = try folder.byteCount(of: name) else {
      throw .noState(folderPath)
    }
    guard byteCount > 0 else { throw .damaged(path, "The file is empty") }
    do throws(FileFailure) { return try SQLiteDatabase.reading(name, in: folder, body) } catch {
      guard error.kind == .cannotCreate, try folder.byteCount(of: "\(name)-wal") != nil,
        try StateFolder.user(of: folderPath) == nil
      else { throw error }
    }
    // SQLite needs a file beside a write-ahead log, which this process may not make there. It makes it beside a copy.
    let copy = try TemporaryCopy(of: [name, "\(name)-wal"], in: folder)
    defer { withExtendedLifetime(copy) {} }
    return try body(try SQLiteDatabase("\(copy.folder.path)/\(name)", .reading, shownAs: path))
  }
}

extension Ledger {
  static func counts(in database: SQLiteDatabase) throws(FileFailure) -> [LedgerCounter: Int64] {
    let statement = try SQLiteStatement(database, "SELECT name, value FROM counts")
    let counts = try statement.all { row throws(FileFailure) in
      (LedgerCounter(name: row.text(0)), try row.integer(1) as Int64)
    }
    return try unique(counts, in: database)
  }

  static func settings(in database: SQLiteDatabase) throws(FileFailure) -> [String: String] {
    let statement = try SQLiteStatement(database, "SELECT name, value FROM settings")
    return try unique(try statement.all { ($0.text(0), $0.text(1)) }, in: database)
  }

  /// Returns pairs as a dictionary. Throws `.damaged` if a name occurs twice: SQLite checks that keys are unique when
  /// it writes a row, not when it reads a damaged table.
  static func unique<Name: Hashable, Value>(
    _ pairs: [(Name, Value)],
    in database: SQLiteDatabase
  ) throws(FileFailure) -> [Name: Value] {
    let unique = Dictionary(pairs) { first, _ in first }
    guard unique.count == pairs.count else { throw .damaged(database.path, "The ledger holds a name twice") }
    return unique
  }
}
