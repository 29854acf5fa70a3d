internal import PostbackService

/// The options of log lines.
struct LogOptions: OptionGroup {
  private let format = Option(
    "\(Self.formatName) FORMAT",
    "The format of log lines on standard error, text or json; default text."
  ).value(ValueKind<LogFormat>.word)
  private let level = Option(
    "--log-level LEVEL",
    "The least severe log lines: debug, info, warning or error; default info."
  ).value(ValueKind<LogLevel>.word)

  private static let formatName = "--log-format"

  /// The log with this format and level; `--quiet` means warnings.
  var log: Log { Log(format ?? .text, level: level ?? (Terminal.isQuiet ? .warning : .info)) }

  /// Returns true if the words of a command line ask for log lines in JSON, also if other words are wrong.
  static func wantsJSON(_ words: some Collection<String>, _ manual: Manual) -> Bool {
    guard manual.option(formatName) != nil else { return false }
    let words = Array(words.prefix { $0 != "--" })
    let formats = words.indices.compactMap { index -> String? in
      if words[index] == formatName { return words[(index + 1)...].first }
      return words[index].hasPrefix("\(formatName)=") ? String(words[index].dropFirst(formatName.count + 1)) : nil
    }
    return formats.last == LogFormat.json.rawValue
  }
}
