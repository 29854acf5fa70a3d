internal import Base
internal import DurableFiles
internal import Glibc

/// `postback init`: writes a configuration that works, with a model and lookup tables as examples.
struct InitCommand: Command {
  static let manual = Manual(
    name: "init",
    summary: "Write a configuration that works, with an example model and lookup tables, into a folder.",
    usage: "DIR",
    discussion: """
      DIR is created if it is missing. It gets postback.json, models/example.json, lookups/networks.csv, lookups/apps.csv and
      lookups/campaigns.csv, and the empty folders dumps and spool. No file is overwritten: if one of them exists, nothing
      is written. The paths in postback.json begin at the root, so the commands may be started anywhere. The model and the
      lines of the tables are examples; put your own in their place. docs/configuration.md describes all keys.
      Exit status: 0; 64 usage, 73 a file exists already or cannot be created, 74 I/O.
      """,
    options: [],
    example: "postback init skan"
  )

  private let folder: String

  init(_ arguments: Arguments) throws {
    folder = try arguments.operand(orAdvise: "Give one operand, the folder for the configuration.")
  }

  func run() async throws {
    for file in InitialFiles.names {
      if unsafe access("\(folder)/\(file)", F_OK) == 0 {
        throw CommandFailure(.cannotCreate, "\(folder)/\(file) exists already. Give another folder, or remove it.")
      }
    }
    for name in InitialFiles.folders { _ = try DurableFolder(making: "\(folder)/\(name)") }
    guard let resolved = unsafe realpath(folder, nil) else {
      throw CommandFailure(.inputOutput, "The path of \(folder) cannot be resolved.")
    }
    defer { unsafe free(resolved) }
    for (name, text) in InitialFiles.files(in: unsafe String(cString: resolved)) {
      let file = try OutputFile("\(folder)/\(name)")
      try file.write(Array(text.utf8))
      try file.publish()
    }
    let shown = folder.withControlCharactersEscaped
    let configuration = "\(folder)/postback.json".shellWord.withControlCharactersEscaped
    try Terminal.print(
      """
      \(shown)/postback.json is written. Next, put dumps of postbacks into \(shown)/dumps, and run:

        postback config check \(configuration)
        postback refresh --config \(configuration)

      Or receive postbacks over HTTP, and bring the tables and the page up to date as they come:

        postback serve --config \(configuration) --watch --refresh 60s

      While it runs, refresh cannot read dumps. Move them into \(shown)/spool/new, and remove inputs from the configuration.
      """
    )
  }
}
