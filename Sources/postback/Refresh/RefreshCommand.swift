internal import Answers
internal import Base
internal import CampaignEnrichment
internal import DerivedTables
internal import DurableFiles
internal import JSON
internal import PostbackServer
internal import Tables

/// `postback refresh`: brings all that follows from the tables of a run up to date.
struct RefreshCommand: Command {
  struct Options: OptionGroup {
    let configuration = ConfigurationOption()
    let only = Option("--only LIST", "Only these steps, such as settle,daily.")
      .value(ValueKind<[String]>.list(of: DerivedConfiguration.commands))
    let isDry = Option("--dry-run", "Tell which steps have something to do, and why. Nothing changes.").isGiven
    let passed = PassedOptions()
    let printsJSON = Option.json("Print what each step did as a JSON object.")
  }

  /// The options that steps take too.
  struct PassedOptions: OptionGroup {
    private let isReplacing = Option(
      "--replace",
      "Replace tables even if the new ones have fewer than 80 % of their rows, a damaged one was unique,\nor a lookup table, the costs or a model are gone."
    ).isGiven
    private let state = DerivedOptions.stateOption.value(.text)
    private let jobs = Option.jobs("Work on N batches at once; default the number of cores.")
  }

  static let manual = Manual(
    name: "refresh",
    summary: "Bring everything up to date: new inputs, the derived tables, the page, the database and the partners.",
    usage: "[OUT] [--config FILE] [--only LIST] [--dry-run] [--replace] [--json] …",
    discussion: """
      The steps are run, settle, enrich, daily, report, load and deliver, each only if the configuration asks for it:
      inputs, lookups, report, postgres and partners. Without --config, OUT is the --out folder of run or watch, and settle,
      enrich and daily use the options that earlier commands were given.

      settle, enrich and daily make their tables again if rows, settings or files have changed, and commit them together:
      readers see all of the old tables or all of the new ones. A table that would lose more than 20 % of its rows is an
      error, and nothing changes, unless --replace is given; rows that retain or forget have removed are not lost ones. A table
      of which a file is missing or has another length is made again. If it has days or changes that follow from no row any
      more, that is an error (65), and --replace makes it without them. A lookup table or costs that the tables were made with
      and that are missing (66) or have no rows (65) now are errors in the same way, and so is a model that is in no file any
      more (65), unless a later version or another model for its dates is there: then nothing is read either. daily is made again, too, on the day until which it
      left out postbacks whose time of receipt lies ahead. The page is made again with new tables; the database and the
      partners get what is new. The steps after one that fails are left out; when it works again, refresh goes on where it
      stopped.
      Exit status: that of the step that failed; 0; 64 usage.
      """,
    options: Options.options,
    example: "postback refresh --config postback.json"
  )

  private let steps: RefreshSteps
  private let options: Options

  init(_ arguments: Arguments) throws {
    options = try arguments.read()
    steps = try RefreshSteps(arguments, options)
  }

  func run() async throws {
    var results: [RefreshResult] = []
    var failure: (any Error)?
    do {
      if options.isDry { results = try steps.plan() } else { try await steps.run(&results) }
    } catch {
      failure = error
    }
    try Terminal.print(options.printsJSON ? Self.json(results) : Self.text(results))
    if let failure { throw failure }
  }

  private static func json(_ results: [RefreshResult]) -> String {
    JSONValue.object([.init("steps", .array(results.map(\.json)))]).description
  }

  private static func text(_ results: [RefreshResult]) -> String {
    guard !results.isEmpty else { return "Nothing was done." }
    var table = TextTable(["step", "state", "result"])
    for result in results { table.add(result.step, result.state, result.note) }
    return table.text()
  }
}

/// The steps of `postback refresh`, with their arguments.
struct RefreshSteps {
  /// The folder of the tables of the run.
  let output: String
  /// The options that steps take too, each with its value.
  private let passed: [[String]]
  private let configuration: ServerConfiguration?
  private let path: String?
  private let only: Set<String>?

