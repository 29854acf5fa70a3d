extension JSONDefect {
  /// The defect of a text file, its place and its correction, as complete sentences.
  package func advice(in text: [UInt8]) -> String {
    var scan = JSONScan(text)
    let found = scan.defect()
    let place = found.map { " at \(JSONPlace(of: $0.offset, in: text))" } ?? ""
    return switch self {
    case .notJSON(let problem): "The text is not JSON\(place): \(found?.problem ?? problem)."
    case .tooDeep: "The JSON text is nested too deeply."
    case .invalidUTF8:
      "The text is not UTF-8\(JSONPlace(ofInvalidUTF8In: text).map { " at \($0)" } ?? ""). Save it as UTF-8."
    case .duplicateKey(let key):
      "The text has the key \(key.debugDescription) twice in one object" + (place.isEmpty ? "" : ", again\(place)")
        + ". Remove one."
    }
  }
}

/// A place in a text, as editors count lines and columns.
struct JSONPlace: CustomStringConvertible {
  /// The number of the line, from 1.
  let line: Int
  /// The column, from 1, counted in Unicode scalars.
  let column: Int

  /// The place of the byte at an offset.
  init(of offset: Int, in text: [UInt8]) {
    let before = text.prefix(offset)
    line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    // Each scalar has exactly one byte that is not a continuation byte (10xxxxxx).
    column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
  }

  /// The place of the first byte that is not valid UTF-8; nil where all bytes are.
  init?(ofInvalidUTF8In text: [UInt8]) {
    var decoder = UTF8.ForwardParser()
    var bytes = text.makeIterator()
    var offset = 0
    while true {
      switch decoder.parseScalar(from: &bytes) {
      case .valid(let scalar): offset += scalar.count
      case .error, .emptyInput:
        guard offset < text.count else { return nil }
        self.init(of: offset, in: text)
        return
      }
    }
  }

  var description: String { "line \(line), column \(column)" }
}

/// Finds the place at which a text stops being JSON (RFC 8259), or an object repeats a key. Meant for messages and
/// short texts.
struct JSONScan {
  /// A defect, and the offset of the byte at which it shows.
  struct Defect: Error {
    let offset: Int
    let problem: String
  }

  private let text: [UInt8]
  private var offset = 0
  private var depth = 0

  init(_ text: [UInt8]) { self.text = text }

  /// The first defect; nil where there is none, or the text is nested more than 64 levels deep.
  mutating func defect() -> Defect? {
    do throws(Defect) {
      if text.starts(with: [0xEF, 0xBB, 0xBF]) { throw found("a byte order mark; save it without one") }
      try value()
      skipSpace()
      guard offset == text.count else { throw found("text after the end: \(character)") }
      return nil
    } catch {
      return depth > Self.deepest ? nil : error
    }
  }

  private static let deepest = 64

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
    while let byte, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
  }

  private mutating func take(_ wanted: Unicode.Scalar) -> Bool {
    guard byte == UInt8(ascii: wanted) else { return false }
    offset += 1
    return true
  }

  private mutating func value() throws(Defect) {
    skipSpace()
    switch byte {
    case UInt8(ascii: "{"): try object()
    case UInt8(ascii: "["): try array()
    case UInt8(ascii: "\""): try string()
    case .some(let byte) where "-0123456789".utf8.contains(byte): try number()
    default:
      for word in ["true", "false", "null"] where text[offset...].starts(with: word.utf8) {
        offset += word.utf8.count
        return
      }
      throw expected("a value")
    }
  }

  private mutating func object() throws(Defect) {
    try enter()
    var keys: Set<[UInt8]> = []
    skipSpace()
    if take("}") { return depth -= 1 }
    while true {
      skipSpace()
      guard byte == UInt8(ascii: "\"") else { throw expected("a key in double quotes") }
      let start = offset
      try string()
      guard keys.insert(Array(text[start..<offset])).inserted else {
        offset = start
        throw found("the object has this key already")
      }
      skipSpace()
      guard take(":") else { throw expected("a colon after the key") }
      try value()
      skipSpace()
      if take("}") { return depth -= 1 }
      guard take(",") else { throw expected("a comma or }") }
    }
  }

  private mutating func array() throws(Defect) {
    try enter()
    skipSpace()
    if take("]") { return depth -= 1 }
    while true {
      try value()
      skipSpace()
      if take("]") { return depth -= 1 }
      guard take(",") else { throw expected("a comma or ]") }
    }
  }

  private mutating func enter() throws(Defect) {
    offset += 1
    depth += 1
    if depth > Self.deepest { throw found("nested too deeply") }
  }

  private mutating func string() throws(Defect) {
    let start = offset
    offset += 1
    while let byte {
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        return
      case 0..<0x20:
        guard byte == 0x0A || byte == 0x0D else { throw found("a control character inside a string; escape it") }
        throw expected("a closing double quote")
      case UInt8(ascii: "\\"):
        offset += 1
        try escape()
      default: offset += 1
      }
    }
    offset = start
    throw found("a string that is not closed")
  }

  private mutating func escape() throws(Defect) {
    guard let byte, "\"\\/bfnrtu".utf8.contains(byte) else { throw expected("one of \" \\ / b f n r t u after \\") }
    offset += 1
    guard byte == UInt8(ascii: "u") else { return }
    for _ in 0..<4 {
      guard let digit = self.byte, Character(Unicode.Scalar(digit)).isHexDigit else {
        throw expected("four hexadecimal digits after \\u")
      }
      offset += 1
    }
  }

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
}
