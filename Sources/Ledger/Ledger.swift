package import DurableFiles
internal import PostbackVerification

/// The SQLite database of everything that is committed: the inputs, the length of each part and of `seen.log`, the
/// counts and the settings.
///
/// A commit is one transaction, durable on return. After a failure every further operation throws the same failure: it
/// is not known if the commit happened, and the next start finds out.
package final class Ledger {
  /// The name of the database file.
  package static let name = "ledger.sqlite"

  /// The folder, locked as long as this object lives.
  package let folder: StateFolder
  /// A random number that is chosen once for a ledger. It is the key of content digests.
  package let seed: UInt64
  /// The secret of the digests by which resends are recognised.
  let resendKey: ResendKey
  private(set) var state: LedgerState
  /// The output that the ledger belongs to.
  package private(set) var output: LedgerOutput

  /// The connection to the database.
  package let database: SQLiteDatabase
  /// The clock relative to which old data is removed, as it is now and as the database holds it.
  package internal(set) var clock: RemovalClock
  var keptClock: RemovalClock
  private let marker: CommitMarker
  private let files: LedgerFiles
  private let statements: LedgerStatements
  let reprocessingStatements: ReprocessingStatements
  private var failure: FileFailure?
  /// The id of the line of commits that this object begins with its first one.
  private let line = UInt64.random(in: .min ... .max)
  private var hasBegunLine = false
  /// The number of pages that were written to the database before its write-ahead log was last begun anew.
  private var pagesBefore = 0

  /// The number of pages in the write-ahead log from which it is copied into the database.
  private let pagesBetweenCheckpoints: Int

  private static let bytesBetweenCheckpoints = 4 << 20

  /// The settings of the connection. SQLite empties the write-ahead log when it closes the database without a crash,
  /// and cuts it to the size limit when it begins the log anew.
  private static let pragmas = """
    PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -65536;
    PRAGMA journal_size_limit = 8388608;
    """

  /// Opens the ledger, or creates one if the folder has no state. `settings` are the options that shape the tables.
  /// Throws `.incompatible` if an existing ledger was created with others.
  package convenience init(_ folder: StateFolder, settings: [String: String]) throws(FileFailure) {
    try self.init(folder, wanted: settings)
  }

  /// Opens the ledger of an existing state with any settings. Throws `.noState` if there is none.
  package convenience init(existing folder: StateFolder) throws(FileFailure) { try self.init(folder, wanted: nil) }

  private init(_ folder: StateFolder, wanted settings: [String: String]?) throws(FileFailure) {
    self.folder = folder
    let path = "\(folder.path)/\(Self.name)"
    switch try folder.folder.byteCount(of: Self.name) {
    case nil:
      guard let settings else { throw .noState(folder.path) }
      for name in [SeenLog.name, CommitMarker.name, "\(Self.name)-wal"]
      where try folder.folder.byteCount(of: name) != nil {
        throw .damaged(path, "The file is missing, and \(name) exists")
      }
      try LedgerSchema.create(in: folder.folder, settings)
    case 0: throw .damaged(path, "The file is empty")
    default: break
    }
    if try !CleanShutdownMarker.isLast(in: folder.folder) { try Self.verify(path) }
    database = try SQLiteDatabase(path, .writing)
    try database.execute(Self.pragmas)
    try database.keepLog()
    pagesBetweenCheckpoints =
      Self.bytesBetweenCheckpoints / Int(clamping: max(1, try database.integer("PRAGMA page_size")))
    try LedgerSchema.migrate(database)
    if let settings { try Self.compare(settings, with: try Self.settings(in: database), path) }
    state = try Self.state(in: database)
    output = try Self.output(in: database)
    clock = try RemovalClock(database)
    keptClock = clock
    seed = UInt64(bitPattern: try database.integer("SELECT seed FROM state"))
    resendKey = try Self.resendKey(in: database)
    marker = try CommitMarker(folder.folder, ledger: state.commits)
    reprocessingStatements = try ReprocessingStatements(database)
    statements = try LedgerStatements(database, reprocessingStatements)
    files = try LedgerFiles(folder.folder)
  }

  // Without the record the next start verifies the database, which does no harm.
  deinit {
    if failure == nil, (try? database.checkpoint()) == true { try? CleanShutdownMarker.record(in: folder.folder) }
  }

  /// The number of commits.
  package var commits: Int64 { state.commits }
  /// The time of the last commit, in milliseconds since 1970; 0 before the first.
  package var committedAt: Int64 { state.committedAt }
  /// The committed end of `seen.log`.
  package var seen: SeenMark { state.seen }
  /// The position in `seen.log` before which all entries are forgotten.
  package var forgotten: SeenMark { state.forgotten }

  /// Throws `.damaged` if the folder or a file of the ledger was removed, moved or replaced since it was opened. What is
  /// committed then is lost.
  package func verifyNames() throws(FileFailure) {
    try files.verifyNames()
    try marker.verifyName()
  }

  /// Returns the number for the next new input. Throws `.incompatible` if no number is left.
  package func nextInputID() throws(FileFailure) -> UInt32 {
    try unlessFailed { () throws(FileFailure) in
      let last = try database.integer("SELECT coalesce(max(id), -1) FROM inputs")
      // Numbers of inputs whose rows were dropped are not given again: entries of `seen.log` refer to them.
      guard last < Int64(UInt32.max), let next = UInt32(exactly: max(last + 1, state.nextInput)) else {
        throw FileFailure(
          .incompatible,
          database.path,
          "The ledger has as many inputs as it can hold",
          advice: "Begin a new state"
        )
      }
      return next
    }
  }

  /// Returns the newest input that was read at a path; nil if there is none.
  package func input(path: String) throws(FileFailure) -> LedgerInput? {
    try input(statements.inputByPath, .text(path))
  }

  /// Returns the newest input that was this file; nil if there is none.
  package func input(device: UInt64, inode: UInt64) throws(FileFailure) -> LedgerInput? {
    try input(
      statements.inputByFile,
      .integer(Int64(bitPattern: inode)),
      .integer(Int64(bitPattern: device))
    )
  }

  /// Returns the newest input that has this number of records in the tables, with this digest; nil if there is none.
  package func input(digest: UInt128, records: Int64) throws(FileFailure) -> LedgerInput? {
    try input(statements.inputByDigest, .wide(digest), .integer(records))
  }

  /// Returns the newest input with this size as stored, in bytes; nil if there is none.
  package func input(storedBytes: Int64) throws(FileFailure) -> LedgerInput? {
    try input(statements.inputBySize, .integer(storedBytes))
  }

  /// Returns the inputs with records in the tables whose first record has this digest or, in ledgers of earlier
  /// versions, is unknown. `isCompressed` selects the inputs that are stored compressed, or those that are not.
  package func inputs(firstDigest: UInt128, isCompressed: Bool) throws(FileFailure) -> [LedgerInput] {
    try unlessFailed { () throws(FileFailure) in
      try statements.inputsByFirst.all(.wide(firstDigest), .integer(isCompressed ? 1 : 0), as: LedgerInput.init)
    }
  }

  /// Returns some complete inputs with numbers below `number` whose paths begin with `prefix`, at most `limit`.
  func completeInputs(withPrefix prefix: String, before number: Int64, _ limit: Int) throws(FileFailure)
    -> [LedgerInput]
  {
    try unlessFailed { () throws(FileFailure) in
      // U+10FFFF is greater than any character in UTF-8, by which SQLite compares texts.
      try statements.completeInputs.all(
        .text(prefix),
        .text("\(prefix)\u{10FFFF}"),
        .integer(number),
        .integer(Int64(limit)),
        as: LedgerInput.init
      )
    }
  }

  /// Returns true if any input was stored compressed.
  package func hasCompressedInput() throws(FileFailure) -> Bool {
    try unlessFailed { () throws(FileFailure) in
      try database.integer("SELECT EXISTS (SELECT 1 FROM inputs WHERE compressed = 1)") != 0
    }
  }

  /// Returns all parts, sorted by table, format and number.
  package func parts() throws(FileFailure) -> [LedgerPart] {
    try unlessFailed { () throws(FileFailure) in try Self.parts(in: database) }
  }

  /// Returns the counters that are not 0.
  package func counts() throws(FileFailure) -> [LedgerCounter: Int64] {
    try unlessFailed { () throws(FileFailure) in try Self.counts(in: database) }
  }

  /// Records, durably, that the folder of the tables holds the id of the output.
  package func markOutput() throws(FileFailure) {
    try unlessFailed { () throws(FileFailure) in
      try database.execute("UPDATE state SET output_is_marked = 1")
      output.isMarked = true
    }
  }

  /// Commits changes in one transaction, which is durable on return.
  ///
  /// All data that the commit refers to must be durable before. If this throws, it is not known if the commit happened.
  package func commit(_ commit: LedgerCommit) throws(FileFailure) {
    try transact(commit)
    try markCommit()
  }

  /// Runs the transaction of a commit, and takes over the state after it.
  func transact(_ commit: LedgerCommit) throws(FileFailure) {
    try unlessFailed { () throws(FileFailure) in
      let next = state.after(commit)
      var clock = clock
      // Steps of the upkeep keep the time of the commit before them.
      if commit.time != state.committedAt { clock.observe(commit.time) }
      let isMoved = clock.differs(from: keptClock)
      let mark = CommitMark(number: next.commits, line: line)
      try statements.write(commit, next, beginning: hasBegunLine ? nil : mark, clock: isMoved ? clock : nil)
      (state, hasBegunLine) = (next, true)
      self.clock = clock
      if isMoved { keptClock = clock }
    }
  }

  /// Does the rest of a commit after its transaction: records its number in the file `commit`, and copies the write-ahead
  /// log into the database if it is long. While another process reads, that may be possible only in part; then each
  /// further commit tries again.
  func markCommit() throws(FileFailure) {
    try unlessFailed { () throws(FileFailure) in
      try marker.record(state.commits)
      let pages = try database.writtenPages()
      guard pages - pagesBefore >= pagesBetweenCheckpoints else { return }
      if try database.checkpoint() { pagesBefore = pages }
    }
  }

  private func input(_ statement: SQLiteStatement, _ values: SQLiteValue...) throws(FileFailure) -> LedgerInput? {
    try unlessFailed { () throws(FileFailure) in try statement.first(values, as: LedgerInput.init) }
  }

  private func unlessFailed<Value>(_ body: () throws(FileFailure) -> Value) throws(FileFailure) -> Value {
    if let failure { throw failure }
    do throws(FileFailure) { return try body() } catch {
      failure = error
      throw error
    }
  }
}

extension Ledger {
  static func state(in database: SQLiteDatabase) throws(FileFailure) -> LedgerState {
    let columns = LedgerState.columns(ofVersion: try LedgerSchema.identify(database))
    let statement = try SQLiteStatement(database, "SELECT \(columns) FROM state")
    guard let state = try statement.first(as: LedgerState.init) else {
      throw .damaged(database.path, "The ledger holds no state")
    }
    return state
  }

  /// Throws unless a file is an intact ledger. Does not change the file.
  private static func verify(_ path: String) throws(FileFailure) {
    let database = try SQLiteDatabase(path, .reading)
    try LedgerSchema.identify(database)
    try LedgerSchema.verify(database)
  }

  private static func compare(
    _ settings: [String: String],
    with kept: [String: String],
    _ path: String
  ) throws(FileFailure) {
    for name in Set(settings.keys).union(kept.keys).sorted() where settings[name] != kept[name] {
      func shown(_ value: String?) -> String { value.map { "“\($0)”" } ?? "not set" }
      throw FileFailure(
        .incompatible,
        path,
        "\(name) is \(shown(kept[name])) in the state, and \(shown(settings[name])) in this run",
        advice: "Run as before, or give --state and --out other directories"
      )
    }
  }
}
