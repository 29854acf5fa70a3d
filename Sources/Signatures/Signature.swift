/// How the two integers of an ECDSA signature are written down.
public enum SignatureForm: Hashable, Sendable, CaseIterable {
  /// ECDSA-Sig-Value (RFC 3279, section 2.2.3) in DER: SKAdNetwork's.
  case der

  /// r, then s, each big-endian in the curve's field size (RFC 7518, section 3.4): JWS's.
  case raw
}

extension SignatureForm {
  /// Appends r, then s, each in the curve's field size; the verdict, where the form alone tells it.
  package func appendRaw(_ signature: Span<UInt8>, on curve: Curve, to raw: inout [UInt8]) -> SignatureVerdict? {
    switch self {
    case .der:
      guard let integers = DERSignature(signature) else { return .malformed }
      return integers.appendRaw(curve, of: signature, to: &raw) ? nil : .invalid
    case .raw:
      guard signature.count == 2 * curve.fieldByteCount else { return .malformed }
      for index in signature.indices { raw.append(signature[index]) }
      return nil
    }
  }
}

extension SignatureForm {
  /// The bytes of a signature that is given as r, then s, each in the curve's field size.
  package func bytes(ofRaw signature: [UInt8]) -> [UInt8] {
    switch self {
    case .der: DERSignature.bytes(ofRaw: signature.span)
    case .raw: signature
    }
  }
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

  /// Whether r and s are non-negative and in no more bytes than the curve's order. None other is in 1..<n.
  func fits(_ curve: Curve, in bytes: Span<UInt8>) -> Bool {
    Self.magnitude(r, of: curve, in: bytes) != nil && Self.magnitude(s, of: curve, in: bytes) != nil
  }

  /// Appends r, then s, each in the curve's field size; false, and nothing is appended, where they do not fit it.
  func appendRaw(_ curve: Curve, of bytes: Span<UInt8>, to raw: inout [UInt8]) -> Bool {
    guard let r = Self.magnitude(r, of: curve, in: bytes), let s = Self.magnitude(s, of: curve, in: bytes) else {
      return false
    }
    for _ in r.count..<curve.fieldByteCount { raw.append(0) }
    for index in r { raw.append(bytes[index]) }
    for _ in s.count..<curve.fieldByteCount { raw.append(0) }
    for index in s { raw.append(bytes[index]) }
    return true
  }

  /// An integer's bytes less the zero that makes it positive; nil where it is negative or too long for the curve.
  private static func magnitude(_ integer: Range<Int>, of curve: Curve, in bytes: Span<UInt8>) -> Range<Int>? {
    let first = bytes[integer.lowerBound]
    let magnitude = first == 0 ? integer.dropFirst() : integer
    return first < 0x80 && magnitude.count <= curve.fieldByteCount ? magnitude : nil
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
