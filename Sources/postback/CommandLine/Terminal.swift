internal import Glibc

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

  private static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    var start = 0
    while start < bytes.count {
      let written = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(descriptor, buffer.baseAddress.map { unsafe $0 + start }, buffer.count - start)
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return }
      start += written
    }
  }
}
