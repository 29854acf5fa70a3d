/// Strict base64 (RFC 4648): no white space, no missing or surplus padding, no bits left over.
package enum Base64: Sendable {
  /// The alphabet of section 4, with `+` and `/`, padded with `=`.
  case standard
  /// The alphabet of section 5, with `-` and `_`, without padding, as in JWS (RFC 7515, section 2).
  case url

  /// Appends the bytes that `text` encodes to `output`; false, with nothing appended, where it is not in canonical
  /// form.
  package func decode(_ text: Span<UInt8>, appendingTo output: inout [UInt8]) -> Bool {
    var count = text.count
    if self == .standard {
      guard count % 4 == 0 else { return false }
      if count > 0, text[count - 1] == Self.padding { count -= 1 }
      if count > 0, text[count - 1] == Self.padding { count -= 1 }
    }
    let start = output.count
    var isRight = false
    output.append(addingCapacity: (count + 3) / 4 * 3) { output in
      isRight = decode(text.extracting(0..<count), to: &output)
    }
    if !isRight { output.removeSubrange(start...) }
    return isRight
  }

  /// Decodes a text without padding; false at the first error, with the bytes before it appended.
  private func decode(_ text: Span<UInt8>, to output: inout OutputSpan<UInt8>) -> Bool {
    let values = self == .standard ? Self.standardValues : Self.urlValues
    func value(_ index: Int) -> UInt32 { UInt32(values[Int(text[index])]) }
    let tail = text.count % 4
    for index in stride(from: 0, to: text.count - tail, by: 4) {
      let (a, b, c, d) = (value(index), value(index + 1), value(index + 2), value(index + 3))
      guard a | b | c | d < 64 else { return false }
      let bits = a << 18 | b << 12 | c << 6 | d
      output.append(UInt8(truncatingIfNeeded: bits >> 16))
      output.append(UInt8(truncatingIfNeeded: bits >> 8))
      output.append(UInt8(truncatingIfNeeded: bits))
    }
    guard tail > 0 else { return true }
    guard tail > 1 else { return false }
    let first = text.count - tail
    let (a, b, c) = (value(first), value(first + 1), tail == 3 ? value(first + 2) : 0)
    // The bits that belong to no byte must be zero, or one value would have several encodings.
    guard a | b | c < 64, (tail == 3 ? c & 3 : b & 15) == 0 else { return false }
    let bits = a << 18 | b << 12 | c << 6
    output.append(UInt8(truncatingIfNeeded: bits >> 16))
    if tail == 3 { output.append(UInt8(truncatingIfNeeded: bits >> 8)) }
    return true
  }

  /// Returns the bytes in base64.
  package func encode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let bytes = ArraySlice(bytes)
    var output: [UInt8] = []
    encode(bytes.span, appendingTo: &output)
    return output
  }

  /// Appends the bytes in base64.
  package func encode(_ bytes: Span<UInt8>, appendingTo output: inout [UInt8]) {
    let alphabet = self == .standard ? Self.standardAlphabet : Self.urlAlphabet
    output.append(addingCapacity: (bytes.count + 2) / 3 * 4) { output in
      func append(_ bits: UInt32, _ count: Int) {
        for index in 0..<count { output.append(alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)]) }
      }
      let tail = bytes.count % 3
      for index in stride(from: 0, to: bytes.count - tail, by: 3) {
        append(UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2]), 4)
      }
      guard tail > 0 else { return }
      let last = bytes.count - tail
      append(UInt32(bytes[last]) << 16 | (tail == 2 ? UInt32(bytes[last + 1]) << 8 : 0), tail + 1)
      guard self == .standard else { return }
      for _ in tail..<3 { output.append(Self.padding) }
    }
  }

  private static let padding = UInt8(ascii: "=")
  private static let common = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
  private static let standardAlphabet = common + Array("+/".utf8)
  fileprivate static let urlAlphabet = common + Array("-_".utf8)
  private static let standardValues = values(of: standardAlphabet)
  fileprivate static let urlValues = values(of: urlAlphabet)

  private static func values(of alphabet: [UInt8]) -> [UInt8] {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }
}

extension OutputSpan<UInt8> {
  /// Appends the eight bytes of a number, the highest first, as 11 digits of base64 for URLs.
  package mutating func append(base64URL number: UInt64) {
    let alphabet = Base64.urlAlphabet
    for shift in stride(from: 58, through: 4, by: -6) { append(alphabet[Int(number >> UInt64(shift) & 63)]) }
    append(alphabet[Int(number << 2 & 63)])
  }
}

extension UInt64 {
  /// Parses what `append(base64URL:)` appends; nil for other bytes.
  package init?(base64URL text: Span<UInt8>) {
    guard text.count == 11 else { return nil }
    let values = Base64.urlValues
    var (number, all) = (UInt64(0), UInt8(0))
    for index in 0..<10 {
      let value = values[Int(text[index])]
      all |= value
      number = number << 6 | UInt64(value & 63)
    }
    let last = values[Int(text[10])]
    guard all | last < 64, last & 3 == 0 else { return nil }
    self = number << 4 | UInt64(last >> 2)
  }
}
