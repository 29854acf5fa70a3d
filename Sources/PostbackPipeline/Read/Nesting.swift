/// How deep in brackets and strings a broken JSON text is: what is needed to guess where it ends.
///
/// Counts brackets without telling `{` from `[`. A line end ends a string.
struct Nesting {
  /// Why a scan ended.
  enum Stop {
    /// All of the text was scanned.
    case textEnd
    /// The position is at a line end, which was not scanned.
    case lineEnd
    /// All brackets are closed; the position is after the last.
    case balanced
  }

  private var depth: Int
  private var isInString = false
  private var isEscaped = false

  /// Inside so many brackets, and in no string.
  init(depth: Int) { self.depth = depth }

  /// Scans from `start`, and again from there after a text or a line that ended.
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
