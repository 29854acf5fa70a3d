extension UInt8 {
  /// Indicates a digit from 0 to 9.
  @inlinable package var isDecimalDigit: Bool { (0x30...0x39).contains(self) }

  /// Indicates an ASCII letter, or a digit from 0 to 9.
  @inlinable package var isLetterOrDigit: Bool { isDecimalDigit || (0x61...0x7A).contains(self | 0x20) }

  /// The byte with a small ASCII letter in place of a capital one.
  @inlinable package var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  /// Indicates a character of names: a letter, a digit, or one of `-._`.
  package var isInNames: Bool {
    isLetterOrDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "_")
  }

  /// Indicates one of the characters that RFC 3986 never encodes: letters, digits and `-._~`.
  package var isUnreserved: Bool { isInNames || self == UInt8(ascii: "~") }
}

extension Span<UInt8> {
  /// Tells if these are the bytes of a text.
  package func isText(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    return unsafe withUnsafeBytes { bytes in
      unsafe bytes.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
  }
}

extension String {
  /// The text with all bytes percent-encoded that are not unreserved (RFC 3986, section 2.1).
  package var percentEncoded: String { percentEncoded(keeping: nil) }

  /// Returns the text with all bytes percent-encoded that are neither unreserved nor `other`.
  package func percentEncoded(keeping other: UInt8?) -> String {
    var text: [UInt8] = []
    for byte in utf8 {
      if byte.isUnreserved || byte == other {
        text.append(byte)
      } else {
        text.append(UInt8(ascii: "%"))
        for half in [byte >> 4, byte & 15] {
          text.append(half < 10 ? UInt8(ascii: "0") + half : UInt8(ascii: "A") + half - 10)
        }
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
