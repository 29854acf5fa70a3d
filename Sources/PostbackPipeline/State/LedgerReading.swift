/// What the ledger says at one moment, read while another process may write it.
package struct LedgerReading: Sendable {
  /// The settings that the tables are made with.
  package let settings: [String: String]
  /// All parts, by table, format and number.
  package let parts: [LedgerPart]
  /// The counts, by their names.
  package let counts: [String: Int64]
  /// How many inputs there are of each phase.
  package let inputs: [LedgerInput.Phase: Int64]
  /// The settings of the last commit, by their digests; none where no commit of this version of the program was made.
  package let runSettings: [RunSettings.Name: String]
  let state: LedgerState
  /// The output that the ledger belongs to; nil of a ledger that an earlier version of the program has left.
  let output: LedgerOutput?

  /// The id of the output that the ledger belongs to; nil where its folder was not given one yet.
  package var outputID: OutputID? { output.flatMap { $0.isMarked ? $0.id : nil } }
  /// How many commits there were.
  package var commits: Int64 { state.commits }
  /// When the last commit was, in milliseconds since 1970; 0 before the first.
  package var committedAt: Int64 { state.committedAt }
  /// How much of `seen.log` is committed.
  package var seen: SeenMark { state.seen }

  fileprivate init(_ database: SQLiteDatabase, _ folder: DurableFolder, isVerified: Bool) throws(StateFailure) {
    // First this number, then the ledger: a commit in between makes the ledger later, never earlier.
    let witnessed = try CommitWitness.number(in: folder)
    let version = try LedgerSchema.identify(database)
    if isVerified { try LedgerSchema.verify(database) }
    try database.execute("BEGIN")
    output = version > 1 ? try Ledger.output(in: database) : nil
    runSettings = version > 1 ? try Ledger.settingsInForce(in: database) : [:]
    state = try Ledger.state(in: database)
    settings = try Ledger.settings(in: database)
    parts = try Ledger.parts(in: database)
    counts = try Ledger.counts(in: database)
    let phases = try SQLiteStatement(database, "SELECT phase, count(*) FROM inputs GROUP BY phase")
      .all { row throws(StateFailure) in
        (try row.word(0, as: LedgerInput.Phase.self), try row.integer(1) as Int64)
      }
    inputs = Dictionary(uniqueKeysWithValues: phases)
    try database.execute("COMMIT")
    try CommitWitness.check(witnessed, folder, ledger: state.commits)
    // Only then nobody writes: else there may have been the first commit since.
    if isVerified, witnessed == nil, state.commits > 0 {
      throw .damaged("\(folder.path)/\(CommitWitness.name)", "is gone, and the ledger has \(state.commits) commits")
    }
  }
}

extension Ledger {
  /// Whether there is a ledger in a folder.
  package static func isThere(_ folderPath: String) -> Bool {
    (try? DurableFolder(folderPath).byteCount(of: name)) != nil
  }

  /// Reads the ledger of a folder without its lock, and without making any file.
  ///
  /// With `isVerified` SQLite looks through all of it first.
  package static func reading(_ folderPath: String, isVerified: Bool = false) throws(StateFailure) -> LedgerReading {
    try reading(folderPath) { database throws(StateFailure) in
      try LedgerReading(database, DurableFolder(folderPath), isVerified: isVerified)
    }
  }

  /// Reads from the ledger of a folder without its lock, and without making any file.
  static func reading<Value>(
    _ folderPath: String,
    _ body: (SQLiteDatabase) throws(StateFailure) -> Value
  ) throws(StateFailure) -> Value {
    let folder = DurableFolder(folderPath)
    let path = "\(folderPath)/\(name)"
    guard let byteCount = try folder.byteCount(of: name) else {
      throw .missing(folderPath)
    }
    guard byteCount > 0 else { throw .damaged(path, "is empty") }
    func read(_ access: SQLiteDatabase.Access) throws(StateFailure) -> Value {
      try body(try SQLiteDatabase(path, access))
    }
    func hasLog() throws(StateFailure) -> Bool { try folder.byteCount(of: "\(name)-wal") != nil }
    // Without a write-ahead log nothing writes, and SQLite would make one unless it is told so. A writer that begins
    // meanwhile makes one before it touches the database: then what was read, or not, does not count.
    if try !hasLog() {
      let reading = Result { () throws(StateFailure) in try read(.readingAlone) }
      if try !hasLog() { return try reading.get() }
    }
    return try read(.reading)
  }
}
