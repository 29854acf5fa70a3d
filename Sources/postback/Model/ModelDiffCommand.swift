internal import Answers
internal import ConversionModel
internal import JSON

/// `postback model diff`: lists the differences between two versions of a model, such as values with another meaning.
struct ModelDiffCommand: Command {
  struct Options: OptionGroup {
    let app = ModelChoice.app()
    let printsJSON = Option.json("Print JSON: an array of {\"what\":…,\"left\":…,\"right\":…}.")
  }

  static let manual = Manual(
    name: "model diff",
    summary: "Show the values whose meaning differs between two models.",
    usage: "PATH[#ID@VERSION] PATH[#ID@VERSION] [--app N] [--json]",
    discussion: """
      PATH is a file or a folder. ID@VERSION chooses one of several models in it. Each difference is a line, with the
      first model on the left. Only what changes the meaning of a value is compared, so spans are not.
      Exit status: 0 if the models agree, 1 if they differ.
      """,
    options: Options.options,
    example: "postback model diff Fixtures/models#revenue@1 Fixtures/models#revenue@2 --app 525463029"
  )

  private let sides: [(path: String, label: String?)]
  private let options: Options

  init(_ arguments: Arguments) throws {
    guard arguments.operands.count == 2 else { throw CommandFailure(.usage, "Give two models to compare.") }
    sides = arguments.operands.map { operand in
      let parts = operand.split(separator: "#", omittingEmptySubsequences: false)
      guard parts.count > 1, let label = parts.last else { return (operand, nil) }
      return (parts.dropLast().joined(separator: "#"), String(label))
    }
    options = try arguments.read()
  }

  func run() async throws {
    let (left, right) = (try model(sides[0]), try model(sides[1]))
    let difference = ModelDifference(left, right)
    if options.printsJSON { try Terminal.print(difference.json.description) }
    guard !difference.lines.isEmpty else {
      guard !options.printsJSON, !Terminal.isQuiet else { return }
      return try Terminal.print("All values have the same meaning in both models.")
    }
    var table = TextTable(["", left.label.description, right.label.description])
    for line in difference.lines { table.add(line.property, line.left, line.right) }
    if !options.printsJSON { try Terminal.print(table.text()) }
    throw CommandFailure(.different, "\(left.label) and \(right.label) differ in \(difference.lines.count) places.")
  }

  private func model(_ side: (path: String, label: String?)) throws -> ConversionModel {
    let models = try Models(loading: [side.path])
    let all = models.all.filter { options.app == nil || $0.appID == options.app }
    let chosen = all.filter { side.label == nil || $0.label.description == side.label }
    if let only = chosen.first, chosen.count == 1 { return only }
    let known = all.map { "\($0.label) of app \($0.appID)" }.joined(separator: ", ")
    throw CommandFailure(
      .usage,
      "\(side.path): Choose one model with \(side.path)#ID@VERSION, and with --app if several apps have models. "
        + "The models are: \(known)"
    )
  }
}