  init(_ arguments: Arguments, _ options: RefreshCommand.Options) throws {
    path = options.configuration.path
    configuration = try path.map { try ConfigurationOption.read($0) }
    guard arguments.operands.count <= 1, let output = arguments.operands.first ?? configuration?.out else {
      throw CommandFailure(.usage, "Give one operand, the --out folder of a run, or a configuration that names it.")
    }
    self.output = output
    guard options.only?.isEmpty != true else {
      throw CommandFailure(.usage, "The value of --only is empty. Name a step, such as settle.")
    }
    only = options.only.map { Set($0) }
    passed = RefreshCommand.PassedOptions.options.map(\.name).flatMap { name in
      arguments.all(name).map { value in value.isEmpty ? [name] : [name, value] }
    }
    try verifyOnly()
    try verifyAddress()
  }

  /// Throws if none of the steps of --only is configured, and says which of them are not.
  private func verifyOnly() throws {
    guard let only else { return }
    let missing = DerivedConfiguration.commands.filter { only.contains($0) && !isConfigured($0) }
    let reasons = missing.map { step in
      guard configuration != nil, let key = DerivedConfiguration.key(of: step) else {
        return "The step \(step) needs a configuration. Give it with --config."
      }
      return "The step \(step) needs the key \(key), which the configuration does not have."
    }
    guard missing.count < only.count else { throw CommandFailure(.usage, reasons.joined(separator: " ")) }
    for reason in reasons { Terminal.note(reason) }
  }

  /// Throws if the configuration has an address of the database that the load would refuse, after all steps before it.
  private func verifyAddress() throws {
    guard has("load"), let path else { return }
    do { _ = try LoadPostgresCommand(try arguments(LoadPostgresCommand.manual)) } catch {
      let failure = CommandFailure(of: error)
      guard failure.status == .usage else { return }
      throw CommandFailure(.configuration, "\(path): load: \(failure.message)")
    }
  }

  /// Indicates that a step is asked for.
  private func has(_ step: String) -> Bool { only?.contains(step) ?? true && isConfigured(step) }

  /// Indicates that the configuration asks for a step; without one, that it makes derived tables.
  private func isConfigured(_ step: String) -> Bool {
    configuration.map { $0.derived.asks(for: step) } ?? DerivedInputs.steps.contains(step)
  }

  /// The arguments of a step: its operand, the options of `refresh` that it has too, and those of the configuration.
  private func arguments(_ manual: Manual, _ further: [String] = []) throws -> Arguments {
    var words = further
    if manual.name != RunCommand.manual.name { words.append(output) }
    for option in passed where manual.option(option[0]) != nil { words += option }
    if let path, manual.option("--config") != nil { words += ["--config", path] }
    let arguments = try Arguments(words[...], for: manual)
    guard let configuration else { return arguments }
    return ConfigurationOption.complete(arguments, of: manual, from: configuration)
  }

  /// The wanted steps that make derived tables.
  private func derived(_ isWanted: (String) -> Bool) throws -> DerivedRefresh {
    var commands: [any DerivedCommand] = []
    if isWanted("settle") { commands.append(try SettleCommand(try arguments(SettleCommand.manual))) }
    if isWanted("enrich") {
      let arguments = try arguments(EnrichCommand.manual)
      // Without a configuration there may be no lookup tables.
      let hasTables = try RememberedOptions.has("--lookups", in: output)
      if configuration != nil || hasTables {
        commands.append(try EnrichCommand(arguments))
      } else if only == ["enrich"] {
        throw CommandFailure(
          .usage,
          "No earlier command was given lookup tables. Use postback enrich, or give --config."
        )
      }
    }
    if isWanted("daily") { commands.append(try DailyCommand(try arguments(DailyCommand.manual))) }
    return DerivedRefresh(commands)
  }

  /// Says which steps have something to do and come before those of --only, which leaves them out.
  private func tellLeftOut() {
    let steps = DerivedConfiguration.commands
    guard let only, let last = steps.lastIndex(where: only.contains) else { return }
    let before = steps[..<last].filter { !only.contains($0) && DerivedInputs.steps.contains($0) }
    let isQuiet = Terminal.isQuiet
    guard !before.isEmpty, !isQuiet else { return }
    Terminal.isQuiet = true
    let plan = try? derived(isConfigured).plan()
    Terminal.isQuiet = isQuiet
    let left = (plan ?? []).filter { $0.isPlanned && before.contains($0.step) }
    guard !left.isEmpty else { return }
    let list = left.map { "\($0.step) (\($0.note))" }.joined(separator: ", ")
    Terminal.note("These steps have something to do too, and --only leaves them out: \(list).")
  }

