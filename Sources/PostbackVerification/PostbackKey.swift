internal import Base
package import SKAdNetwork
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

  /// Makes the key of a postback. `hash` and `buffer` are used for it.
  package init(
    of postback: Postback,
    in bytes: [UInt8],
    _ hash: inout SHA256,
    _ buffer: inout [UInt8]
  ) throws(LibcryptoFailure) {
    buffer.removeAll(keepingCapacity: true)
    postback.appendIdentity(of: bytes, to: &buffer)
    self.init(try hash.digest(of: buffer.span))
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
    guard let high = UInt64(hexadecimal: digits.extracting(0..<16)),
      let low = UInt64(hexadecimal: digits.extracting(16...))
    else { return nil }
    self.init(high: high, low: low)
  }

  /// Writes the key as 32 hexadecimal digits.
  package func write(to text: inout OutputSpan<UInt8>) {
    text.append(hexadecimal: high)
    text.append(hexadecimal: low)
  }

  /// The key as 32 hexadecimal digits, as the tables have it.
  public var description: String { String(capacity: Self.length) { write(to: &$0) } }

  /// The number of bytes that `write(to:)` writes.
  package static let length = 32
}

@available(iOS 18.0, *)
extension UInt128 {
  /// The key of a postback as one number.
  package init(_ key: PostbackKey) { self = UInt128(key.high) << 64 | UInt128(key.low) }
}
