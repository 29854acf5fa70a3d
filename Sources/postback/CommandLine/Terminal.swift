internal import DurableFiles
internal import Answers
internal import Base
internal import Glibc
internal import PostbackService
internal import Synchronization

/// The standard output and standard error of the process.
enum Terminal {
  private static let quietness = Atomic(false)
  private static let jsonLines = Atomic(false)
  private static let captured = Mutex<[String]?>(nil)

  /// Indicates that notes and progress are not shown: `--quiet` is given. Results, warnings and errors still are.
  static var isQuiet: Bool {
    get { quietness.load(ordering: .relaxed) }
    set { quietness.store(newValue, ordering: .relaxed) }
  }

  /// Indicates that messages on standard error are log lines in JSON: `--log-format json` is given.
  static var logsJSON: Bool {
    get { jsonLines.load(ordering: .relaxed) }
    set { jsonLines.store(newValue, ordering: .relaxed) }
  }

  /// Prints text to standard output. A closed pipe is not an error; any other failure, such as a full disk, is one.
  static func print(_ text: String) throws {
    if captured.withLock({ $0?.append(text) }) != nil { return }
    guard Array((text + "\n").utf8).writeAll(to: STDOUT_FILENO) || errno == EPIPE else {
      let reason = unsafe String(cString: strerror(errno))
      throw CommandFailure(.inputOutput, "Standard output cannot be written: \(reason).")
    }
  }

  /// Performs `body`, and returns what it prints instead of printing it.
  static func capture(_ body: () async throws -> Void) async throws -> String {
    captured.withLock { $0 = [] }
    defer { captured.withLock { $0 = nil } }
    try await body()
    return captured.withLock { $0 ?? [] }.joined(separator: "\n")
  }

  /// Reports the failure of a command.
  static func report(_ failure: CommandFailure) {
    if logsJSON {
      return Log(.json).error("failed", failure.line, ["exit_status": .integer(Int64(failure.status.rawValue))])
    }
    say(failure.message, .red)
    for line in failure.details { write(line.withControlCharactersEscaped + "\n") }
  }

  /// Reports a problem that needs attention but does not stop the command.
  static func warn(_ message: String) {
    if logsJSON { Log(.json).warning("warning", message) } else { say(message, .yellow) }
  }

  /// Reports useful information, unless `--quiet` is given.
  static func note(_ message: String) {
    guard !isQuiet else { return }
    if logsJSON { Log(.json).info("note", message) } else { say(message, .bold) }
  }

  /// Writes a message to standard error in one line. Control characters in it, which may come from files or postbacks,
  /// are escaped.
  private static func say(_ message: String, _ style: TextStyle) {
    write("postback:".styled(style, on: STDERR_FILENO) + " \(message.withControlCharactersEscaped)\n")
  }

  /// Writes a line to standard error without the program's name, for other programs to read, unless `--quiet` is given.
  static func announce(_ line: String) { if !isQuiet { write(line.withControlCharactersEscaped + "\n") } }

  /// Replaces the current progress line on standard error, cut to the width of the terminal.
  static func overwrite(_ line: String) {
    let line = line.withControlCharactersEscaped
    write("\r" + (Screen.width(of: STDERR_FILENO).map { line.shortened(toColumns: $0 - 1) } ?? line) + "\u{1B}[K")
  }

  /// Indicates that progress should be shown: standard error is a terminal, and `--quiet` is not given.
  static var isWatched: Bool { isatty(STDERR_FILENO) == 1 && !isQuiet }

  private static func write(_ text: String) { _ = Array(text.utf8).writeAll(to: STDERR_FILENO) }
}
