/// The encoding of the two integers of an ECDSA signature.
public enum SignatureForm: Hashable, Sendable, CaseIterable {
  /// ECDSA-Sig-Value (RFC 3279, section 2.2.3) in DER, the form of SKAdNetwork.
  case der

  /// r, then s, each big-endian in the curve's field size (RFC 7518, section 3.4), the form of JWS.
  case raw
}

extension SignatureForm {
  /// Appends r, then s, each in the curve's field size, and returns nil. Returns a verdict, with nothing appended, if
  /// the form alone shows that the signature is malformed or invalid.
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
  /// Returns the signature in this form. It is given as r, then s, each in the curve's field size.
  package func bytes(ofRaw signature: [UInt8]) -> [UInt8] {
    switch self {
    case .der: DERSignature.bytes(ofRaw: signature.span)
    case .raw: signature
    }
  }
}

/// The verdict on a signature.
public enum SignatureVerdict: Hashable, Sendable {
  /// The key's owner signed the digest.
  case valid

  /// The key's owner did not sign the digest. Signatures with r or s outside 1..<n are invalid too.
  case invalid

  /// The bytes are not a signature at all: not strict DER, or of the wrong length.
  case malformed
}

/// The ranges of r and s in an ECDSA-Sig-Value (RFC 3279, section 2.2.3).
struct DERSignature {
  private let r: Range<Int>
  private let s: Range<Int>

  /// Reads the bytes as strict DER to the last byte; nil if they are not.
  init?(_ bytes: Span<UInt8>) {
    var rest = bytes.indices
    guard var body = DER.take(.sequence, from: &rest, of: bytes), rest.isEmpty,
      let r = DER.takeInteger(from: &body, of: bytes),
      let s = DER.takeInteger(from: &body, of: bytes), body.isEmpty
    else { return nil }
    self.r = r
    self.s = s
  }

  /// Tells if r and s are non-negative and have at most as many bytes as the curve's order. Other integers are outside
  /// 1..<n.
  func fits(_ curve: Curve, in bytes: Span<UInt8>) -> Bool {
    Self.magnitude(r, of: curve, in: bytes) != nil && Self.magnitude(s, of: curve, in: bytes) != nil
  }

  /// Appends r, then s, each in the curve's field size. Returns false, with nothing appended, if they do not fit.
  func appendRaw(_ curve: Curve, of bytes: Span<UInt8>, to raw: inout [UInt8]) -> Bool {
    guard let r = Self.magnitude(r, of: curve, in: bytes), let s = Self.magnitude(s, of: curve, in: bytes) else {
      return false
    }
    Self.append(bytes.extracting(r), paddedFor: curve, to: &raw)
    Self.append(bytes.extracting(s), paddedFor: curve, to: &raw)
    return true
  }

  /// Appends an integer after as many zeros as the curve's field size takes.
  private static func append(_ magnitude: Span<UInt8>, paddedFor curve: Curve, to raw: inout [UInt8]) {
    for _ in magnitude.count..<curve.fieldByteCount { raw.append(0) }
    unsafe magnitude.withUnsafeBufferPointer { unsafe raw.append(contentsOf: $0) }
  }

  /// Returns the range of an integer without its leading zero; nil if it is negative or too long for the curve.
  private static func magnitude(_ integer: Range<Int>, of curve: Curve, in bytes: Span<UInt8>) -> Range<Int>? {
    let first = bytes[integer.lowerBound]
    let magnitude = first == 0 ? integer.dropFirst() : integer
    return first < 0x80 && magnitude.count <= curve.fieldByteCount ? magnitude : nil
  }

  /// Returns the DER of a raw signature, which must have an even number of bytes.
  static func bytes(ofRaw signature: Span<UInt8>) -> [UInt8] {
    let half = signature.count / 2
    return DER.element(
      .sequence,
      DER.integer(signature.extracting(first: half)) + DER.integer(signature.extracting(last: half))
    )
  }
}
