internal import Base

/// Reads a JSON text by the grammar of RFC 8259, and finds the place at which it stops being JSON or an object repeats a
/// key. Meant for messages, and for short texts where there is no simdjson.
struct JSONScan {
  /// A defect, and the offset of the byte at which it shows.
  struct Defect: Error {
    let offset: Int
    let problem: String
    var isTooDeep = false
  }

  /// A value and the range of its text: of a string the content between the quotes, with escapes as they are written.
  struct Token {
    let kind: JSONKind
    let text: Range<Int>
    var hasEscapes = false
  }

  /// The members of the whole text if it is an object, or its elements if it is an array, in order.
  private(set) var members: [(key: Token?, value: Token)] = []
  /// The place of the first key that its object has already.
  private(set) var repetition: Defect?
  /// The repeated key that `SimdjsonParser` reports: the least one of the object that ends first, except that a known
  /// key of the whole text is reported at once.
  private(set) var repeatedKey: [UInt8]?

  private let text: [UInt8]
  private let known: Set<[UInt8]>
  private let maximumDepth: Int
  private var offset = 0
  private var depth = 0

  init(_ text: [UInt8], known: Set<[UInt8]> = [], maximumDepth: Int = 64) {
    self.text = text
    self.known = known
    self.maximumDepth = maximumDepth
  }

  /// The first defect; nil where there is none, or the text is nested too deeply.
  mutating func defect() -> Defect? {
    do throws(Defect) {
      _ = try root()
      return repetition
    } catch {
      return error.isTooDeep ? nil : error
    }
  }

  /// Reads the whole text.
  mutating func root() throws(Defect) -> Token {
    if ByteOrderMark.length(in: text) > 0 { throw found("a byte order mark; save it without one") }
    let root = try value(isRoot: true)
    skipSpace()
    guard offset == text.count else { throw found("text after the end: \(character)") }
    return root
  }

  // MARK: - Values

  private mutating func value(isRoot: Bool = false) throws(Defect) -> Token {
    skipSpace()
    let start = offset
    switch byte {
    case UInt8(ascii: "{"):
      try object(isRoot)
      return Token(kind: .object, text: start..<offset)
    case UInt8(ascii: "["):
      try array(isRoot)
      return Token(kind: .array, text: start..<offset)
    case UInt8(ascii: "\""): return try string()
    case .some(let byte) where "-0123456789".utf8.contains(byte):
      try number()
      return Token(kind: .number, text: start..<offset)
    default:
      for (word, kind) in [("true", JSONKind.true), ("false", .false), ("null", .null)]
      where text[offset...].starts(with: word.utf8) {
        offset += word.utf8.count
        return Token(kind: kind, text: start..<offset)
      }
      throw expected("a value")
    }
  }

  private mutating func object(_ isRoot: Bool) throws(Defect) {
    guard try enter("}") else { return }
    var keys: Set<[UInt8]> = []
    var repeated: [[UInt8]] = []
    while true {
      skipSpace()
      guard byte == UInt8(ascii: "\"") else { throw expected("a key in double quotes") }
      let start = offset
      let token = try string()
      let key = content(of: token)
      let isNew = keys.insert(key).inserted
      if !isNew, repetition == nil { repetition = Defect(offset: start, problem: "the object has this key already") }
      skipSpace()
      guard take(":") else { throw expected("a colon after the key") }
      let value = try value()
      if isRoot { members.append((token, value)) }
      if !isNew { repeated.append(key) }
      if !isNew, isRoot, known.contains(key), repeatedKey == nil { repeatedKey = key }
      skipSpace()
      if take("}") { break }
      guard take(",") else { throw expected("a comma or }") }
    }
    if repeatedKey == nil { repeatedKey = repeated.min { $0.lexicographicallyPrecedes($1) } }
    depth -= 1
  }

  private mutating func array(_ isRoot: Bool) throws(Defect) {
    guard try enter("]") else { return }
    while true {
      let value = try value()
      if isRoot { members.append((nil, value)) }
      skipSpace()
      if take("]") { return depth -= 1 }
      guard take(",") else { throw expected("a comma or ]") }
    }
  }

