/// The nesting depth in a broken JSON text, used to guess its end.
///
/// Counts all brackets alike, `{` as `[`. A line end ends a string.
struct Nesting {
  /// The reason why a scan stopped.
  enum Stop {
    /// All of the text was scanned.
    case textEnd
    /// The position is at a line feed, which was not scanned.
    case lineEnd
    /// All brackets are closed; the position is after the last one.
    case balanced
  }

  private var depth: Int
  private var isInString = false
  private var isEscaped = false

  /// A position inside `depth` brackets and outside of strings.
  init(depth: Int) { self.depth = depth }

  /// Scans `text` from `start`. To go on, call it with the next text after `textEnd`, and behind the line feed after
  /// `lineEnd`.
  mutating func scan(_ text: Span<UInt8>, from start: Int) -> (position: Int, stop: Stop) {
    if depth <= 0 { return (start, .balanced) }
    var position = start
    while position < text.count {
      let byte = text[position]
      if byte == UInt8(ascii: "\n") {
        (isInString, isEscaped) = (false, false)
        return (position, .lineEnd)
      }
      position += 1
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
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
