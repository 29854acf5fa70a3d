/// How deep in brackets and strings a JSON text is: what is needed to find the end of a value, and no more.
///
/// Counts brackets without telling `{` from `[`; whether they match is for the parser to say.
struct Nesting {
  /// Why a scan ended.
  enum Stop {
    /// All of the text was scanned.
    case textEnd
    /// The position is at a line end, which was not scanned.
    case lineEnd
    /// The value is complete; the position is after it.
    case balanced
  }

  private var depth = 0
  private var isEscaped = false
  /// Whether the scan stopped inside a string.
  private(set) var isInString = false

  /// Scans from `start`, and again from there after a text that ended.
  ///
  /// The value begins with a bracket or a quotation mark.
  mutating func scan(_ text: Span<UInt8>, from start: Int) -> (position: Int, stop: Stop) {
    var position = start
    while position < text.count {
      let byte = text[position]
      if byte == UInt8(ascii: "\n") { return (position, .lineEnd) }
      position += 1
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
          if depth == 0 { return (position, .balanced) }
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return (position, .balanced) }
      default:
        break
      }
    }
    return (position, .textEnd)
  }
}
