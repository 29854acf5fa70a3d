/// Base64 with nothing forgiven (RFC 4648): no white space, no missing or surplus padding, no bits left over.
public enum Base64: Sendable {
  /// Section 4: `+` and `/`, padded with `=`.
  case standard
  /// Section 5: `-` and `_`, not padded, as JWS has it (RFC 7515, section 2).
  case url

  /// Appends what `text` encodes to `output`; false, with nothing appended, where it is not in canonical form.
  public func decode(_ text: some RandomAccessCollection<UInt8>, appendingTo output: inout [UInt8]) -> Bool {
    var text = text[...]
    if self == .standard {
      guard text.count % 4 == 0 else { return false }
      if text.last == Self.padding { text = text.dropLast() }
      if text.last == Self.padding { text = text.dropLast() }
    }
    guard text.count % 4 != 1 else { return false }
    let start = output.count
    let values = self == .standard ? Self.standardValues : Self.urlValues
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for character in text {
      let value = values[Int(character)]
      guard value < 64 else {
        output.removeSubrange(start...)
        return false
      }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      output.append(UInt8(truncatingIfNeeded: bits >> bitCount))
    }
    guard bits & (1 << bitCount - 1) == 0 else {
      output.removeSubrange(start...)
      return false
    }
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
