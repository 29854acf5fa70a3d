/// What is committed: which inputs, how much of each part, how much of `seen.log`, and the counts. An SQLite database.
///
/// A commit is one transaction, durable when it returns. After one that failed nothing more is done, as it is not known
/// whether it happened: the next start finds out.
package final class Ledger {
  /// The file's name.
  package static let name = "ledger.sqlite"

  /// The folder, locked as long as this lives.
  package let folder: StateFolder
  /// A random number that stays the same, to key digests with.
  package let seed: UInt64
  private(set) var state: LedgerState
  /// The output that the ledger belongs to.
  private(set) var output: LedgerOutput

  let database: SQLiteDatabase
  private let witness: CommitWitness
  private let statements: LedgerStatements
  let feedStatements: FeedStatements
  private var failure: StateFailure?
  /// Rows changed since the write-ahead log was last brought into the database.
  private var changes = 0

  private static let changesBetweenCheckpoints = 10_000

  /// The log is emptied at an end without a crash, and cut when it was longer than a burst of commits makes it.
  private static let pragmas = """
    PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -65536;
    PRAGMA journal_size_limit = 67108864;
    """

  /// Opens the ledger, or makes one where the folder has no state. Settings are what makes a difference to the tables:
  /// they stay as they were when it was made.
  package convenience init(_ folder: StateFolder, settings: [String: String]) throws(StateFailure) {
    try self.init(folder, wanted: settings)
  }

  /// Opens the ledger of a state that is there, whatever its settings.
  package convenience init(existing folder: StateFolder) throws(StateFailure) { try self.init(folder, wanted: nil) }

  private init(_ folder: StateFolder, wanted settings: [String: String]?) throws(StateFailure) {
    self.folder = folder
    let path = "\(folder.path)/\(Self.name)"
    switch try folder.folder.byteCount(of: Self.name) {
    case nil:
      guard let settings else { throw .missing(folder.path) }
      for name in [SeenLog.name, CommitWitness.name, "\(Self.name)-wal"]
      where try folder.folder.byteCount(of: name) != nil {
        throw .damaged(path, "is gone, and \(name) is there")
      }
      try LedgerSchema.create(in: folder.folder, settings)
    case 0: throw .damaged(path, "is empty")
    default: break
    }
    try Self.verify(path)
    database = try SQLiteDatabase(path, .writing)
    try database.execute(Self.pragmas)
    try database.keepLog()
    try LedgerSchema.migrate(database)
    if let settings { try Self.compare(settings, with: try Self.settings(in: database), path) }
    state = try Self.state(in: database)
    output = try Self.output(in: database)
    seed = UInt64(bitPattern: try database.integer("SELECT seed FROM state"))
    witness = try CommitWitness(folder.folder, ledger: state.commits)
    feedStatements = try FeedStatements(database)
    statements = try LedgerStatements(database, feedStatements)
  }

  /// How many commits there were.
  package var commits: Int64 { state.commits }
  /// When the last commit was, in milliseconds since 1970; 0 before the first.
  package var committedAt: Int64 { state.committedAt }
  /// How much of `seen.log` is committed.
  package var seen: SeenMark { state.seen }

  /// The number of the next new input.
  package func nextInputID() throws(StateFailure) -> UInt32 {
    try unlessFailed { () throws(StateFailure) in
      let last = try database.integer("SELECT coalesce(max(id), -1) FROM inputs")
      guard last < Int64(UInt32.max), let next = UInt32(exactly: last + 1) else {
        throw StateFailure(.incompatible, database.path, "has as many inputs as it can hold; begin a new state")
      }
      return next
    }
  }

  /// The newest input that was read at a path.
  package func input(path: String) throws(StateFailure) -> LedgerInput? {
    try input(statements.inputByPath, .text(path))
  }

  /// The newest input that was this file.
  package func input(device: UInt64, inode: UInt64) throws(StateFailure) -> LedgerInput? {
    try input(
      statements.inputByFile,
      .integer(Int64(bitPattern: inode)),
      .integer(Int64(bitPattern: device))
    )
  }

  /// The newest input that has so many records with this digest.
  package func input(digest: UInt128, records: Int64) throws(StateFailure) -> LedgerInput? {
    try input(statements.inputByDigest, .wide(digest), .integer(records))
  }

  /// The newest input that has so many bytes as it is stored.
  package func input(storedBytes: Int64) throws(StateFailure) -> LedgerInput? {
    try input(statements.inputBySize, .integer(storedBytes))
  }

  /// The inputs with that first record, or of which it is not known, that are stored compressed, or that are not.
  package func inputs(firstDigest: UInt128, isCompressed: Bool) throws(StateFailure) -> [LedgerInput] {
    try unlessFailed { () throws(StateFailure) in
      try statements.inputsByFirst.all(.wide(firstDigest), .integer(isCompressed ? 1 : 0)) {
        row throws(StateFailure) in try LedgerInput(row)
      }
    }
  }

  /// Whether an input was stored compressed.
  package func hasCompressedInput() throws(StateFailure) -> Bool {
    try unlessFailed { () throws(StateFailure) in
      try database.integer("SELECT EXISTS (SELECT 1 FROM inputs WHERE compressed = 1)") != 0
    }
  }

  /// All parts, by table, format and number.
  package func parts() throws(StateFailure) -> [LedgerPart] {
    try unlessFailed { () throws(StateFailure) in try Self.parts(in: database) }
  }

  /// The counts, by their names.
  package func counts() throws(StateFailure) -> [String: Int64] {
    try unlessFailed { () throws(StateFailure) in try Self.counts(in: database) }
  }

  /// Notes, durably, that the folder of the tables has the output's id.
  func markOutput() throws(StateFailure) {
    try unlessFailed { () throws(StateFailure) in
      try database.execute("UPDATE state SET output_is_marked = 1")
      output.isMarked = true
    }
  }

  /// Commits: all of it is durable when this returns, or none of it is where it throws.
  ///
  /// What it speaks of must be durable before.
  package func commit(_ commit: LedgerCommit) throws(StateFailure) {
    try transact(commit)
    try witnessCommit()
  }

  /// The transaction of a commit.
  func transact(_ commit: LedgerCommit) throws(StateFailure) {
    try unlessFailed { () throws(StateFailure) in
      let next = state.after(commit)
      try statements.write(commit, next)
      state = next
    }
    changes += 1 + commit.inputs.count + commit.parts.count
  }

  /// What a commit has to do after its transaction.
  func witnessCommit() throws(StateFailure) {
    try unlessFailed { () throws(StateFailure) in
      try witness.record(state.commits)
      guard changes >= Self.changesBetweenCheckpoints else { return }
      try database.checkpoint()
      changes = 0
    }
  }

  private func input(_ statement: SQLiteStatement, _ first: SQLiteValue, _ second: SQLiteValue? = nil)
    throws(StateFailure) -> LedgerInput?
  {
    try unlessFailed { () throws(StateFailure) in
      func read(_ row: SQLiteStatement) throws(StateFailure) -> LedgerInput { try LedgerInput(row) }
      guard let second else { return try statement.first(first, as: read) }
      return try statement.first(first, second, as: read)
    }
  }

  private func unlessFailed<Value>(_ body: () throws(StateFailure) -> Value) throws(StateFailure) -> Value {
    if let failure { throw failure }
    do throws(StateFailure) { return try body() } catch {
      failure = error
      throw error
    }
  }
}

