internal import Glibc

/// A stream of the process that may be a terminal.
package enum Screen {
  /// Returns the width of a terminal in columns, which `COLUMNS` overrides; nil if the stream is not a terminal.
  package static func width(of descriptor: Int32 = STDOUT_FILENO) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    if let columns = variable("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Indicates that a stream is a terminal with colours, and that the user has not disabled them (no-color.org).
  fileprivate static func hasColours(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1 && variable("NO_COLOR") ?? "" == "" && variable("TERM") != "dumb"
  }

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}

/// The style of a text on a terminal: the number of its ANSI escape sequence.
package enum TextStyle: Int {
  case bold = 1
  case red = 31
  case green = 32
  case yellow = 33
}

extension String {
  /// Returns the text in a style if the stream is a terminal with colours; otherwise unchanged.
  package func styled(_ style: TextStyle, on descriptor: Int32 = STDOUT_FILENO) -> String {
    guard !isEmpty, Screen.hasColours(descriptor) else { return self }
    return "\u{1B}[\(style.rawValue)m\(self)\u{1B}[0m"
  }
}
