internal import Base
internal import JSON

/// A reader of dictionaries of AdServices and iAd as Foundation prints them: `key = value;` in braces, on several lines or on one,
/// also behind what a log puts before the first brace. It repairs what Apple's published sample has wrong: curly quotes, missing
/// semicolons, a quote at the end of a number, and a missing last brace.
struct PrintedDictionary {
  private let text: [Unicode.Scalar]
  private var index = 0
  /// The number of the line, from 1.
  private(set) var line = 1
  /// Indicates that something was repaired in the last dictionary.
  private(set) var isRepaired = false

  private static let quotes: Set<Unicode.Scalar> = ["\"", "\u{201C}", "\u{201D}", "\u{201E}"]
  /// The characters by the letters behind a backslash.
  private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
    "a": "\u{7}", "b": "\u{8}", "f": "\u{C}", "n": "\n", "r": "\r", "t": "\t", "v": "\u{B}", "\"": "\"", "'": "'",
    "\\": "\\",
  ]
  /// The dictionary of a version in the outer one; no field is a dictionary.
  private static let mostDepth = 2

  init(_ text: String) { self.text = Array(text.unicodeScalars) }

  /// Indicates that a text has a dictionary's field, and is worth reading.
  static func isLikely(in text: String) -> Bool {
    text.contains("iad-")
      || text.ranges(of: "attribution").contains { range in
        text[range.upperBound...].first { !$0.isWhitespace && !quotes.contains($0.unicodeScalars.first ?? "=") } == "="
      }
  }

  /// Returns the next dictionary, or the JSON object or the dictionary of Swift that is a line; nil at the end, and where none begins.
  mutating func next() -> JSONValue? {
    skipSpace()
    isRepaired = false
    if scalar == "{" {
      if let json = line(as: { try? JSONValue(parsing: $0) }) { return json }
    } else if scalar == "[", let dictionary = line(as: { Self.swiftDictionary(in: $0[...]) }) {
      return dictionary
    } else {
      let line = text[index...].prefix { $0 != "\n" }
      if let brace = line.firstIndex(of: "{"),
        line[(brace + 1)...].allSatisfy(\.properties.isWhitespace) || Self.isWhole(line)
      {
        index = brace
        isRepaired = true
      }
    }
    return value(depth: 0).flatMap { if case .object = $0 { $0 } else { nil } }
  }

  /// Reads a line with a value; nil, without reading anything, if the line is another one.
  private mutating func line(as parse: ([UInt8]) -> JSONValue?) -> JSONValue? {
    guard [nil, "\n"].contains(text[..<index].last { $0 == "\n" || !$0.properties.isWhitespace }) else { return nil }
    let end = lineEnd(from: index)
    guard let value = parse(Self.bytes(text[index..<end])) else { return nil }
    index = end
    return value
  }

  private static func bytes(_ text: ArraySlice<Unicode.Scalar>) -> [UInt8] {
    Array(String(String.UnicodeScalarView(text)).utf8)
  }

  /// Returns the dictionary that Swift prints as `["attribution": 1, "orgId": 5]`, in square brackets and else as JSON, or with
  /// texts of Foundation, which have no quotes; nil for other texts.
  static func swiftDictionary(in text: ArraySlice<UInt8>) -> JSONValue? {
    guard text.count <= AttributionFile.mostRecordBytes, let first = text.firstIndex(where: { !$0.isWhitespace }),
      let last = text.lastIndex(where: { !$0.isWhitespace }), text[first] == UInt8(ascii: "["),
      text[last] == UInt8(ascii: "]"), text[(first + 1)...].first(where: { !$0.isWhitespace }) == UInt8(ascii: "\"")
    else { return nil }
    let members = text[(first + 1)..<last]
    return (try? JSONValue(parsing: Array("{".utf8 + members + "}".utf8)))
      ?? unquotedDictionary(String(decoding: members, as: UTF8.self))
  }

  /// Returns the dictionary with members such as `"a": US, "b": 5`; nil for other texts, with several lines or with dictionaries
  /// or parentheses of Swift in them.
  private static func unquotedDictionary(_ text: String) -> JSONValue? {
    guard !text.contains(where: \.isNewline), !text.contains("Optional("), !text.contains("AnyHashable(") else {
      return nil
    }
    var members: [JSONValue.Member] = []
    var keys: Set<Substring> = []
    var rest = text[...].trimmed
    while !rest.isEmpty {
      guard let end = keyEnd(in: rest) else { return nil }
      let key = rest[..<end].dropFirst().dropLast(2)
      rest = rest[end...].drop(while: \.isWhitespace)
      let value = rest[..<valueEnd(in: rest)]
      guard let scalar = scalar(value.trimmed), keys.insert(key).inserted else { return nil }
      members.append(.init(String(key), scalar))
      rest = rest[value.endIndex...].dropFirst().drop(while: \.isWhitespace)
    }
    return members.isEmpty ? nil : .object(members)
  }

  /// Returns the end of the key and the colon with which a text begins; nil if it begins with none.
  private static func keyEnd(in text: Substring) -> Substring.Index? {
    guard text.first == "\"", let quote = text.dropFirst().firstIndex(of: "\"") else { return nil }
    let colon = text.index(after: quote)
    return colon < text.endIndex && text[colon] == ":" ? text.index(after: colon) : nil
  }

  /// Returns the place of the comma behind the value with which a text begins, or the end: without quotes the value ends only
  /// before a comma with a key behind it.
  private static func valueEnd(in text: Substring) -> Substring.Index {
    var (isQuoted, isEscaped) = (false, false)
    let hasQuotes = text.first == "\""
    for index in text.indices {
      let next = text[index]
      if hasQuotes, next == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = !isEscaped && next == "\\"
      guard next == ",", !isQuoted else { continue }
      if keyEnd(in: text[index...].dropFirst().drop(while: \.isWhitespace)) != nil { return index }
    }
    return text.endIndex
  }

  /// Returns the value of a text as Swift prints it; nil for what is no text, number or Boolean.
  private static func scalar(_ text: Substring) -> JSONValue? {
    guard let first = text.first, !"[{".contains(first) else { return nil }
    if text == "<null>" { return .null }
    return (try? JSONValue(parsing: Array(text.utf8))) ?? (first == "\"" ? nil : .string(String(text)))
  }

  /// Returns the text from the beginning of a line to the next line, from the place that was reached on, on which a dictionary
  /// may begin, and goes there.
  mutating func skip(from first: Int) -> String {
    var next = lineStart(before: index)
    var start = next
    for _ in first..<line { start = lineStart(before: start - 1) }
    if line == first { (next, line) = (lineEnd(from: next) + 1, line + 1) }
    while next <= text.count {
      let end = lineEnd(from: next)
      let found = text[next..<end]
      if found.last(where: { !$0.properties.isWhitespace }) == "{" || Self.isWhole(found) { break }
      let isInBrackets = found.first { !$0.properties.isWhitespace } == "["
      if isInBrackets, Self.swiftDictionary(in: Self.bytes(found)[...]) != nil { break }
      (next, line) = (end + 1, line + 1)
    }
    index = min(next, text.count)
    return String(String.UnicodeScalarView(text[start..<next - 1]))
  }

  /// Indicates that a line ends with a brace, and begins with one or has a dictionary behind other text.
  private static func isWhole(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
    guard let brace = line.firstIndex(of: "{"), line.last(where: { !$0.properties.isWhitespace }) == "}" else {
      return false
    }
    return line[..<brace].allSatisfy(\.properties.isWhitespace) || line[brace...].contains("=")
  }

  private func lineStart(before end: Int) -> Int { text[..<end].lastIndex(of: "\n").map { $0 + 1 } ?? 0 }

  private func lineEnd(from start: Int) -> Int { text[start...].firstIndex(of: "\n") ?? text.count }

  /// Indicates that all text was read.
  mutating func isAtEnd() -> Bool {
    skipSpace()
    return index == text.count
  }

  private var scalar: Unicode.Scalar? { index < text.count ? text[index] : nil }

  private mutating func advance() {
    if scalar == "\n" { line += 1 }
    index += 1
  }

  private mutating func skipSpace() { while let scalar, scalar.properties.isWhitespace { advance() } }

  private mutating func value(depth: Int) -> JSONValue? {
    guard let first = scalar else { return nil }
    if first == "{" {
      guard depth < Self.mostDepth else { return nil }
      advance()
      return members(depth: depth)
    }
    if Self.quotes.contains(first) { return quoted().map { .string($0) } }
    var word = bare()
    while let last = word.unicodeScalars.last, Self.quotes.contains(last) {
      word.unicodeScalars.removeLast()
      isRepaired = true
    }
    if word.isEmpty { return nil }
    if word == "true" || word == "false" { return .bool(word == "true") }
    return Int64(word).map { "\($0)" } == word ? .number(word) : .string(word)
  }

  private mutating func members(depth: Int) -> JSONValue? {
    var members: [JSONValue.Member] = []
    var places: [String: Int] = [:]
    while true {
      skipSpace()
      guard let first = scalar else {
        guard !members.isEmpty else { return nil }
        isRepaired = true
        return .object(members)
      }
      if first == "}" {
        advance()
        return .object(members)
      }
      guard let key = Self.quotes.contains(first) ? quoted() : bare(), !key.isEmpty else { return nil }
      skipSpace()
      guard scalar == "=" || scalar == ":" else { return nil }
      advance()
      skipSpace()
      guard let value = value(depth: depth + 1) else { return nil }
      if let place = places[key] {
        members[place] = .init(key, value)
      } else {
        places[key] = members.count
        members.append(.init(key, value))
      }
      skipSpace()
      if scalar == ";" || scalar == "," { advance() } else { isRepaired = true }
    }
  }

  /// Reads a text in quotes. A straight quote ends one that a straight quote begins. Another quote ends a text if the key or the
  /// value ends there, and else it is of the text, as are curly quotes around a word in it.
  private mutating func quoted() -> String? {
    let isStraight = scalar == "\""
    if !isStraight { isRepaired = true }
    advance()
    var content = String.UnicodeScalarView()
    var isWithin = false
    // No line end is within a text: it is printed as \n.
    while let next = scalar, next != "\n" {
      if next == "\\" {
        content.append(contentsOf: escape().unicodeScalars)
        continue
      }
      advance()
      if Self.quotes.contains(next) {
        if isStraight, next == "\"" { return String(content) }
        if !isWithin || next == "\"", isBehindText {
          isRepaired = true
          return String(content)
        }
        if next != "\"" { isWithin = !isWithin && next != "\u{201D}" }
      }
      content.append(next)
    }
    return nil
  }

  /// Indicates that here a key or a value has ended.
  private var isBehindText: Bool {
    let next = text[index...].first { $0 == "\n" || !$0.properties.isWhitespace }
    return next.map { ["=", ";", ":", ",", "}", "\n"].contains($0) } ?? true
  }

  /// Reads escapes from a backslash on: a letter such as `\n`, units of UTF-16 such as `\U00e9`, or bytes of UTF-8 such as
  /// `\303\251`. Those that cannot be decoded stay as they are printed.
  private mutating func escape() -> String {
    let start = index
    var (bytes, units): ([UInt8], [UInt16]) = ([], [])
    while let byte = code(behind: [], digits: 1...3, radix: 8) as UInt8? { bytes.append(byte) }
    if bytes.isEmpty {
      while let unit = code(behind: ["U"], digits: 4...4, radix: 16) as UInt16? { units.append(unit) }
    }
    let decoded =
      if !bytes.isEmpty {
        String(validating: bytes, as: UTF8.self)
      } else if !units.isEmpty {
        String(validating: units, as: UTF16.self)
      } else {
        letter()
      }
    if let decoded { return decoded }
    isRepaired = true
    index = max(index, start + 1)
    return String(String.UnicodeScalarView(text[start..<index]))
  }

  /// Reads a backslash with a letter and digits behind it; nil, without reading anything, if there is none.
  private mutating func code<Code: FixedWidthInteger>(
    behind letter: [Unicode.Scalar],
    digits count: ClosedRange<Int>,
    radix: Int
  ) -> Code? {
    guard text[index...].starts(with: ["\\"] + letter) else { return nil }
    let first = index + 1 + letter.count
    var (end, number) = (first, 0)
    while end < text.count, end - first < count.upperBound, text[end].isASCII,
      let digit = Character(text[end]).hexDigitValue, digit < radix
    {
      (end, number) = (end + 1, number * radix + digit)
    }
    guard count.contains(end - first), let code = Code(exactly: number) else { return nil }
    index = end
    return code
  }

  private mutating func letter() -> String? {
    guard index + 1 < text.count, let meaning = Self.escapes[text[index + 1]] else { return nil }
    index += 2
    return String(meaning)
  }

  private mutating func bare() -> String {
    var word = String.UnicodeScalarView()
    while let next = scalar, !next.properties.isWhitespace, !["{", "}", ";", ",", "=", ":"].contains(next) {
      word.append(next)
      advance()
    }
    return String(word)
  }
}
