internal import Base
internal import ConversionModel
internal import JSON

/// `postback model show`: prints the meaning of each value of a model.
struct ModelShowCommand: Command {
  static let manual = Manual(
    name: "model show",
    summary: "Print the meaning of every conversion value of a model.",
    usage: "PATH… [--app N] [--model ID@VERSION] [--window N] [--json]",
    discussion: """
      All fine values and the coarse values of each window, with the events and the estimated revenue together. With
      --json it is an array of models in the form of a model file, which can be loaded again.
      """,
    options: [
      ModelChoice.app, ModelChoice.model, Option("--window", "N", "Only this window, 0 to 2."),
      Option("--json", nil, "Print JSON."),
    ],
    example: "postback model show Fixtures/models --app 1661087323"
  )

  private let arguments: Arguments
  private let paths: [String]
  private let window: Int?

  init(_ arguments: Arguments) throws(CommandFailure) {
    paths = try ModelChoice.paths(arguments)
    window = try arguments.integer("--window", in: 0...2)
    self.arguments = arguments
  }

  func run() async throws(CommandFailure) {
    let models = try ModelChoice.all(arguments, of: Models(checking: paths))
    func isShown(_ window: ModelWindow) -> Bool { self.window.map { $0 == window.postbackSequenceIndex } ?? true }
    if arguments.has("--json") {
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

  private static func add(_ meaning: Meaning?, _ value: String, _ coarse: String, to table: inout TextTable) {
    guard let meaning else { return }
    table.add(value, coarse, meaning.revenue?.estimate.description ?? "", meaning.text)
  }
}
