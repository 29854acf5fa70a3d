/// Scans one JSON value for its end, and for the first byte with which no JSON value can go on.
///
/// Knows RFC 8259's grammar of brackets, commas, colons and strings. Numbers, words and escapes are left to the parser: a
/// run of other bytes is a value here.
struct ValueScanner {
  /// Why a scan ended.
  enum Stop {
    /// All of the text was scanned.
    case textEnd
    /// The position is at a line end, which was not scanned. No string goes on behind one.
    case lineEnd
    /// The value is complete; the position is after it.
    case balanced
    /// The position is at a byte that cannot stand there.
    case broken
  }

  private enum Expectation {
    case value, valueOrEnd, key, keyOrEnd, colon, separator
    /// More of a string that is a value, of one that is a key, and of a number or word.
    case string, keyString, word
  }

  /// The deepest nesting that is scanned, more than the parser accepts: a deeper value counts as broken.
  static let maximumDepth = UInt128.bitWidth

  private var expected = Expectation.value
  /// A bit for each open bracket, the innermost lowest: whether it is an object's.
  private var objects: UInt128 = 0
  private var isEscaped = false
  /// The depth behind the outermost bracket that was closed since it was asked for last.
  private var lowestDepth = Int.max
  /// The number of open brackets.
  private(set) var depth = 0

  /// Whether the scan stopped inside a string.
  var isInString: Bool { expected == .string || expected == .keyString }

  /// Whether a bracket was opened and nothing stands behind it yet.
  var isAtFirstKey: Bool { depth == 1 && expected == .keyOrEnd }

  /// Whether an object or array can begin here.
  var canOpen: Bool { (expected == .value || expected == .valueOrEnd) && depth < Self.maximumDepth }

  /// The depth behind the outermost bracket that was closed since this was called last: those that were opened there or
  /// deeper are closed.
  mutating func takeLowestDepth() -> Int {
    defer { lowestDepth = .max }
    return lowestDepth
  }

  /// Scans from `start`, and again from there after a text or a line that ended.
  ///
  /// The value begins with a bracket or a quotation mark.
  mutating func scan(_ text: Span<UInt8>, from start: Int) -> (position: Int, stop: Stop) {
    var position = start
    while position < text.count {
      let byte = text[position]
      if isInString {
        if byte == UInt8(ascii: "\n") { return (position, .lineEnd) }
        scanString(byte)
      } else if byte.isWhitespace {
        if expected == .word { expected = .separator }
        if byte == UInt8(ascii: "\n") { return (position, .lineEnd) }
      } else if expected != .word || byte.endsWord {
        guard accepts(byte) else { return (position, .broken) }
      }
      position += 1
      if depth == 0, expected == .separator { return (position, .balanced) }
    }
    return (position, .textEnd)
  }

  private mutating func scanString(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      expected = expected == .keyString ? .colon : .separator
    }
  }

  /// Takes in a byte that is no white space and in no string, if it can stand here.
  private mutating func accepts(_ byte: UInt8) -> Bool {
    if expected == .word { expected = .separator }
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard canOpen else { return false }
      let isObject = byte == UInt8(ascii: "{")
      objects = objects << 1 | (isObject ? 1 : 0)
      depth += 1
      expected = isObject ? .keyOrEnd : .valueOrEnd
    case UInt8(ascii: "}"):
      guard objects & 1 == 1, expected == .separator || expected == .keyOrEnd else { return false }
      close()
    case UInt8(ascii: "]"):
      guard objects & 1 == 0, expected == .separator || expected == .valueOrEnd else { return false }
      close()
    case UInt8(ascii: ","):
      guard expected == .separator else { return false }
      expected = objects & 1 == 1 ? .key : .value
    case UInt8(ascii: ":"):
      guard expected == .colon else { return false }
      expected = .value
    case UInt8(ascii: "\""):
      switch expected {
      case .key, .keyOrEnd: expected = .keyString
      case .value, .valueOrEnd: expected = .string
      default: return false
      }
    default:
      guard expected == .value || expected == .valueOrEnd else { return false }
      expected = .word
    }
    return true
  }

  private mutating func close() {
    objects >>= 1
    depth -= 1
    lowestDepth = min(lowestDepth, depth)
    expected = .separator
  }
}

extension UInt8 {
  /// Whether a number or a word ends before it.
  fileprivate var endsWord: Bool {
    switch self {
    case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "}"),
      UInt8(ascii: "["), UInt8(ascii: "]"):
      true
    default: false
    }
  }
}
