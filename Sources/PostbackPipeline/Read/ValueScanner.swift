internal import JSON
/// Scans one JSON value for its end, or for the first byte that no JSON value can have at that place.
///
/// Knows the grammar of brackets, commas, colons and strings (RFC 8259). The parser checks numbers, literals and
/// escapes: a run of other bytes counts as a value here.
struct ValueScanner {
  /// The reason why a scan stopped.
  enum Stop {
    /// All of the text was scanned.
    case textEnd
    /// The position is at a line feed, which was not scanned. No string may contain one.
    case lineEnd
    /// The value is complete; the position is after it.
    case balanced
    /// The position is at a byte that is not valid JSON there.
    case broken
  }

  private enum Expectation {
    case value, valueOrEnd, key, keyOrEnd, colon, separator
    /// The rest of a string value, of a key, and of a number or literal.
    case string, keyString, word
  }

  /// The largest nesting depth that is scanned, more than the parser accepts. A deeper value counts as broken.
  static let maximumDepth = UInt128.bitWidth

  private var expected = Expectation.value
  /// One bit for each open bracket, the innermost in the lowest bit: 1 for an object, 0 for an array.
  private var objects: UInt128 = 0
  private var isEscaped = false
  /// The lowest depth after a closed bracket since the last `takeLowestDepth()`; `Int.max` if no bracket was closed.
  private var lowestDepth = Int.max
  /// The number of open brackets.
  private(set) var depth = 0

  /// True if the scan stopped inside a string.
  var isInString: Bool { expected == .string || expected == .keyString }

  /// True if only the `{` of the outermost object was scanned, and neither a key nor `}` yet.
  var isAtFirstKey: Bool { depth == 1 && expected == .keyOrEnd }

  /// True if an object or array can begin here.
  var canOpen: Bool { (expected == .value || expected == .valueOrEnd) && depth < Self.maximumDepth }

  /// Returns the lowest depth after a closed bracket since the last call, `Int.max` if no bracket was closed. Objects
  /// that began at this depth or deeper before that bracket was closed are closed too.
  mutating func takeLowestDepth() -> Int {
    defer { lowestDepth = .max }
    return lowestDepth
  }

  /// Scans `text` from `start`. To go on, call it with the next text after `textEnd`, and behind the line feed after
  /// `lineEnd`.
  ///
  /// The value must begin with a bracket or a quotation mark.
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

  /// Scans a byte that is neither white space nor in a string. Returns false if it is not valid JSON here.
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
  /// True if a number or literal ends before this byte.
  fileprivate var endsWord: Bool {
    switch self {
    case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "}"),
      UInt8(ascii: "["), UInt8(ascii: "]"):
      true
    default: false
    }
  }
}
