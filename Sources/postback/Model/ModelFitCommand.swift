internal import Answers
internal import Base
internal import ConversionModel
internal import JSON
internal import ModelFitting

/// `postback model fit`: fits a conversion model to the revenue and events of an app's users.
struct ModelFitCommand: Command {
  struct Options: OptionGroup {
    let app = Option("--app N", "The app's App Store id, which the model is for.").value(.appID)
    let out = Option("-o, --out FILE", "Write the model to this file, which must not exist.").value(.file)
    let page = Option("--page FILE", "Write the numbers and charts as an HTML page to this file.").value(.file)
    let against = Option(
      "--against PATH",
      "Compare with a model: PATH or PATH#ID@VERSION; of several the last one of the app."
    ).value(.text)
    let installs = Option(
      "--installs N",
      "All installs of the time of the events; those without a row count as users without revenue."
    ).value(.integer(in: 1...1_000_000_000))
    let fitted = FittedOptions()
    let assumptions = FitAssumptionOptions()
    let temporary = Option("--temporary DIR", "Sort in this folder; default TMPDIR or /tmp.").value(.text)
    let printsJSON = Option.json("Print the answer as a JSON object, with the model.")
  }

  static let manual = Manual(
    name: "model fit",
    summary: "Fit a conversion model to the revenue of users, and measure its error.",
    usage: "EVENTS… --app N [--against PATH] [--installs N] [--out FILE] [--page FILE] [--json]",
    discussion: """
      EVENTS has sessions and events as validate-implementation reads them: JSON Lines or CSV, compressed or not, a folder of
      them, or an output with s2s_events. Their totals of revenue say what each user paid in each conversion window.

      The model has the 64 fine values of window 0 and the coarse values of each window whose ranges lose least: the squared
      error of the revenue of campaigns is least, or with --objective rank the share of campaigns in the wrong order. The
      answer compares it with as many ranges of equal frequency and on a logarithmic scale, and with --against with a model in
      force, on users of whom nothing was learnt (cross-validation). docs/models.md has the method.

      Without --day-worth no window is locked. Exit status: 0; 64 usage; 65 a model is wrong, or the events allow no fit; 66 a
      file does not exist; 73 a file exists already, or cannot be created; 74 I/O.
      """,
    options: Options.options,
    example: "postback model fit events.jsonl --app 6740000001 --installs 20000 --out fitted.json"
  )

  private let options: Options
  private let paths: [String]
  private let app: Int64

  init(_ arguments: Arguments) throws {
    paths = try arguments.operands(
      orAdvise: "No events are given. Give files with sessions and events, or an output with s2s_events."
    )
    options = try arguments.read()
    guard let app = options.app else {
      throw CommandFailure(.usage, "Give the app's App Store id with --app.")
    }
    self.app = app
  }

  func run() async throws {
    let assumptions = options.assumptions.assumptions()
    let present = try options.against.map(presentModel)
    let event = event(present)
    guard !options.fitted.keptEvents.contains(event) else {
      throw CommandFailure(
        .usage,
        "The event \(event) of --keep-events is the one with the revenue, which all values tell. Leave it out, or name the event "
          + "with the revenue with --event."
      )
    }
    let files = try options.out.map { try OutputFile($0) }
    let page = try options.page.map { try OutputFile($0) }
    let choice = choice(present, seed: assumptions.seed)
    let population = try await EventReader.population(
      of: EventInputs.inputs(at: paths),
      choice,
      temporaryFolder: options.temporary ?? EventInputs.systemTemporaryFolder
    )
    if let present, let currency = present.model.currency, currency != population.currency {
      throw CommandFailure(
        .configuration,
        "The revenue of \(present.model.label) is in \(currency), and that of the events in \(population.currency). Choose a "
          + "model in the same currency."
      )
    }
    if let name = options.fitted.keptEvents.first(where: { !population.has($0) }) {
      throw CommandFailure(
        .configuration,
        "No user of the fit has the event \(name.quotedExcerpt) of --keep-events. Check its name, or leave it out."
      )
    }
    let report = ModelFit(
      population,
      assumptions,
      options.assumptions.objective,
      revenueKind: choice.revenueKind,
      keptEvents: options.fitted.keptEvents,
      present: present
    ).report()
    try finish(report, labels(population, present), files, page)
  }

  private func finish(
    _ report: FitReport,
    _ labels: FittedLabels,
    _ file: OutputFile?,
    _ page: OutputFile?
  ) throws {
    let text = Array(report.text(labels).utf8)
    do { _ = try Models(parsing: text, file: options.out ?? "the fitted model") } catch {
      throw CommandFailure(.software, lines: error)
    }
    if let file {
      try file.write(text)
      try file.publish()
    }
    if let page {
      try page.write(Array(try FitPage(report, labels).html().utf8))
      try page.publish()
    }
    let answer = FitAnswer(report, labels)
    try Terminal.print(options.printsJSON ? answer.json.description : answer.text)
    guard options.out == nil, !options.printsJSON else { return }
    Terminal.note("The model is not written. Give --out FILE to write it.")
  }

  // MARK: - The present model, the rows, and the labels

  private func presentModel(_ text: String) throws -> PresentModel {
    let parts = text.split(separator: "#", omittingEmptySubsequences: false)
    let label = parts.count > 1 ? parts.last.map(String.init) : nil
    let path = label == nil ? text : parts.dropLast().joined(separator: "#")
    let all = try ModelChoice.all(app, label, of: try Models(loading: [path]))
    guard let last = all.last else { throw CommandFailure(.usage, "There is no model of app \(app) in \(path).") }
    return PresentModel(last)
  }

  private func choice(_ present: PresentModel?, seed: UInt64) -> EventChoice {
    var choice = EventChoice()
    choice.bundleID = options.fitted.bundleID ?? present?.model.bundleID
    choice.currency = options.fitted.currency ?? present?.model.currency
    choice.revenueKind = options.fitted.revenueKind ?? present?.model.revenueKind ?? .all
    let kept = options.fitted.keptEvents
    choice.events = kept + (present?.events ?? []).filter { !kept.contains($0) }
    choice.installs = options.installs
    choice.seed = seed
    return choice
  }

  private func labels(_ population: Population, _ present: PresentModel?) -> FittedLabels {
    let label = present?.model.label
    let modelID = options.fitted.modelID ?? label?.modelID ?? "fitted"
    return FittedLabels(
      appID: app,
      bundleID: population.bundleID ?? present?.model.bundleID,
      modelID: modelID,
      version: options.fitted.version ?? (label.map { $0.modelID == modelID ? $0.version + 1 : 1 } ?? 1),
      effectiveFrom: options.fitted.from ?? present.map { start(after: $0.model.span, population) },
      event: event(present)
    )
  }

  /// The event whose revenue the values tell.
  private func event(_ present: PresentModel?) -> String {
    options.fitted.event ?? present?.earningEvent ?? "purchase"
  }

  /// The first install date of a model that follows one with a span: its end, or a day after its start and the last row.
  private func start(after span: EffectiveSpan, _ population: Population) -> Timestamp {
    if let end = span.end { return end }
    let day: Int64 = 86_400_000
    let last = max(population.lastReceived, span.start?.milliseconds ?? 0)
    return Timestamp(milliseconds: (last / day + 1) * day)
  }
}
