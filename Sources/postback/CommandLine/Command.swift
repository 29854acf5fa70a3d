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
  /// Two things that were compared differ, or a larger share was rejected than was allowed.
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
  /// What went wrong, in a line.
  let message: String
  /// Lines that follow it.
  let details: [String]

  init(_ status: ExitStatus, _ message: String, details: [String] = []) {
    self.status = status
    self.message = message
    self.details = details
  }

  /// A failure for several reasons, each of which is a line in which control characters are escaped.
  init(_ status: ExitStatus, lines: some CustomStringConvertible) {
    let lines = lines.description.split(separator: "\n").map(String.init)
    self.init(status, lines.first ?? "", details: Array(lines.dropFirst()))
  }

  /// All of it in one line, for a log.
  var line: String { ([message] + details).joined(separator: "; ") }
}
