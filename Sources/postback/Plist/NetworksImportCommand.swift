internal import Base
internal import InfoPlist

/// `postback networks import`: makes `networks.csv` of published lists of ad networks.
struct NetworksImportCommand: Command {
  struct Options: OptionGroup {
    let output = Option("-o, --out FILE", "Write this file; default standard output.")
      .value(.text, else: OutputFile.standardOutputPath)
    let overwrites = Option("--force", "Overwrite the file of --out.").isGiven
  }

  static let manual = Manual(
    name: "networks import",
    summary: "Make networks.csv, the names of ad networks, of lists that networks publish.",
    usage: "FILE… [--out FILE] [--force]",
    discussion: """
      FILE is a list as companies publish it: JSON of the IAB Tech Lab's form (skadnetworkids.json, such as AppLovin's), a
      property list with SKAdNetworkItems (skadnetworkids.xml, such as ironSource's), or one id on each line. A networks.csv of
      yours may be among them; its rows keep all their columns. Each id comes once, and the first FILE that has it counts. A name that
      it does not have is taken from the others; without any, the id itself is the name.
      Exit status: 0; 64 usage, 65 a file is no list, 66 a file does not exist, 73 the output exists, 74 I/O.
      """,
    options: Options.options,
    example: "postback networks import lookups/networks.csv skadnetworkids.json --out lookups/networks.csv --force"
  )

  private let paths: [String]
  private let options: Options

  init(_ arguments: Arguments) throws {
    paths = try arguments.operands(orAdvise: "No file is given. Give a list of ad networks.")
    options = try arguments.read()
  }

  func run() async throws {
    var table = NetworkTable()
    for path in paths {
      let list = try NetworkList(file: path)
      for problem in list.problems { Terminal.warn("\(path): \(problem) It is left out.".withControlCharactersEscaped) }
      guard !list.entries.isEmpty else {
        throw CommandFailure(.configuration, NetworkList.empty(path))
      }
      table.add(list)
    }
    for (id, taken, other) in table.differences {
      Terminal.warn(
        "\(id) has the names \"\(taken)\" and \"\(other)\". The first is taken.".withControlCharactersEscaped
      )
    }
    let file = try OutputFile(options.output, overwrites: options.overwrites, advice: "Give --force, or another name.")
    try file.write(Array(table.csv.utf8))
    try file.publish()
    Terminal.note("\(table.count) ids of ad networks, \(table.unnamed) of them without a name.")
  }
}
