internal import Answers
internal import InputForms

/// `postback inputs`: lists the mappings of inputs of other forms.
struct InputsCommand: Command {
  static let manual = Manual(
    name: "inputs",
    summary: "List the forms of inputs that run reads with --mapping, or print one of them as a mapping file.",
    usage: "[NAME]",
    discussion: """
      Each has its name, what it reads, and the source of its form. With NAME it is printed as JSON: a file to begin with
      for a form of your own. postback import FILE --dry-run says which one fits.
      """,
    options: [],
    example: "postback inputs branch"
  )

  private let mappings: [Mapping]
  private let isOne: Bool

  init(_ arguments: Arguments) throws {
    guard arguments.operands.count < 2 else { throw CommandFailure(.usage, "Give the name of one mapping.") }
    guard let name = arguments.operands.first else {
      (mappings, isOne) = (Mapping.builtIn, false)
      return
    }
    (mappings, isOne) = (Mapping.builtIn.filter { $0.name == name }, true)
    guard !mappings.isEmpty else {
      throw CommandFailure(.usage, "There is no mapping \(name). postback inputs lists them.")
    }
  }

  func run() async throws {
    if isOne, let mapping = mappings.first { return try Terminal.print(mapping.text) }
    var table = TextTable(["name", "reads", "source"])
    for mapping in mappings { table.add(mapping.name, mapping.title, mapping.documentation ?? "") }
    try Terminal.print(table.text())
  }
}
