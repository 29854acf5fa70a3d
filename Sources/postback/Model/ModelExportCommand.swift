internal import ConversionModel
internal import JSON
internal import ModelExchange

/// `postback model export`: writes a model in the form of another system.
struct ModelExportCommand: Command {
  /// A form of schemas that can be written.
  enum Form: String, CaseIterable {
    case googleAds = "google-ads"
  }

  struct Options: OptionGroup {
    let form = Option("--as NAME", "The form: google-ads.").value(ExchangeForm.kind(Form.self))
    let app = ModelChoice.app()
    let label = ModelChoice.label()
    let installDate = ModelChoice.installedAt()
    let eventNames = Option(
      "--event-name NAME=THEIRS",
      "The other system's name of an event; the model's unless given. Repeatable."
    ).values("NAME=THEIRS") { eventName($0) }
    let resourceName = Option("--resource-name NAME", "The name of the resource: customers/…/…/….").value(.text)
    let output = Option("-o, --out FILE", "Write this file; default standard output.")
      .value(.text, else: OutputFile.standardOutputPath)
    let overwrites = Option("--force", "Overwrite the file of --out.").isGiven
    let printsJSON = Option.json("Print JSON: {\"model\":…,\"form\":…,\"schema\":{…},\"lost\":[…],\"assumed\":[…]}.")

    private static func eventName(_ text: String) -> (name: String, theirs: String)? {
      guard let sign = text.lastIndex(of: "="), sign > text.startIndex else { return nil }
      let theirs = String(text[text.index(after: sign)...])
      return theirs.isEmpty ? nil : (String(text[..<sign]), theirs)
    }
  }

  static let manual = Manual(
    name: "model export",
    summary: "Write a conversion model in the form of Google Ads.",
    usage: """
      --as google-ads PATH… [--app N] [--model ID@VERSION | --installed-at TIME]
                [--event-name NAME=THEIRS]… [--resource-name NAME] [--out FILE] [--json]
      """,
    discussion: """
      PATH is a file with models, or a folder. The output is the resource CustomerSkAdNetworkConversionValueSchema of the Google
      Ads API, which its service takes as the update of an operation. What the form cannot say is listed as lost; a model whose
      schema would be wrong is refused. docs/models.md has the forms.
      Exit status: 0; 64 usage, 65 a model is wrong or has no such form, 73 the output exists, 74 I/O.
      """,
    options: Options.options,
    example: "postback model export --as google-ads Fixtures/models --app 6740000001 --model ladder@1"
  )

  private let paths: [String]
  private let options: Options

  init(_ arguments: Arguments) throws {
    paths = try ModelChoice.paths(arguments)
    options = try arguments.read()
    guard options.form != nil else {
      throw CommandFailure(.usage, "The form is missing. Give --as google-ads.")
    }
  }

  func run() async throws {
    let models = try Models(loading: paths)
    let model = try ModelChoice.one(of: models, options.app, options.label, at: options.installDate)
    let eventNames = try eventNames(of: model)
    let export: GoogleAdsExport
    do throws(GoogleAdsExport.Refusal) {
      export = try GoogleAdsExport(model, eventNames: eventNames, resourceName: options.resourceName)
    } catch {
      throw CommandFailure(.configuration, "\(model.label) of app \(model.appID): \(error)")
    }
    let file = try OutputFile(options.output, overwrites: options.overwrites, advice: "Give --force, or another name.")
    if options.printsJSON {
      let answer = JSONValue.object(
        [
          .init("model", .string("\(model.label)")), .init("form", .string(Form.googleAds.rawValue)),
          .init("api_version", .string(GoogleAdsExport.apiVersion)), .init("schema", export.resource),
        ] + export.notes.members
      )
      if case .file = file { try file.write(Array((export.resource.indented + "\n").utf8)) }
      try file.publish()
      return try Terminal.print(answer.description)
    }
    try file.write(Array((export.resource.indented + "\n").utf8))
    try file.publish()
    export.notes.report()
  }

  /// The names that `--event-name` gives; throws where the model does not have the event.
  private func eventNames(of model: ConversionModel) throws -> [String: String] {
    var known: Set<String> = []
    for window in model.windows {
      for value in window.fineValues { known.formUnion(window.meaning(fine: value)?.events.map(\.name) ?? []) }
      for value in CoarseValue.allCases { known.formUnion(window.meaning(coarse: value)?.events.map(\.name) ?? []) }
      if case .event(let name) = window.lockRule { known.insert(name) }
    }
    for (name, _) in options.eventNames where !known.contains(name) {
      let names = known.sorted().joined(separator: ", ")
      throw CommandFailure(.usage, "The model \(model.label) has no event \(name). Its events are \(names).")
    }
    return Dictionary(options.eventNames.map { ($0.name, $0.theirs) }) { _, last in last }
  }
}
