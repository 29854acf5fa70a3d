internal import Base

/// A text in which each character may be escaped, alone and in another way than the next: as `%XX`, `\uXXXX`, a backslash and the
/// character, or an entity of HTML. A space may be `+`. Hexadecimal digits may be of either case.
struct EscapedAnswer {
  let bytes: [UInt8]
  /// The end without a character that is cut, which is read as U+FFFD.
  private let wholeEnd: Int

  /// The least number of characters of the beginning of a secret that is found where the text ends.
  private static let leastBeginning = 4
  /// The most bytes of an escape that is looked for: two surrogates.
  private static let longestEscape = 12
  private static let entities: [(name: [UInt8], value: UInt8)] = [
    (Array("amp;".utf8), UInt8(ascii: "&")), (Array("quot;".utf8), UInt8(ascii: "\"")),
    (Array("apos;".utf8), UInt8(ascii: "'")), (Array("lt;".utf8), UInt8(ascii: "<")),
    (Array("gt;".utf8), UInt8(ascii: ">")),
  ]
  private static let controls: [UInt8: UInt8] = [
    UInt8(ascii: "b"): 0x08, UInt8(ascii: "t"): 0x09, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "f"): 0x0C,
    UInt8(ascii: "r"): 0x0D,
  ]

  init(_ text: String) {
    bytes = Array(text.utf8)
    wholeEnd = text.unicodeScalars.last == "\u{FFFD}" ? bytes.count - 3 : bytes.count
  }

  /// Returns the last place where a secret ends that starts at a place; the end of the text if it ends within the secret, behind at
  /// least four of its characters; nil if the secret does not start there.
  func end(of secret: [UInt8], from start: Int) -> Int? {
    guard bytes[start] == secret[0] || Self.mayEscape(bytes[start]) else { return nil }
    var found: Int?
    var cut: Int?
    // Every step leads to a later place, so that the first one is not reached again.
    var open = [Progress(place: start, matched: 0)]
    while let index = open.indices.min(by: { open[$0].place < open[$1].place }) {
      let progress = open.remove(at: index)
      guard progress.matched < secret.count else {
        found = max(found ?? 0, progress.place)
        continue
      }
      if isCut(progress.place), secret[..<progress.matched].characterCount >= Self.leastBeginning { cut = bytes.count }
      for next in steps(from: progress, secret) where !open.contains(next) { open.append(next) }
    }
    return found ?? cut
  }

  /// A place in the text up to which a number of the bytes of a secret was found.
  private struct Progress: Equatable {
    var place: Int
    var matched: Int
  }

  private func steps(from progress: Progress, _ secret: [UInt8]) -> [Progress] {
    let (place, rest) = (progress.place, secret[progress.matched...])
    guard place < bytes.count else { return [] }
    var steps: [Progress] = []
    func take(_ decoded: some Collection<UInt8>, _ length: Int) {
      guard rest.starts(with: decoded) else { return }
      steps.append(Progress(place: place + length, matched: progress.matched + decoded.count))
    }
    take(CollectionOfOne(bytes[place]), 1)
    guard Self.mayEscape(bytes[place]) else { return steps }
    if bytes[place] == UInt8(ascii: "+") { take(CollectionOfOne(UInt8(ascii: " ")), 1) }
    if bytes[place] == UInt8(ascii: "\\"), place + 1 < bytes.count {
      take(CollectionOfOne(bytes[place + 1]), 2)
      if let control = Self.controls[bytes[place + 1]] { take(CollectionOfOne(control), 2) }
    }
    if let (code, length) = code(at: place) {
      // A byte of a character may also have been read as a character of its own, as in ISO 8859-1.
      if let byte = UInt8(exactly: code) { take(CollectionOfOne(byte), length) }
      if code >= 0x80, let scalar = Unicode.Scalar(code) { take(Array(String(scalar).utf8), length) }
    }
    return steps
  }

  /// The number that an escape at a place stands for, with the length of the escape.
  private func code(at place: Int) -> (code: UInt32, length: Int)? {
    switch bytes[place] {
    case UInt8(ascii: "%"): return number(at: place + 1, digits: 2).map { ($0, 3) }
    case UInt8(ascii: "\\"):
      guard let high = utf16(at: place) else { return nil }
      guard 0xD800..<0xDC00 ~= high, let low = utf16(at: place + 6), 0xDC00..<0xE000 ~= low else { return (high, 6) }
      return (0x10000 + (high - 0xD800) << 10 + (low - 0xDC00), 12)
    case UInt8(ascii: "&"): return entity(at: place)
    default: return nil
    }
  }

  private func utf16(at place: Int) -> UInt32? {
    guard bytes[min(place, bytes.count)...].starts(with: "\\u".utf8) else { return nil }
    return number(at: place + 2, digits: 4)
  }

  private func entity(at place: Int) -> (code: UInt32, length: Int)? {
    let rest = bytes[(place + 1)...].prefix(Self.longestEscape - 1)
    if let (name, value) = Self.entities.first(where: { rest.starts(with: $0.name) }) {
      return (UInt32(value), name.count + 1)
    }
    guard rest.first == UInt8(ascii: "#"), let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
    var digits = rest[..<end].dropFirst()
    let isHexadecimal = digits.first?.asciiLowercased == UInt8(ascii: "x")
    if isHexadecimal { digits = digits.dropFirst() }
    guard digits.allSatisfy({ $0.hexadecimalValue != nil }) else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10).map { ($0, end + 1 - place) }
  }

  private func number(at place: Int, digits: Int) -> UInt32? {
    guard place + digits <= bytes.count else { return nil }
    return bytes[place..<(place + digits)].reduce(0 as UInt32?) { number, digit in
      guard let number, let value = digit.hexadecimalValue else { return nil }
      return number << 4 | UInt32(value)
    }
  }

  /// Returns true if the text ends at a place, or within an escape that starts there.
  private func isCut(_ place: Int) -> Bool {
    guard place < wholeEnd else { return true }
    let rest = bytes[place..<wholeEnd]
    guard rest.count < Self.longestEscape else { return false }
    let digits = rest.dropFirst(2)
    switch rest[place] {
    case UInt8(ascii: "%"): return rest.count < 3 && rest.dropFirst().allSatisfy { $0.hexadecimalValue != nil }
    case UInt8(ascii: "\\"):
      guard rest.count > 1 else { return true }
      guard rest[place + 1] == UInt8(ascii: "u") else { return false }
      if rest.count < 6 { return digits.allSatisfy { $0.hexadecimalValue != nil } }
      guard let high = utf16(at: place), 0xD800..<0xDC00 ~= high else { return false }
      return rest.count == 6 || rest[place + 6] == UInt8(ascii: "\\")
    case UInt8(ascii: "&"):
      if rest.count > 1, rest[place + 1] == UInt8(ascii: "#") {
        return digits.allSatisfy { $0.hexadecimalValue != nil || $0.asciiLowercased == UInt8(ascii: "x") }
      }
      return Self.entities.contains { $0.name.starts(with: rest.dropFirst()) && $0.name.count >= rest.count }
    default: return false
    }
  }

  private static func mayEscape(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: "&"), UInt8(ascii: "+"): true
    default: false
    }
  }
}

extension ArraySlice<UInt8> {
  /// The number of characters of UTF-8 that start in the bytes.
  fileprivate var characterCount: Int { count { $0 & 0xC0 != 0x80 } }
}
