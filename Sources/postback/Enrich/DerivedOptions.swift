internal import PostbackServer
internal import Reporting
internal import DerivedTables
internal import DurableFiles
internal import Ledger
internal import LookupTables
internal import TableReading
internal import Tables

/// The options of the commands that write tables derived from those of a run.
struct DerivedOptions {
  /// The options that say which tables are written, and how.
  struct Target: OptionGroup {
    let folder = Option("-o, --out DIR", "Write the derived tables into this folder, by default OUT.").value(.folder)
    let state = DerivedOptions.stateOption.value(.text)
    let formats = Option(
      "--format FORMAT",
      "jsonl (default), or both, which adds CSV; csv is the same. settle, enrich and daily keep to the one given last."
    )
    .configured { $0.derived.formats.map { $0.count > 1 ? "both" : $0.joined() } }.value(.formatsWithJSONLines)
    let isCSVSafe = Option.csvSafe.configured { $0.derived.isCSVSafe }.isGiven
    let wantsJSON = Option.json("Print the summary as a JSON object.")
    let configuration = ConfigurationOption()

    var encoding: TableEncoding { TableEncoding(formats ?? [.jsonLines], isCSVSafe: isCSVSafe) }
  }

  /// The options that say what happens to earlier tables, and to the options of earlier commands.
  struct Earlier: OptionGroup {
    let isReplacing = Option(
      "--replace",
      "Replace the table that is there even if the new one has fewer than 80 % of its rows, a damaged one was unique,\nor a lookup table, the costs or a model are gone."
    ).isGiven
    let forgetsOthers = Option(
      "--reset",
      "Use only the options that are given, and forget those of earlier commands on the derived tables."
    ).isGiven
  }

  /// All options.
  struct Options: OptionGroup {
    let target = Target()
    let earlier = Earlier()
    let jobs = Option.jobs()
  }

  static let stateOption = Option("--state DIR", "The state of OUT, if it is not in OUT/_state.")
    .configured { $0.state }

  /// The output of the run.
  let output: String
  /// The folder for the derived tables.
  let target: String
  /// The folder of the state of the run.
  let state: String
  /// Indicates that an option names the state.
  let namesState: Bool
  let encoding: TableEncoding
  let wantsJSON: Bool
  let jobs: Int
  let isReplacing: Bool
  /// The options that shape the tables, as text.
  let text: String
  /// The options that later commands use if they are not given.
  let remembered: [String: [String]]
  /// The options of earlier commands as they were when this one has read them; nil if they do not matter or cannot be read.
  let before: [String: [String]]?
  /// Indicates that the options of earlier commands are forgotten.
  let forgetsOthers: Bool

  /// Reads the options. `arguments` are those that `RememberedOptions` has completed.
  init(_ arguments: Arguments) throws {
    let options: Options = try arguments.read()
    (output, target) = try Self.folders(arguments)
    state = options.target.state ?? StateFolder.path(in: output)
    namesState = options.target.state != nil
    try TablesOptions.verifyPlace(target)
    (isReplacing, forgetsOthers) = (options.earlier.isReplacing, options.earlier.forgetsOthers)
    encoding = options.target.encoding
    wantsJSON = options.target.wantsJSON
    jobs = options.jobs
    text = arguments.text(without: Self.unrelated)
    remembered = RememberedOptions.values(arguments)
    before = forgetsOthers ? nil : try? DerivedSnapshot(of: target).manifest.options
  }

  /// The options that do not shape the tables, and those whose files shape them, not their paths.
  private static let unrelated: Set<String> = [
    "--json", "--jobs", "--quiet", "--replace", "--reset", "--config", "--state", "--out", "--lookups", "--models",
    "--cost",
    "--rates",
  ]

  /// Finds the tables of the run.
  func tables(_ progress: AnalysisProgress.Handler? = nil) throws(FileFailure) -> RunTables {
    if namesState, !Ledger.isThere(state) {
      throw FileFailure(.notFound, state, "There is no state in this directory", advice: "Correct --state")
    }
    return try RunTables(at: [output], states: namesState ? [state] : [], progress: progress)
  }

  /// Returns the output of the run, and the folder for the derived tables.
  static func folders(_ arguments: Arguments) throws -> (output: String, target: String) {
    guard let output = arguments.operands.first, arguments.operands.count == 1 else {
      throw CommandFailure(.usage, "Give one output: the --out folder of a run.")
    }
    return (output, try arguments.read(Target.self).folder ?? output)
  }
}

/// A generation of derived tables that a command writes, with the tables of the run from which it makes them.
final class DerivedWork {
  /// The generation that is written.
  let generation: DerivedGeneration
  /// The tables of the run at one commit.
  let tables: RunTables
  /// The digest of the tables of the run.
  let rows: String
  /// The results of earlier generations for parts of the tables of the run.
  let cache: PartCache
  /// The rule by which tables may replace those that are there.
  let replacement: TableReplacement
  /// The positions behind the complete parts before the tables of the run were read; none if these have no state.
  let positions: [TableCursor]
  /// The number of removals from the tables of the run then; nil if they have no state.
  private let removals: Int64?
  /// The derived tables of the output where those of another folder are written.
  private let snapshot: DerivedSnapshot?
  private let options: DerivedOptions

