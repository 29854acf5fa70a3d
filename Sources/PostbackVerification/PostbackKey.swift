internal import Base
internal import JSON
package import Signatures

/// The key of a postback: the first 128 bits of the SHA-256 of framework, ad network, transaction and window, joined by
/// U+2063.
///
/// The key is the same in every run, so that tables of different runs can be joined.
public struct PostbackKey: Hashable, Sendable, CustomStringConvertible {
  /// The upper 64 bits of the key.
  package let high: UInt64
  /// The lower 64 bits of the key.
  package let low: UInt64

  /// Makes the key from the first 128 bits of a digest.
  package init(_ digest: SHA256Digest) {
    high = digest.words.0
    low = digest.words.1
  }

  /// Makes a key from its halves.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Makes a key from its 128 bits.
  @available(iOS 18.0, *)
  package init(_ number: UInt128) {
    self.init(high: UInt64(truncatingIfNeeded: number >> 64), low: UInt64(truncatingIfNeeded: number))
  }

  /// Parses 32 hexadecimal digits in lower case, as the tables have them; nil for other bytes.
  package init?(hexadecimal digits: Span<UInt8>) {
    guard digits.count == Self.length else { return nil }
    let half = Self.length / 2
    guard let high = Self.number(digits.extracting(0..<half)), let low = Self.number(digits.extracting(half...)) else {
      return nil
    }
    self.init(high: high, low: low)
  }

  /// The number with up to 16 digits; nil if there are other bytes.
  private static func number(_ digits: Span<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    var isWrong = false
    for index in digits.indices {
      let digit = digits[index]
      let (number, letter) = (digit &- UInt8(ascii: "0"), digit &- UInt8(ascii: "a"))
      // Without a branch on the digit, which would be guessed wrong every other time.
      isWrong = isWrong || (number > 9 && letter > 5)
      value = value << 4 | UInt64((number > 9 ? letter &+ 10 : number) & 15)
    }
    return isWrong ? nil : value
  }

  /// Writes the key as 32 hexadecimal digits.
  package func write(to text: inout OutputSpan<UInt8>) {
    text.append(hexadecimal: high)
    text.append(hexadecimal: low)
  }

  /// The key as 32 hexadecimal digits, as the tables have it.
  public var description: String {
    var text: [UInt8] = []
    text.append(addingCapacity: Self.length) { write(to: &$0) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The number of bytes that `write(to:)` writes.
  package static let length = 32
}

@available(iOS 18.0, *)
extension UInt128 {
  /// The key of a postback as one number.
  package init(_ key: PostbackKey) { self = UInt128(key.high) << 64 | UInt128(key.low) }
}
