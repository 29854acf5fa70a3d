internal import Base
internal import ConversionModel
internal import PostbackPipeline

/// How lines of a log are written.
enum LogFormat: String, CaseIterable, Sendable {
  /// For people: the time, the level, the event, the message, then `key=value`.
  case text
  /// A JSON object a line.
  case json
}

/// How much a line of a log matters.
enum LogLevel: String, Sendable {
  case info, warning, error
}

/// The fields of a line of a log, in order. Their names are the program's: none is `time`, `level`, `event` or `message`.
typealias LogFields = KeyValuePairs<String, LogValue>

/// A line of a log. Whatever its texts hold, it is one line, of a limited length, and moves nothing on a terminal.
struct LogEntry: Sendable {
  let time: Timestamp
  let level: LogLevel
  /// What happened, in a word that stays the same.
  let event: String
  let message: String
  let fields: LogFields

  /// Longer texts are cut after so many characters.
  static let textLimit = 2000

  /// The line, without its end.
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
  /// The beginning of a text that is too long for a line.
  var cut: String {
    let scalars = unicodeScalars.prefix(LogEntry.textLimit)
    return scalars.endIndex == unicodeScalars.endIndex ? self : String(scalars) + "…"
  }

  /// The text as a JSON string in which everything is escaped that is not text.
  var quotedJSON: String {
    var json = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": json += "\\\(scalar)"
      case "\n": json += "\\n"
      case "\r": json += "\\r"
      case "\t": json += "\\t"
      case _ where scalar.isControl:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }
}