  /// Says which tables of earlier nights stay as they are, because the configuration no longer asks for their step.
  private func tellStale() throws {
    guard configuration != nil, only == nil, !isConfigured("enrich") else { return }
    let folder = "\(output)/\(Table.enriched.name)"
    guard try DurableFolder(folder).byteCount(of: ".") != nil else { return }
    Terminal.note(
      "\(folder) stays as it is, without what is new: the configuration has no lookups any more. Remove it if nobody reads it."
    )
  }

  /// Returns the steps that have something to do, with the reasons, and those that have not.
  func plan() throws -> [RefreshResult] {
    func planned(_ step: String, _ note: String) -> [RefreshResult] {
      has(step) ? [RefreshResult(step: step, state: "planned", note: note)] : []
    }
    tellLeftOut()
    var results = try derived(has).plan()
    if has("report") {
      let isNew = results.contains { $0.isPlanned && $0.note != DerivedRefresh.lostLink }
      let reason = isNew ? Self.tablesChanged : reasonForPage
      results.append(
        RefreshResult(step: "report", state: reason == nil ? "current" : "planned", note: reason ?? "")
      )
    }
    if has("run") {
      for place in results.indices where !results[place].isPlanned {
        results[place].note = "unless the inputs have new rows"
      }
    }
    return planned("run", "what the inputs have that is new") + results
      + planned("load", "what is new in the tables") + planned("deliver", "what is new in the tables")
  }

  /// Performs the steps, and adds the results of those that were done.
  func run(_ results: inout [RefreshResult]) async throws {
    let commands = try derived(has)
    // A run would decode new postbacks without the models, for good.
    try commands.verifyModels()
    if has("run") {
      results.append(try await perform(try RunCommand(try arguments(RunCommand.manual, ["--json"]))))
    }
    tellLeftOut()
    try tellStale()
    let (derived, signals) = try await commands.run()
    results += derived
    if has("report") {
      if let reason = derived.contains(where: { $0.state == "made" }) ? Self.tablesChanged : reasonForPage {
        var command = try ReportCommand(try arguments(ReportCommand.manual))
        command.signals = signals
        results.append(try await perform(command, reason))
      } else {
        results.append(RefreshResult(step: "report", state: "current"))
      }
    }
    if has("load") {
      results.append(try await perform(try LoadPostgresCommand(try arguments(LoadPostgresCommand.manual, ["--json"]))))
    }
    if has("deliver") {
      results.append(try await perform(try DeliverCommand(try arguments(DeliverCommand.manual, deliveryWords))))
    }
  }

  /// The options of the delivery. After the deadline requests stay pending for the next refresh.
  private var deliveryWords: [String] {
    let end = Timestamp(milliseconds: Timestamp.now.milliseconds + Self.deliveryMinutes * 60_000)
    return ["--once", "--json", "--deadline", end.description]
  }

  private static let deliveryMinutes: Int64 = 15

  private static let tablesChanged = "the tables have changed"

  /// The reason for which the page is made though no table is; nil if it was made after the derived tables.
  private var reasonForPage: String? {
    guard let shown = ReportCommand.modified(configuration?.derived.report ?? "") else { return DerivedInputs.none }
    guard let made = ReportCommand.modified(DerivedManifest.path(in: output)) else {
      return "there are no derived tables, whose time would tell"
    }
    return made <= shown ? nil : Self.tablesChanged
  }

  private func perform(_ command: some Command, _ note: String? = nil) async throws -> RefreshResult {
    let start = ContinuousClock.now
    let text = try await Terminal.capture { try await command.run() }
    let summary = try? JSONValue(parsing: Array(text.utf8))
    let name = type(of: command).manual.name.split(separator: " ").first.map(String.init) ?? ""
    return RefreshResult(
      step: name,
      state: "made",
      note: note ?? RefreshNote.text(of: name, summary),
      summary: summary,
      duration: ContinuousClock.now - start
    )
  }
}
