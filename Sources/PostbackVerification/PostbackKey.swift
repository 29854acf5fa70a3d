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

  /// Parses 32 hexadecimal digits in lower case, as the tables have them; nil for other bytes.
  package init?(hexadecimal digits: Span<UInt8>) {
    guard digits.count == Self.length else { return nil }
    var value: UInt128 = 0
    for index in digits.indices {
      let digit = digits[index]
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt128(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt128(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    self.init(high: UInt64(truncatingIfNeeded: value >> 64), low: UInt64(truncatingIfNeeded: value))
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
