internal import Base
internal import DerivedTables
internal import DurableFiles
internal import JSON
internal import PostbackPipeline
internal import PostbackServer

/// `postback refresh`: brings all that follows from the tables of a run up to date.
struct RefreshCommand: Command {
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
      error, and nothing changes, unless rows were removed by retain or forget, or --replace is given. The page is made again
      with new tables; the database and the partners get what is new. The steps after one that fails are left out; when it
      works again, refresh goes on where it stopped.
      Exit status: that of the step that failed; 0; 64 usage.
      """,
    options: [
      ConfigurationOption.option,
      Option("--only", "LIST", "Only these steps, such as settle,daily."),
      Option("--dry-run", nil, "Tell which steps have something to do, and why. Nothing changes."),
      Option("--replace", nil, "Replace tables even if the new ones have fewer than 80 % of their rows."),
      DerivedOptions.state,
      Option("--jobs", "N", "Work on N batches at once; default the number of cores."),
      Option("--json", nil, "Print what each step did as a JSON object."),
    ],
    example: "postback refresh --config postback.json"
  )

  private let steps: RefreshSteps
  private let isDry: Bool
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(CommandFailure) {
    steps = try RefreshSteps(arguments)
    (isDry, printsJSON) = (arguments.has("--dry-run"), arguments.has("--json"))
  }

  func run() async throws(CommandFailure) {
    var results: [RefreshResult] = []
    var failure: CommandFailure?
    do throws(CommandFailure) {
      if isDry { results = try steps.plan() } else { try await steps.run(&results) }
    } catch {
      failure = error
    }
    try Terminal.print(printsJSON ? Self.json(results) : Self.text(results))
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

  init(_ arguments: Arguments) throws(CommandFailure) {
    path = arguments.value(ConfigurationOption.option.name)
    configuration = try path.map { path throws(CommandFailure) in try ConfigurationOption.read(path) }
    guard arguments.operands.count <= 1, let output = arguments.operands.first ?? configuration?.out else {
      throw CommandFailure(.usage, "Give one operand, the --out folder of a run, or a configuration that names it.")
    }
    self.output = output
    let names = DerivedConfiguration.commands
    only = try arguments.value("--only", "a list of \(names.joined(separator: ", "))") { text in
      let list = text.split(separator: ",").map(String.init)
      return !list.isEmpty && list.allSatisfy(names.contains) ? Set(list) : nil
    }
    passed = ["--replace", "--jobs", "--state"].flatMap { name in
      arguments.all(name).map { value in value.isEmpty ? [name] : [name, value] }
    }
  }

  /// Indicates that a step is asked for.
  private func has(_ step: String) -> Bool {
    if let only, !only.contains(step) { return false }
    if let configuration { return configuration.derived.asks(for: step) }
    return ["settle", "enrich", "daily"].contains(step)
  }

  /// The arguments of a step: its operand, the options of `refresh` that it has too, and those of the configuration.
  private func arguments(_ manual: Manual, _ further: [String] = []) throws(CommandFailure) -> Arguments {
    var words = further
    if manual.name != RunCommand.manual.name { words.append(output) }
    for option in passed where manual.option(option[0]) != nil { words += option }
    if let path, manual.option(ConfigurationOption.option.name) != nil { words += ["--config", path] }
    let arguments = try Arguments(words[...], for: manual)
    guard let configuration else { return arguments }
    return ConfigurationOption.complete(arguments, of: manual, from: configuration)
  }

  /// The steps that make derived tables.
  func derived() throws(CommandFailure) -> DerivedRefresh {
    var commands: [any DerivedCommand] = []
    if has("settle") { commands.append(try SettleCommand(try arguments(SettleCommand.manual))) }
    if has("enrich") {
      let arguments = try arguments(EnrichCommand.manual)
      // Without a configuration there may be no lookup tables.
      let hasTables = try RememberedOptions.has("--lookups", in: output)
      if configuration != nil || hasTables {
        commands.append(try EnrichCommand(arguments))
      }
    }
    if has("daily") { commands.append(try DailyCommand(try arguments(DailyCommand.manual))) }
    return DerivedRefresh(commands: commands)
  }

  /// Returns the steps that have something to do, with the reasons, and those that have not.
  func plan() throws(CommandFailure) -> [RefreshResult] {
    func planned(_ step: String, _ note: String) -> [RefreshResult] {
      has(step) ? [RefreshResult(step: step, state: "planned", note: note)] : []
    }
    var derived = try derived().plan()
    if has("run") {
      for place in derived.indices where derived[place].state == "current" {
        derived[place].note = "unless the inputs have new rows"
      }
    }
    let isChanged = derived.contains { $0.state == "planned" }
    return planned("run", "what the inputs have that is new") + derived
      + (isChanged || !isPageCurrent ? planned("report", isChanged ? "the tables have changed" : "new") : [])
      + planned("load", "what is new in the tables") + planned("deliver", "what is new in the tables")
  }

  /// Performs the steps, and adds the results of those that were done.
  func run(_ results: inout [RefreshResult]) async throws(CommandFailure) {
    if has("run") {
      results.append(try await perform(try RunCommand(try arguments(RunCommand.manual, ["--json"]))))
    }
    let (derived, signals) = try await derived().run()
    results += derived
    if has("report") {
      if derived.contains(where: { $0.state == "made" }) || !isPageCurrent {
        var command = try ReportCommand(try arguments(ReportCommand.manual))
        command.signals = signals
        results.append(try await perform(command))
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

  /// Indicates that the page was made after the derived tables.
  private var isPageCurrent: Bool {
    guard let page = configuration?.derived.report else { return false }
    let times = [DerivedManifest.path(in: output), page].map { (try? InputFile.enumerate([$0]))?.first?.modified }
    guard let made = times[0], let shown = times[1] else { return false }
    return made <= shown
  }

  private func perform(_ command: some Command) async throws(CommandFailure) -> RefreshResult {
    let start = ContinuousClock.now
    let text = try await Terminal.capture { () throws(CommandFailure) in try await command.run() }
    let summary = try? JSONValue(parsing: Array(text.utf8))
    let name = type(of: command).manual.name.split(separator: " ").first.map(String.init) ?? ""
    return RefreshResult(
      step: name,
      state: "made",
      note: RefreshNote.text(of: name, summary),
      summary: summary,
      duration: ContinuousClock.now - start
    )
  }
}