extension Ledger {
  static func state(in database: SQLiteDatabase) throws(StateFailure) -> LedgerState {
    let statement = try SQLiteStatement(database, "SELECT \(LedgerState.columns) FROM state")
    func read(_ row: SQLiteStatement) throws(StateFailure) -> LedgerState { try LedgerState(row) }
    guard let state = try statement.first(as: read) else { throw .damaged(database.path, "has no state in it") }
    return state
  }

  static func parts(in database: SQLiteDatabase) throws(StateFailure) -> [LedgerPart] {
    let order = "table_name, format, number"
    let statement = try SQLiteStatement(database, "SELECT \(LedgerPart.columns) FROM parts ORDER BY \(order)")
    return try statement.all { row throws(StateFailure) in try LedgerPart(row) }
  }

  static func counts(in database: SQLiteDatabase) throws(StateFailure) -> [String: Int64] {
    let statement = try SQLiteStatement(database, "SELECT name, value FROM counts")
    let counts = try statement.all { row throws(StateFailure) in (row.text(0), try row.integer(1) as Int64) }
    return try unique(counts, in: database)
  }

  static func settings(in database: SQLiteDatabase) throws(StateFailure) -> [String: String] {
    let statement = try SQLiteStatement(database, "SELECT name, value FROM settings")
    return try unique(try statement.all { ($0.text(0), $0.text(1)) }, in: database)
  }

  /// SQLite holds a key to be unique when it writes it, not when it reads a damaged table.
  static func unique<Name: Hashable, Value>(
    _ pairs: [(Name, Value)],
    in database: SQLiteDatabase
  ) throws(StateFailure) -> [Name: Value] {
    let unique = Dictionary(pairs) { first, _ in first }
    guard unique.count == pairs.count else { throw .damaged(database.path, "holds a name twice") }
    return unique
  }

  /// Throws unless a file is a ledger in order. One that is not is left as it is.
  private static func verify(_ path: String) throws(StateFailure) {
    let database = try SQLiteDatabase(path, .reading)
    try LedgerSchema.identify(database)
    try LedgerSchema.verify(database)
  }

  private static func compare(
    _ settings: [String: String],
    with kept: [String: String],
    _ path: String
  ) throws(StateFailure) {
    for name in Set(settings.keys).union(kept.keys).sorted() where settings[name] != kept[name] {
      func shown(_ value: String?) -> String { value.map { "“\($0)”" } ?? "not set" }
      throw StateFailure(
        .incompatible,
        path,
        "was made with \(name) \(shown(kept[name])), and this run has \(shown(settings[name])); "
          + "run as before, or give --state and --out other folders"
      )
    }
  }
}
