internal import Glibc
internal import PostbackPipeline

/// The two streams that a person or a pipe reads.
enum Terminal {
  /// Prints a line to standard output. A reader that has gone away is not an error.
  static func print(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

  /// Prints a line to standard error.
  static func complain(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

  /// Writes to standard error over the line that is there.
  static func overwrite(_ line: String) { write("\r" + line + "\u{1B}[K", to: STDERR_FILENO) }

  /// Whether a person watches standard error.
  static var isWatched: Bool { isatty(STDERR_FILENO) == 1 }

  private static func write(_ text: String, to descriptor: Int32) { _ = Array(text.utf8).writeAll(to: descriptor) }
}
