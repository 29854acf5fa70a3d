internal import DurableFiles

/// `postback manual`: prints or writes the pages for `man`.
struct ManualCommand: Command {
  struct Options: OptionGroup {
    let folder = Option("-o, --out DIR", "Write all pages into this folder.").value(.text)
  }

  static let manual = Manual(
    name: "manual",
    summary: "Print the page of a command for man, or write the pages of all commands.",
    usage: "[COMMAND] | --out DIR",
    discussion: """
      The pages have the text of --help, as roff. Without COMMAND it is the page postback(1), which lists the commands.
      With --out all pages are written into DIR, such as postback.1 and postback-model-check.1. Older ones are replaced.
      Exit status: 0, 64 usage, 73 a page cannot be created, 74 I/O.
      """,
    options: Options.options,
    example: "postback manual run | man -l -"
  )

  private let folder: String?
  private let page: ManualPage

  init(_ arguments: Arguments) throws {
    folder = try arguments.read(Options.self).folder
    guard folder == nil || arguments.operands.isEmpty else {
      throw CommandFailure(.usage, "With --out the pages of all commands are written. Give no command.")
    }
    page = try Self.page(arguments.operands)
  }

  /// Returns the page of the command with this name; of `postback` if the name is empty.
  private static func page(_ name: [String]) throws -> ManualPage {
    guard !name.isEmpty else { return ManualPage(of: Main.commands) }
    guard case .command(let command, let rest) = try Main.commands.match(name[...]), rest.isEmpty else {
      throw CommandFailure(.usage, "There is no command \(name.joined(separator: " ")). See postback --help.")
    }
    return ManualPage(of: command.manual)
  }

  func run() async throws {
    guard let folder else { return try Terminal.print(page.text) }
    _ = try DurableFolder(making: folder)
    for page in [page] + Main.commands.manuals.map(ManualPage.init(of:)) {
      let file = try OutputFile("\(folder)/\(page.fileName)", overwrites: true)
      try file.write(Array(page.text.utf8))
      try file.publish()
    }
  }
}
