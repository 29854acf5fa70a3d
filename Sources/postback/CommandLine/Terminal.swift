internal import Base
internal import Glibc
internal import PostbackPipeline
internal import Synchronization

/// The two streams that a person or a pipe reads.
enum Terminal {
  private static let quietness = Atomic(false)

  /// Whether nothing is to be said but what was asked for, warnings and errors: `--quiet`.
  static var isQuiet: Bool {
    get { quietness.load(ordering: .relaxed) }
    set { quietness.store(newValue, ordering: .relaxed) }
  }

  /// Prints text to standard output. That a reader has gone away is not an error; that a disk is full is one.
  static func print(_ text: String) throws(CommandFailure) {
    guard Array((text + "\n").utf8).writeAll(to: STDOUT_FILENO) || errno == EPIPE else {
      let reason = unsafe String(cString: strerror(errno))
      throw CommandFailure(.inputOutput, "standard output cannot be written: \(reason)")
    }
  }

  /// Tells why a command stopped.
  static func report(_ failure: CommandFailure) {
    say(failure.message, .red)
    for line in failure.details { write(line.withControlCharactersEscaped + "\n") }
  }

  /// Tells of something that somebody should look at, and that stops nothing.
  static func warn(_ message: String) { say(message, .yellow) }

  /// Tells of something that is good to know, unless `--quiet` is given.
  static func note(_ message: String) { if !isQuiet { say(message, .bold) } }

  /// Writes a line to standard error. Nothing in it moves a terminal, or ends the line: whatever a file, an option or a
  /// postback has put there.
  private static func say(_ message: String, _ style: TextStyle) {
    write("postback:".styled(style, on: STDERR_FILENO) + " \(message.withControlCharactersEscaped)\n")
  }

  /// Writes a line to standard error as it is, for others to read, unless `--quiet` is given.
  static func announce(_ line: String) { if !isQuiet { write(line.withControlCharactersEscaped + "\n") } }

  /// Writes a line of what goes on over the one that is there, cut to the width of the terminal.
  static func overwrite(_ line: String) {
    let line = line.withControlCharactersEscaped
    write("\r" + (width(of: STDERR_FILENO).map { line.shortened(toColumns: $0 - 1) } ?? line) + "\u{1B}[K")
  }

  /// Whether a person watches standard error, and wants to see how far something is.
  static var isWatched: Bool { isatty(STDERR_FILENO) == 1 && !isQuiet }

  /// The columns of a terminal, or those of `COLUMNS`; nil where the stream is none.
  static func width(of descriptor: Int32 = STDOUT_FILENO) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    if let columns = variable("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Whether a stream is a terminal that shows colours, and nobody asks for none (no-color.org).
  fileprivate static func hasColours(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1 && variable("NO_COLOR") ?? "" == "" && variable("TERM") != "dumb"
  }

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  private static func write(_ text: String) { _ = Array(text.utf8).writeAll(to: STDERR_FILENO) }
}

/// How text looks on a terminal.
enum TextStyle: Int {
  case bold = 1
  case red = 31
  case green = 32
  case yellow = 33
}

extension String {
  /// The text in a style where the stream is a terminal with colours, else as it is.
  func styled(_ style: TextStyle, on descriptor: Int32 = STDOUT_FILENO) -> String {
    guard !isEmpty, Terminal.hasColours(descriptor) else { return self }
    return "\u{1B}[\(style.rawValue)m\(self)\u{1B}[0m"
  }
}
