internal import Base
package import Signatures

/// The first 64 bits of a signature's r, without the zero bytes before it.
///
/// Two signatures of one key have the same r only if one was made of the other: Apple draws r at random for each postback. Other
/// encodings of a signature have the same value, and so has its counterpart with n − s instead of s, which is as valid.
package struct SignatureR: Hashable, Sendable {
  /// The bits; the highest byte is the first of r that is not 0.
  package let bits: UInt64

  /// Makes a value of its bits.
  package init(bits: UInt64) { self.bits = bits }

  /// Reads the r of a signature; nil if it is not in that form, or if r is 0.
  ///
  /// Of DER only the start is read, and other encodings than the shortest are read too.
  package init?(_ signature: Span<UInt8>, as form: SignatureForm) {
    guard var place = form == .der ? Self.start(inDER: signature) : 0 else { return nil }
    while place < signature.count, signature[place] == 0 { place += 1 }
    var bits: UInt64 = 0
    for index in place..<place + 8 { bits = bits << 8 | UInt64(index < signature.count ? signature[index] : 0) }
    guard bits != 0 else { return nil }
    self.bits = bits
  }

  /// Returns the place of the first integer's bytes in a sequence; nil if there is none.
  private static func start(inDER bytes: Span<UInt8>) -> Int? {
    var place = 0
    for tag: UInt8 in [0x30, 0x02] {
      guard place + 2 < bytes.count, bytes[place] == tag else { return nil }
      let length = bytes[place + 1]
      place += 2
      // Of a long length, the low bits count the bytes that follow.
      if length > 0x80 { place += Int(length & 0x7F) }
    }
    return place < bytes.count ? place : nil
  }

  /// The number of bytes that `write(to:)` writes.
  package static let length = 11

  /// Writes the bits in base64 (RFC 4648, section 5) without padding, as the tables have them.
  package func write(to text: inout OutputSpan<UInt8>) { text.append(base64URL: bits) }

  /// Parses what `write(to:)` writes; nil for other bytes.
  package init?(written text: Span<UInt8>) {
    guard let bits = UInt64(base64URL: text) else { return nil }
    self.bits = bits
  }
}
