internal import Answers

/// A command of `postback`, named by the first words of the command line: `run`, or `model check`.
protocol Command: Sendable {
  /// The name, the options and the texts of the command, which `--help` prints.
  static var manual: Manual { get }

  /// Creates the command from its arguments; throws if they are invalid. `CommandFailure(of:)` gives errors their exit status.
  init(_ arguments: Arguments) throws

  /// Runs the command.
  func run() async throws
}

/// The exit status of the process. The numbers from 64 on are those of sysexits.h.
enum ExitStatus: Int32 {
  case ok = 0
  /// Two things that were compared differ, or a larger share was rejected than was allowed.
  case different = 1
  /// The command line is wrong.
  case usage = 64
  /// A model, a setting or the state is wrong.
  case configuration = 65
  /// An input is missing or cannot be read.
  case noInput = 66
  /// A part of the system other than a file failed, such as libcrypto.
  case software = 70
  /// An output cannot be created.
  case cannotCreate = 73
  /// A read or a write failed.
  case inputOutput = 74
  /// Another process holds the lock; a later attempt may succeed.
  case locked = 75
  /// A server refuses the user, or the user lacks a right.
  case noPermission = 77
}

/// The error that ends a command: an exit status for the shell, and a message for the user.
struct CommandFailure: Error {
  let status: ExitStatus
  /// The error as one or more sentences, on one line.
  let message: String
  /// Further lines after the message.
  let details: [String]

  init(_ status: ExitStatus, _ message: String, details: [String] = []) {
    self.status = status
    self.message = message
    self.details = details
  }

  /// Creates a failure from a description with one reason on each line, with control characters escaped.
  init(_ status: ExitStatus, lines: some CustomStringConvertible) {
    let lines = lines.description.split(separator: "\n").map(String.init)
    self.init(status, lines.first ?? "", details: Array(lines.dropFirst()))
  }

  /// The message and the details in one line, for a log.
  var line: String { ([message] + details).joined(separator: "; ") }
}

/// The documentation of a command, which `--help` prints.
struct Manual: Sendable {
  let name: String
  let summary: String
  /// The operands and main options, as the usage line shows them after the name.
  let usage: String
  let discussion: String
  let options: [Option]
  let example: String

  /// The options that every command takes.
  static let quiet = Option("-q, --quiet", "Print only results, warnings and errors.")
  private static let help = Option("-h, --help", "Print this help.")

  /// The options of the command, including those of every command.
  var allOptions: [Option] { options + [Self.quiet, Self.help] }

  /// Returns the option with this long or short name; nil if there is none.
  func option(_ name: String) -> Option? { allOptions.first { $0.name == name || $0.short == name } }

  /// The text that `--help` prints.
  var text: String {
    let titles = allOptions.map(\.title)
    let width = titles.map(\.count).max() ?? 0
    let indent = String(repeating: " ", count: width + 4)
    let lines = zip(titles, allOptions).map { title, option in
      let help = option.help.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n" + indent)
      return "  " + title + String(repeating: " ", count: width - title.count + 2) + help
    }
    return """
      \(summary)

      \("Usage:".styled(.bold)) postback \(name) \(usage)

      \(discussion)

      \("Options:".styled(.bold))
      \(lines.joined(separator: "\n"))

      \("Example:".styled(.bold))
        \(example)
      """
  }
}
