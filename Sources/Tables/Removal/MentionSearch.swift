internal import Base

/// The search for ids and addresses in any text: as they are, written with escapes of JSON or of URLs, and in base64.
///
/// A mention is masked without changing the length of the text: each letter and digit becomes an `x`, escaped where the
/// character was escaped, so that a JSON document stays one.
struct MentionSearch: Sendable {
  /// The kind of a word, which says where one ends.
  private enum Kind: Sendable {
    case uuid, id, ipv4, other

    /// Tells if a character next to a word makes it a part of a longer word.
    func continues(_ byte: UInt8) -> Bool {
      switch self {
      // As long as it is, it is never a part of another word by chance.
      case .uuid: false
      case .id: byte.isLetterOrDigit || byte == UInt8(ascii: "-")
      case .ipv4: byte.isDecimalDigit || byte == UInt8(ascii: ".")
      case .other: byte.isLetterOrDigit || byte == UInt8(ascii: ":")
      }
    }
  }

  private var words: [ArraySlice<UInt8>: Kind] = [:]
  private var lengths: [Int] = []
  /// The first two bytes of the words.
  private var starts: Set<UInt16> = []

  /// The depth of base64 in base64 that is searched.
  private static let depth = 3

  /// Adds the id of a transaction. One that is short or a number is not searched for, because it cannot be told from other
  /// words.
  mutating func add(id: String) {
    guard id.utf8.count >= 8, !id.utf8.allSatisfy(\.isDecimalDigit) else { return }
    // Text such as user-ID mentions an id that cannot be a part of another one.
    guard id.utf8.count == 36 else { return add(id, .id) }
    add(id, .uuid)
    let digits = id.replacing("-", with: "")
    if digits.utf8.count == 32 { add(digits, .uuid) }
  }

  /// Adds a network address.
  mutating func add(address: String) { add(address, address.contains(":") || !address.contains(".") ? .other : .ipv4) }

  private mutating func add(_ word: String, _ kind: Kind) {
    let bytes = Array(word.lowercased().utf8)
    guard bytes.count >= 3, words.updateValue(kind, forKey: bytes[...]) == nil else { return }
    starts.insert(UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
    if !lengths.contains(bytes.count) { lengths.append(bytes.count) }
  }

  /// Indicates that nothing is searched for.
  var isEmpty: Bool { words.isEmpty }

  /// Tells if a text has one of the words.
  func finds(in text: [UInt8]) -> Bool { masked(text) != nil }

  /// Returns a text of the same length in which the words are masked; nil if it has none of them.
  func masked(_ text: [UInt8]) -> [UInt8]? { isEmpty ? nil : masked(text, depth: 0) }

  private func masked(_ text: [UInt8], depth: Int) -> [UInt8]? {
    var masked = text
    var isFound = mask(LooseText(literal: text), in: &masked)
    if text.contains(UInt8(ascii: "\\")) {
      isFound = mask(LooseText(text, unescapingPercent: false), in: &masked) || isFound
    }
    if text.contains(UInt8(ascii: "%")) {
      isFound = mask(LooseText(text, unescapingPercent: true), in: &masked) || isFound
    }
    guard depth < Self.depth else { return isFound ? masked : nil }
    let shortest = (lengths.min() ?? 0) * 4 / 3
    for run in Base64Run.all(in: text) where run.places.count >= shortest {
      guard let bytes = run.decoded(from: text), let hidden = self.masked(bytes, depth: depth + 1) else { continue }
      run.replace(by: hidden, in: &masked)
      isFound = true
    }
    return isFound ? masked : nil
  }

  /// Masks the words that one reading of a text has. Returns false if it has none.
  private func mask(_ text: LooseText, in masked: inout [UInt8]) -> Bool {
    let values = text.values
    var isFound = false
    var index = 0
    while index + 1 < values.count {
      defer { index += 1 }
      guard starts.contains(UInt16(values[index]) << 8 | UInt16(values[index + 1])) else { continue }
      for length in lengths where index + length <= values.count {
        let end = index + length
        guard let kind = words[values[index..<end]], index == 0 || !kind.continues(values[index - 1]),
          end == values.count || !kind.continues(values[end])
        else { continue }
        isFound = true
        for place in index..<end where values[place].isLetterOrDigit { text.mask(place, in: &masked) }
      }
    }
    return isFound
  }
}

/// One reading of a text: its characters in lower case, with the ranges of bytes that they are written with.
private struct LooseText {
  /// The characters; 0x80 for each that is not ASCII.
  var values: [UInt8] = []
  /// The offset behind each character; nil if each is one byte.
  private var ends: [Int]?

