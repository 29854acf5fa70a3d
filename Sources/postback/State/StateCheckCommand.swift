internal import Base
internal import JSON
internal import PostbackPipeline

/// `postback state check`: compares the tables and the state with what was committed.
struct StateCheckCommand: Command {
  static let manual = Manual(
    name: "state check",
    summary: "Hold the tables and the state against what was committed: every byte of every part.",
    usage: "OUT [--state DIR] [--json]",
    discussion: """
      Reads all of OUT and of the state, changes nothing, and prints each problem with the file and what to do; and as
      notes what is there besides and does no harm. The state is locked meanwhile: stop its consumer first.
      Exit status: 0 where all is sound, 65 where there is a problem; 64 usage, 66 there is no such state or folder,
      73 it may not be locked, 74 I/O, 75 another process uses it.
      """,
    options: [
      StateOptions.folder,
      Option("--out", "OUT", "The folder with the tables: another way to give OUT.", short: "-o"),
      Option("--json", nil, "Print JSON: {\"sound\":…,\"problems\":[…],\"notes\":[…]}."),
    ],
    example: "postback state check out"
  )

  private let folder: String
  private let output: String
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws(CommandFailure) {
    guard let output = try StateOptions.output(arguments) else {
      throw CommandFailure(.usage, "give OUT, the folder with the tables")
    }
    self.output = output
    folder = try StateOptions.folder(arguments, of: output)
    printsJSON = arguments.has("--json")
  }

  func run() async throws(CommandFailure) {
    let state: StateFolder
    do throws(StateFailure) { state = try StateFolder(existing: folder) } catch { throw CommandFailure(error) }
    // A misspelt folder would otherwise show every part as missing.
    guard (try? Directory.names(in: output)) != nil else {
      throw CommandFailure(.noInput, "\(output): is no folder that can be read; check the path")
    }
    let check = StateCheck(output: output, state: state)
    try Terminal.print(printsJSON ? check.json.description : check.text)
    let count = check.problems.count
    guard count == 0 else {
      throw CommandFailure(.configuration, "\(folder) is not sound: \(count) problem\(count == 1 ? "" : "s")")
    }
  }
}

extension StateCheck {
  fileprivate var json: JSONValue {
    .object([
      .init("sound", .bool(problems.isEmpty)),
      .init("problems", .array(problems.map { .string($0) })),
      .init("notes", .array(notes.map { .string($0) })),
    ])
  }

  fileprivate var text: String {
    let problems = problems.map { "problem: ".styled(.red) + $0.withControlCharactersEscaped }
    let notes = notes.map { "note: \($0)".withControlCharactersEscaped }
    return (problems + notes + [problems.isEmpty ? "sound".styled(.green) : "not sound".styled(.red)])
      .joined(separator: "\n")
  }
}
