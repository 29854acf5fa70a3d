/// Something that `postback` does, named by the words that come first: `run`, or `model check`.
protocol Command: Sendable {
  /// What it is called and which options it takes: what `--help` prints.
  static var manual: Manual { get }

  /// Reads the options; throws where they make no sense.
  init(_ arguments: Arguments) throws(CommandFailure)

  /// Does it.
  func run() async throws(CommandFailure)
}

/// How a process ends, for the shell that started it. The numbers are those of sysexits.h.
enum ExitStatus: Int32 {
  case ok = 0
  /// Two things that were compared differ.
  case different = 1
  /// The command line is wrong.
  case usage = 64
  /// A model, a setting or the state is wrong.
  case configuration = 65
  /// An input is not there or cannot be read.
  case noInput = 66
  /// Something in the system failed that is no file.
  case software = 70
  /// An output cannot be created.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// Another process is at it; the same may work later.
  case locked = 75
}

/// Why a command stopped: what it tells the shell, and what the person.
struct CommandFailure: Error {
  let status: ExitStatus
  let message: String

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }
}

/// An option of a command.
struct Option: Sendable {
  /// The name, with its dashes.
  let name: String
  /// What stands for the value; nil for a flag.
  let value: String?
  /// What it does; a line, or a few.
  let help: String

  init(_ name: String, _ value: String? = nil, _ help: String) {
    self.name = name
    self.value = value
    self.help = help
  }
}

/// A command's entry in the help.
struct Manual: Sendable {
  let name: String
  let summary: String
  /// What stands behind the name: operands and the options that matter.
  let usage: String
  let discussion: String
  let options: [Option]
  let example: String

  /// What `--help` prints.
  var text: String {
    let all = options + [Option("--help", nil, "Show this.")]
    let titles = all.map { $0.name + ($0.value.map { " \($0)" } ?? "") }
    let width = titles.map(\.count).max() ?? 0
    let indent = String(repeating: " ", count: width + 4)
    let lines = zip(titles, all).map { title, option in
      let help = option.help.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n" + indent)
      return "  " + title + String(repeating: " ", count: width - title.count + 2) + help
    }
    return """
      \(summary)

      Usage: postback \(name) \(usage)

      \(discussion)

      Options:
      \(lines.joined(separator: "\n"))

      Example:
        \(example)
      """
  }
}