  /// Reads each byte as a character.
  init(literal text: [UInt8]) { values = text.map(\.asciiLowercased) }

  /// Reads escapes of JSON strings, also of strings in strings, and if wanted those of URLs, as the characters that they
  /// mean.
  init(_ text: [UInt8], unescapingPercent: Bool) {
    var ends: [Int] = []
    values.reserveCapacity(text.count)
    ends.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      var (value, end) = (text[index], index + 1)
      if value == UInt8(ascii: "\\") {
        while end < text.count, text[end] == UInt8(ascii: "\\") { end += 1 }
        if end < text.count {
          if text[end] == UInt8(ascii: "u"), let code = Self.number(text, end + 1, digits: 4) {
            (value, end) = (code < 0x80 ? UInt8(code) : 0x80, end + 5)
          } else if let meaning = Self.meaning(text[end]) {
            (value, end) = (meaning, end + 1)
          }
        }
      } else if unescapingPercent, value == UInt8(ascii: "%") {
        var start = end
        while Self.number(text, start, digits: 2) == 0x25 { start += 2 }
        if let code = Self.number(text, start, digits: 2) { (value, end) = (UInt8(min(code, 0x80)), start + 2) }
      }
      values.append(value.asciiLowercased)
      ends.append(end)
      index = end
    }
    self.ends = ends
  }

  /// Puts an `x` in the place of a character, in the form in which the character is written.
  func mask(_ place: Int, in text: inout [UInt8]) {
    guard let ends else { return text[place] = UInt8(ascii: "x") }
    let (start, end) = (place == 0 ? 0 : ends[place - 1], ends[place])
    if end - start == 1 {
      text[start] = UInt8(ascii: "x")
    } else if text[start] == UInt8(ascii: "%") {
      text.replaceSubrange(end - 2..<end, with: "78".utf8)
    } else {
      text.replaceSubrange(end - 4..<end, with: "0078".utf8)
    }
  }

  private static func meaning(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "/"): byte
    case UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): 0x20
    default: nil
    }
  }

  /// Returns the number that some hexadecimal digits at an offset are; nil if they are not there.
  private static func number(_ text: [UInt8], _ start: Int, digits: Int) -> Int? {
    guard start + digits <= text.count else { return nil }
    var number = 0
    for byte in text[start..<start + digits] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
      number = number << 4 | digit
    }
    return number
  }
}

/// A part of a text that may be base64, in either alphabet, with or without padding.
private struct Base64Run {
  /// The offsets of its characters, without backslashes before a slash and without padding.
  private(set) var places: [Int] = []

  /// Returns all parts of a text that may be base64.
  static func all(in text: [UInt8]) -> [Base64Run] {
    var runs: [Base64Run] = []
    var run = Base64Run()
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte.isInBase64 {
        run.places.append(index)
      } else if byte == UInt8(ascii: "\\") {
        while index + 1 < text.count, text[index + 1] == UInt8(ascii: "\\") { index += 1 }
        if index + 1 < text.count, text[index + 1] != UInt8(ascii: "/") {
          // The letter is of an escape such as \n.
          index += 1
          run.end(&runs)
        }
      } else {
        run.end(&runs)
      }
      index += 1
    }
    run.end(&runs)
    return runs
  }

  private mutating func end(_ runs: inout [Base64Run]) {
    if places.count >= 4 { runs.append(self) }
    places.removeAll()
  }

  func decoded(from text: [UInt8]) -> [UInt8]? {
    let digits = places.map { place in
      switch text[place] {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      case let byte: byte
      }
    }
    var bytes: [UInt8] = []
    return Base64.url.decode(digits.span, appendingTo: &bytes) ? bytes : nil
  }

  /// Writes other bytes of the same length in its place, in its alphabet.
  func replace(by bytes: [UInt8], in text: inout [UInt8]) {
    let isForURLs = places.contains { text[$0] == UInt8(ascii: "-") || text[$0] == UInt8(ascii: "_") }
    for (place, digit) in zip(places, (isForURLs ? Base64.url : .standard).encode(bytes)) { text[place] = digit }
  }
}

extension UInt8 {
  fileprivate var isInBase64: Bool {
    switch self {
    case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: isLetterOrDigit
    }
  }
}
