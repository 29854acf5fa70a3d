/// Base64 with nothing forgiven (RFC 4648): no white space, no missing or surplus padding, no bits left over.
public enum Base64: Sendable {
  /// Section 4: `+` and `/`, padded with `=`.
  case standard
  /// Section 5: `-` and `_`, not padded, as JWS has it (RFC 7515, section 2).
  case url

  /// Appends what `text` encodes to `output`; false, with nothing appended, where it is not in canonical form.
  public func decode(_ text: Span<UInt8>, appendingTo output: inout [UInt8]) -> Bool {
    var count = text.count
    if self == .standard {
      guard count % 4 == 0 else { return false }
      if count > 0, text[count - 1] == Self.padding { count -= 1 }
      if count > 0, text[count - 1] == Self.padding { count -= 1 }
    }
    let start = output.count
    let isRight = decode(text.extracting(0..<count), to: &output)
    if !isRight { output.removeSubrange(start...) }
    return isRight
  }

  /// Decodes a text without padding; false, with what came before appended, at what is wrong.
  private func decode(_ text: Span<UInt8>, to output: inout [UInt8]) -> Bool {
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
    // The bits that no byte takes are zero, or the text has a second form.
    guard a | b | c < 64, (tail == 3 ? c & 3 : b & 15) == 0 else { return false }
    let bits = a << 18 | b << 12 | c << 6
    output.append(UInt8(truncatingIfNeeded: bits >> 16))
    if tail == 3 { output.append(UInt8(truncatingIfNeeded: bits >> 8)) }
    return true
  }

  /// The bytes in base64.
  public func encode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let alphabet = self == .standard ? Self.standardAlphabet : Self.urlAlphabet
    var output: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        output.append(alphabet[Int(bits >> bitCount & 63)])
      }
    }
    if bitCount > 0 { output.append(alphabet[Int(bits << (6 - bitCount) & 63)]) }
    if self == .standard {
      while output.count % 4 != 0 { output.append(Self.padding) }
    }
    return output
  }

  private static let padding = UInt8(ascii: "=")
  private static let common = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
  private static let standardAlphabet = common + Array("+/".utf8)
  private static let urlAlphabet = common + Array("-_".utf8)
  private static let standardValues = values(of: standardAlphabet)
  private static let urlValues = values(of: urlAlphabet)

  private static func values(of alphabet: [UInt8]) -> [UInt8] {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }
}
