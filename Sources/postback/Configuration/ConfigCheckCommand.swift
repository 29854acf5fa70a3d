internal import JSON

/// `postback config check`: reads a configuration and everything that it names, and says what each part would do.
struct ConfigCheckCommand: Command {
  struct Options: OptionGroup {
    let printsJSON = Option.json("Print JSON (schemas/config_check.schema.json).")
  }

  static let manual = Manual(
    name: "config check",
    summary: "Check a configuration and the files that it names, and say what each command would do with it.",
    usage: "FILE [--json]",
    discussion: """
      FILE is the configuration of --config (docs/configuration.md). The models, the lookup tables, the costs, the rates, the
      partners, the keys and the secrets are read as the commands read them. Nothing is written and no connection is
      made: the address of a database is only parsed. Each problem is printed with its file and its place.
      Exit status: 0; 64 usage, 65 the configuration or a file that it names is wrong, or a model, the rates, the partners or
      a secret is missing, 66 other files are missing, and nothing else is wrong.
      """,
    options: Options.options,
    example: "postback config check postback.json"
  )

  private let file: String
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws {
    file = try arguments.operand(orAdvise: "Give one operand, the file of the configuration.")
    printsJSON = try arguments.read(Options.self).printsJSON
  }

  func run() async throws {
    let check = ConfigurationCheck(file)
    if printsJSON {
      try Terminal.print(check.json.description)
    } else if !check.parts.isEmpty {
      try Terminal.print(check.text)
    }
    guard check.status != .ok else { return }
    let count = check.problems.count
    throw CommandFailure(
      check.status,
      "\(file) has \(count == 1 ? "a problem" : "\(count) problems").",
      details: check.problems
    )
  }
}
