internal import Glibc
internal import PostbackPipeline

/// The two streams that a person or a pipe reads.
enum Terminal {
  /// Prints a line to standard output. That a reader has gone away is not an error; that a disk is full is one.
  static func print(_ line: String) throws(CommandFailure) {
    guard Array((line + "\n").utf8).writeAll(to: STDOUT_FILENO) || errno == EPIPE else {
      let reason = unsafe String(cString: strerror(errno))
      throw CommandFailure(.inputOutput, "standard output cannot be written: \(reason)")
    }
  }

  /// Prints a line to standard error.
  static func complain(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

  /// Writes to standard error over the line that is there.
  static func overwrite(_ line: String) { write("\r" + line + "\u{1B}[K", to: STDERR_FILENO) }

  /// Whether a person watches standard error.
  static var isWatched: Bool { isatty(STDERR_FILENO) == 1 }

  private static func write(_ text: String, to descriptor: Int32) { _ = Array(text.utf8).writeAll(to: descriptor) }
}
