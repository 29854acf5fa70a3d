internal import Base

/// The format of log lines.
package enum LogFormat: String, CaseIterable, Sendable {
  /// Text for people: the time, the level, the event, the message, then `key=value`.
  case text
  /// One JSON object on each line.
  case json
}

/// The severity of a log line, in ascending order.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
  case debug, info, warning, error

  package static func < (level: LogLevel, other: LogLevel) -> Bool {
    (allCases.firstIndex(of: level) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
  }
}

/// The fields of a log line, in order. The names are constants, none of which is `time`, `level`, `event` or
/// `message`.
package typealias LogFields = KeyValuePairs<String, LogValue>

/// A log line. It stays one line of limited length, and control characters in its texts are escaped.
struct LogEntry: Sendable {
  let time: Timestamp
  let level: LogLevel
  /// The event as a constant word, for programs that read the log.
  let event: String
  let message: String
  let fields: LogFields

  /// The largest number of characters (Unicode scalars) of a text; a longer one is cut.
  static let textLimit = 2000

  /// Returns the line without its line end.
  func line(as format: LogFormat) -> String {
    switch format {
    case .text: text
    case .json: json
    }
  }

  private var text: String {
    let start = "\(time.withMilliseconds) \(level.rawValue) \(event): \(message.cut.withControlCharactersEscaped)"
    return fields.reduce(start) { line, field in "\(line) \(field.key)=\(field.value.text)" }
  }

  private var json: String {
    var members: [(key: String, json: String)] = [
      ("time", time.withMilliseconds.quotedJSON), ("level", level.rawValue.quotedJSON), ("event", event.quotedJSON),
      ("message", message.cut.quotedJSON),
    ]
    members += fields.map { ($0.key, $0.value.json) }
    return "{" + members.map { "\($0.key.quotedJSON):\($0.json)" }.joined(separator: ",") + "}"
  }
}

extension String {
  /// The text, cut after `LogEntry.textLimit` Unicode scalars, with an ellipsis if it was longer.
  var cut: String {
    let scalars = unicodeScalars.prefix(LogEntry.textLimit)
    return scalars.endIndex == unicodeScalars.endIndex ? self : String(scalars) + "…"
  }

  /// The text as a JSON string, with control characters escaped.
  var quotedJSON: String {
    var json = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": json += "\\\(scalar)"
      case "\n": json += "\\n"
      case "\r": json += "\\r"
      case "\t": json += "\\t"
      case _ where scalar.isControl:
        for unit in String(scalar).utf16 { json += "\\u" + unit.digits(4, radix: 16) }
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }
}

/// The value of a field of a log line.
package enum LogValue: Sendable {
  case text(String)
  case integer(Int64)
  /// A number with a fraction; null in JSON if it is not finite.
  case decimal(Double)

  /// The value for `key=value`, in quotes if it is empty or holds white space, a control character, `"`, `\` or `=`.
  var text: String {
    switch self {
    case .integer(let value): return "\(value)"
    case .decimal(let value): return "\(value)"
    case .text(let value):
      let value = value.cut
      let needsQuotes = value.unicodeScalars.contains {
        $0.isControl || $0.properties.isWhitespace || $0 == "\"" || $0 == "\\" || $0 == "="
      }
      guard needsQuotes || value.isEmpty else { return value }
      let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      return "\"\(escaped.withControlCharactersEscaped)\""
    }
  }

  /// The value as JSON.
  var json: String {
    switch self {
    case .text(let value): value.cut.quotedJSON
    case .integer(let value): "\(value)"
    case .decimal(let value): value.isFinite ? "\(value)" : "null"
    }
  }
}

extension LogValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
  package init(stringLiteral text: String) { self = .text(text) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
}