  /// Returns the folder from which a table of an earlier command is read: that of the tables which are written, or else of the
  /// output. Where both are possible, a note says which it is.
  func source(of table: Table) throws(FileFailure) -> String {
    guard let snapshot else { return generation.folder }
    let isOwn = try DurableFolder("\(generation.folder)/\(table.name)").byteCount(of: ".") != nil
    if isOwn {
      Terminal.note("\(table.name) is that of \(options.target).")
    } else if try DurableFolder("\(snapshot.folder)/\(table.name)").byteCount(of: ".") != nil {
      Terminal.note("\(table.name) is that of \(options.output), because \(options.target) has none.")
    }
    if !isOwn { try snapshot.verify(table) }
    return isOwn ? generation.folder : snapshot.folder
  }

  /// Begins a generation for some commands. The state of the run knows what was removed from its tables.
  init(
    _ options: DerivedOptions,
    for commands: [any DerivedCommand.Type],
    progress: AnalysisProgress.Handler?
  ) throws {
    self.options = options
    guard try options.tables().areOfWholeRuns else {
      throw CommandFailure(.usage, "All tables of a run are needed. Give its --out folder.")
    }
    if options.target != options.output { _ = try DurableFolder(making: options.target) }
    generation = try DerivedGeneration(in: options.target, repairing: true)
    guard options.before == nil || options.before == generation.manifest.options else {
      throw FileFailure(
        .locked,
        options.target,
        "Another command has given the derived tables other options since this one has read them",
        advice: "Give the command again"
      )
    }
    try DerivedRepair(options).removeDamaged(from: generation, before: commands)
    // Read behind the lock, so that no older rows take the place of newer ones. What is noted before is never later than the rows.
    let hasState = Ledger.isThere(options.state)
    removals = hasState ? try Ledger.removals(options.state) : nil
    positions =
      hasState ? try TableCursor.ends(of: Table.all, in: options.output, state: options.state) : []
    tables = try Self.tables(options, progress, removals)
    tables.warnOfMissingParts()
    rows = try tables.digest()
    cache = try generation.cache(program: Main.version)
    snapshot = options.target == options.output ? nil : try DerivedSnapshot(of: options.output)
    var replacement = TableReplacement(isForced: options.isReplacing, place: options.target)
    if hasState {
      replacement.removedRows = try Ledger.removedRows(options.state, of: Table.postbacks.name)
    }
    self.replacement = replacement
  }

  /// Finds the tables of the run. If rows are removed from these meanwhile, throws `.locked` and not what a rewritten part looks like.
  private static func tables(
    _ options: DerivedOptions,
    _ progress: AnalysisProgress.Handler?,
    _ removals: Int64?
  ) throws -> RunTables {
    do { return try options.tables(progress) } catch {
      try verifyNothingRemoved(since: removals, options)
      throw error
    }
  }

  /// Returns what a closure makes of the tables of the run. If it fails, and rows were removed from these meanwhile, throws
  /// `.locked`: files may be gone because of that.
  func reading<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch {
      try Self.verifyNothingRemoved(since: removals, options)
      throw error
    }
  }

  /// Commits the generation, and removes results for parts that the commands did not use. Throws `.locked` if rows were removed from
  /// the tables of the run meanwhile: some may have been read after that, and the results of their days would be too low for good.
  func commit(_ commands: [any DerivedCommand.Type]) throws {
    try Self.verifyNothingRemoved(since: removals, options)
    try generation.commit()
    try cache.removeOthers(of: [.keys, .copied, .copies, .matching] + commands.flatMap { $0.kinds })
  }

  private static func verifyNothingRemoved(since removals: Int64?, _ options: DerivedOptions) throws {
    guard try removals == nil || Ledger.removals(options.state) == removals else {
      throw FileFailure(
        .locked,
        options.output,
        "Rows were removed from the tables while they were read",
        advice: "Give the command again"
      )
    }
  }
}

/// The answer of a command that writes derived tables.
struct DerivedAnswer {
  /// The summary as text.
  let text: String
  /// The summary as a JSON object.
  let json: String
  /// The number of rows of the table.
  let rows: Int
  /// The lines of tables that are not rows.
  let unreadable: UnreadableRows
  /// Sentences that need attention.
  var warnings: [String] = []
  /// The day from which the tables have more rows than now, in days since 1970-01-01; nil if there is none.
  var dueDay: Int64?
  /// The tests of signals, if the command has made them.
  var signals: KnownSignals?
  /// The work that is left once the tables are committed.
  var committed: () -> Void = {}
}

/// A command that writes derived tables, alone or as a step of `postback refresh`.
protocol DerivedCommand: Command {
  /// The options of all such commands.
  var derived: DerivedOptions { get }

  /// The files that the command has read, and reads no second time.
  var files: LoadedFiles { get set }

  /// The kinds of results for parts that the command calculates.
  static var kinds: [PartCache.Kind] { get }

  /// Returns the digest of the files and the settings, besides the tables of the run and of earlier steps, from which the
  /// tables are made.
  func settingsDigest() throws -> String

  /// Returns the lookup tables and the costs that the options name.
  func lookedUpFiles() throws -> [LookedUpFile]

  /// Writes the tables.
  func write(in work: DerivedWork, _ progress: ProgressLine) async throws -> DerivedAnswer
}

extension DerivedCommand {
  func run() async throws {
    HeapSettings.giveFreeMemoryBack()
    let progress = ProgressLine()
    let answer: DerivedAnswer
    do {
      defer { progress.clear() }
      let work = try DerivedWork(derived, for: [Self.self], progress: progress.handler)
      try verifyFiles(in: work)
      answer = try await work.reading { try await make(in: work, progress) }
      try work.commit([Self.self])
    }
    answer.committed()
    for warning in answer.warnings { Terminal.warn(warning) }
    try Terminal.print(derived.wantsJSON ? answer.json : answer.text)
    try answer.unreadable.throwIfAny()
  }
}
