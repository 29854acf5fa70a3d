internal import Base

/// The value of a field of a log line.
enum LogValue: Sendable {
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
  init(stringLiteral text: String) { self = .text(text) }
  init(integerLiteral value: Int64) { self = .integer(value) }
}
