internal import ConversionModel
internal import JSON

/// `postback model diff`: lists the differences between two versions of a model, such as values with another meaning.
struct ModelDiffCommand: Command {
  static let manual = Manual(
    name: "model diff",
    summary: "Show which values two versions of a model do not agree on.",
    usage: "PATH[#ID@VERSION] PATH[#ID@VERSION] [--app N] [--json]",
    discussion: """
      PATH is a file or a folder; ID@VERSION says which of several models in it is meant. A line for each thing that
      differs, the first model's on the left. What does not change what a value means, such as the spans, is not compared.
      Exit status: 0 they agree, 1 they differ.
      """,
    options: [
      ModelChoice.app, Option("--json", nil, "Print JSON: an array of {\"what\":…,\"left\":…,\"right\":…}."),
    ],
    example: "postback model diff Fixtures/models#revenue@1 Fixtures/models#revenue@2 --app 525463029"
  )

  private let sides: [(path: String, label: String?)]
  private let app: Int64?
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(CommandFailure) {
    guard arguments.operands.count == 2 else { throw CommandFailure(.usage, "give two models to compare") }
    sides = arguments.operands.map { operand in
      let parts = operand.split(separator: "#", omittingEmptySubsequences: false)
      guard parts.count > 1, let label = parts.last else { return (operand, nil) }
      return (parts.dropLast().joined(separator: "#"), String(label))
    }
    printsJSON = arguments.has("--json")
    app = try arguments.value(ModelChoice.app.name, "an App Store id") { Int64($0) }
  }

  func run() async throws(CommandFailure) {
    let (left, right) = (try model(sides[0]), try model(sides[1]))
    let difference = ModelDifference(left, right)
    if printsJSON { try Terminal.print(difference.json.description) }
    guard !difference.lines.isEmpty else {
      guard !printsJSON, !Terminal.isQuiet else { return }
      return try Terminal.print("no value means anything else")
    }
    var table = TextTable(["", left.label.description, right.label.description])
    for line in difference.lines { table.add(line.what, line.left, line.right) }
    if !printsJSON { try Terminal.print(table.text()) }
    throw CommandFailure(.different, "\(left.label) and \(right.label) differ in \(difference.lines.count) places")
  }

  private func model(_ side: (path: String, label: String?)) throws(CommandFailure) -> ConversionModel {
    let models = try Models(checking: [side.path])
    let all = models.appIDs.filter { app == nil || $0 == app }.flatMap { models.models(for: $0) }
    let chosen = all.filter { side.label == nil || $0.label.description == side.label }
    if let only = chosen.first, chosen.count == 1 { return only }
    let known = all.map { "\($0.label) of app \($0.appID)" }.joined(separator: ", ")
    throw CommandFailure(
      .usage,
      "\(side.path): say which model, as \(side.path)#ID@VERSION, and --app where it is of several apps; there are \(known)"
    )
  }
}
