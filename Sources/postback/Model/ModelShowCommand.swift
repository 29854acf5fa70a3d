internal import Answers
internal import Base
internal import ConversionModel
internal import JSON

/// `postback model show`: prints the meaning of each value of a model.
struct ModelShowCommand: Command {
  struct Options: OptionGroup {
    let app = ModelChoice.app()
    let label = ModelChoice.label()
    let window = ModelChoice.window("Only this window, 0 to 2.")
    let printsJSON = Option.json()
  }

  static let manual = Manual(
    name: "model show",
    summary: "Print the meaning of every conversion value of a model.",
    usage: "PATH… [--app N] [--model ID@VERSION] [--window N] [--json]",
    discussion: """
      All fine values and the coarse values of each window, with the events and the estimated revenue together. With
      --json it is an array of models in the form of a model file, which can be loaded again.
      """,
    options: Options.options,
    example: "postback model show Fixtures/models --app 1661087323"
  )

  private let options: Options
  private let paths: [String]

  init(_ arguments: Arguments) throws {
    paths = try ModelChoice.paths(arguments)
    options = try arguments.read()
  }

  func run() async throws {
    let models = try ModelChoice.all(options.app, options.label, of: Models(loading: paths))
    func isShown(_ window: ModelWindow) -> Bool { options.window.map { $0 == window.postbackSequenceIndex } ?? true }
    if options.printsJSON {
      return try Terminal.print(JSONValue.array(models.map { $0.json(isShown) }).description)
    }
    try Terminal.print(models.map { Self.text($0, isShown) }.joined(separator: "\n\n"))
  }

  private static func text(_ model: ConversionModel, _ isShown: (ModelWindow) -> Bool) -> String {
    let revenue = model.currency.map { ", \(model.revenueKind.rawValue) revenue in \($0)" } ?? ", no revenue"
    let reengagement = model.takesPartInReengagement ? "" : ", no re-engagement"
    let title = "\(model.label) of app \(model.appID), installs \(model.span)\(revenue)\(reengagement)"
    return ([title] + model.windows.filter(isShown).map(text)).joined(separator: "\n")
  }

  private static func text(_ window: ModelWindow) -> String {
    var table = TextTable(["value", "coarse", "estimate", "means"], numbersIn: [0])
    for value in window.fineValues {
      let coarse = window.coarseStarts.map { $0.coarse(of: value).rawValue } ?? ""
      add(window.meaning(fine: value), "\(value)", coarse, to: &table)
    }
    for value in CoarseValue.allCases { add(window.meaning(coarse: value), "", value.rawValue, to: &table) }
    let isCumulative = window.isCumulative ? ", cumulative" : ""
    return "\(window.title), \(window.lockRule.text)\(isCumulative)".withControlCharactersEscaped + "\n"
      + table.text(indent: 2)
  }

  private static func add(_ meaning: DecodedMeaning?, _ value: String, _ coarse: String, to table: inout TextTable) {
    guard let meaning else { return }
    table.add(value, coarse, meaning.revenue?.estimate.description ?? "", meaning.text)
  }
}
