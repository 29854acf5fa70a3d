/// How the two integers of an ECDSA signature are written down.
public enum SignatureForm: Hashable, Sendable, CaseIterable {
  /// ECDSA-Sig-Value (RFC 3279, section 2.2.3) in DER: SKAdNetwork's.
  case der

  /// r, then s, each big-endian in the curve's field size (RFC 7518, section 3.4): JWS's.
  case raw
}

/// What is known of a signature once it was verified.
public enum SignatureVerdict: Hashable, Sendable {
  /// The key's owner signed the digest.
  case valid

  /// The key's owner did not sign the digest. So are signatures whose r or s lies outside 1..<n.
  case invalid

  /// The bytes are not a signature at all: not strict DER, or of the wrong length.
  case malformed
}

/// Where r and s lie in an ECDSA-Sig-Value (RFC 3279, section 2.2.3).
struct DERSignature {
  private let r: Range<Int>
  private let s: Range<Int>

  /// nil where the bytes are not strict DER, to the last byte.
  init?(_ bytes: Span<UInt8>) {
    var rest = bytes.indices
    guard var body = DER.take(.sequence, from: &rest, of: bytes), rest.isEmpty,
      let r = DER.takeInteger(from: &body, of: bytes),
      let s = DER.takeInteger(from: &body, of: bytes), body.isEmpty
    else { return nil }
    self.r = r
    self.s = s
  }

  /// Whether r and s are both non-negative and short enough to be below the curve's order.
  func fits(_ curve: Curve, in bytes: Span<UInt8>) -> Bool {
    let longest = curve.fieldByteCount + 1
    return r.count <= longest && s.count <= longest && bytes[r.lowerBound] < 0x80 && bytes[s.lowerBound] < 0x80
  }

  /// The DER of a raw signature, which has an even number of bytes.
  static func bytes(ofRaw signature: Span<UInt8>) -> [UInt8] {
    let half = signature.count / 2
    return DER.element(
      .sequence,
      DER.integer(signature.extracting(first: half)) + DER.integer(signature.extracting(last: half))
    )
  }
}