  /// Reads the bracket that opens a container; false where the container is empty, which does not count as a level.
  private mutating func enter(_ end: Unicode.Scalar) throws(Defect) -> Bool {
    let start = offset
    offset += 1
    skipSpace()
    if take(end) { return false }
    depth += 1
    guard depth < maximumDepth else { throw Defect(offset: start, problem: "nested too deeply", isTooDeep: true) }
    return true
  }

  // MARK: - Strings

  private mutating func string() throws(Defect) -> Token {
    let start = offset
    var hasEscapes = false
    offset += 1
    while let byte {
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        return Token(kind: .string, text: start + 1..<offset - 1, hasEscapes: hasEscapes)
      case 0..<0x20:
        guard byte == 0x0A || byte == 0x0D else { throw found("a control character inside a string; escape it") }
        throw expected("a closing double quote")
      case UInt8(ascii: "\\"):
        hasEscapes = true
        try escape()
      default: offset += 1
      }
    }
    offset = start
    throw found("a string that is not closed")
  }

  private mutating func escape() throws(Defect) {
    let start = offset
    offset += 1
    guard let byte, "\"\\/bfnrtu".utf8.contains(byte) else { throw expected("one of \" \\ / b f n r t u after \\") }
    offset += 1
    guard byte == UInt8(ascii: "u") else { return }
    let unit = try unit()
    guard UTF16.isSurrogate(unit) else { return }
    if UTF16.isLeadSurrogate(unit), take("\\"), take("u"), UTF16.isTrailSurrogate(try self.unit()) { return }
    offset = start
    throw found("an escape for half of a surrogate pair")
  }

  /// Reads the four hexadecimal digits of an escape.
  private mutating func unit() throws(Defect) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = byte?.hexadecimalValue else { throw expected("four hexadecimal digits after \\u") }
      unit = unit << 4 | UInt16(digit)
      offset += 1
    }
    return unit
  }

  /// Returns the bytes of a string that was read, with escapes resolved.
  func content(of token: Token) -> [UInt8] {
    guard token.hasEscapes else { return Array(text[token.text]) }
    var content: [UInt8] = []
    var units: [UInt16] = []
    var rest = text[token.text]
    while let byte = rest.popFirst() {
      let escaped = byte == UInt8(ascii: "\\") ? rest.popFirst() : nil
      if escaped == UInt8(ascii: "u") {
        units.append(rest.prefix(4).reduce(0) { $0 << 4 | UInt16($1.hexadecimalValue ?? 0) })
        rest = rest.dropFirst(4)
        // The other half of a pair follows.
        if let unit = units.last, UTF16.isLeadSurrogate(unit) { continue }
        content += String(decoding: units, as: UTF16.self).utf8
        units = []
      } else {
        content.append(escaped.map(Self.character(escapedAs:)) ?? byte)
      }
    }
    return content
  }

  private static func character(escapedAs letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }

  // MARK: - Numbers

  private mutating func number() throws(Defect) {
    _ = take("-")
    if take("0") {
      if let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
        throw found("a number with a leading zero")
      }
    } else {
      try digits()
    }
    if take(".") { try digits() }
    guard take("e") || take("E") else { return }
    if !take("+") { _ = take("-") }
    try digits()
  }

  private mutating func digits() throws(Defect) {
    let start = offset
    while let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
    guard offset > start else { throw expected("a digit") }
  }

  // MARK: - Bytes

  private var byte: UInt8? { offset < text.count ? text[offset] : nil }

  /// The character at the current offset, quoted for a message, or words for the end of the line or of the file.
  private var character: String {
    guard let scalar = String(decoding: text[offset...].prefix(4), as: UTF8.self).unicodeScalars.first else {
      return "the end of the file"
    }
    return scalar == "\n" || scalar == "\r" ? "the end of the line" : String(scalar).debugDescription
  }

  private func found(_ problem: String) -> Defect { Defect(offset: offset, problem: problem) }

  private func expected(_ what: String) -> Defect { found("expected \(what), and found \(character)") }

  private mutating func skipSpace() {
    while let byte, byte.isWhitespace { offset += 1 }
  }

  private mutating func take(_ wanted: Unicode.Scalar) -> Bool {
    guard byte == UInt8(ascii: wanted) else { return false }
    offset += 1
    return true
  }
}
