import Signatures

/// Bytes written in hexadecimal; spaces may group them.
func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// The SHA-256 digest of a text's UTF-8.
func digest(of text: String) throws -> SHA256Digest { try digest(of: Array(text.utf8)) }

/// The SHA-256 digest of bytes.
func digest(of bytes: [UInt8]) throws -> SHA256Digest {
  var hash = try SHA256()
  return try hash.digest(of: bytes.span)
}

extension SHA256Digest {
  var array: [UInt8] {
    let bytes = bytes
    return bytes.indices.map { bytes[$0] }
  }
}

/// A DER element of less than 256 bytes, implemented separately from the code under test.
func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
  [tag] + (content.count < 0x80 ? [] : [0x81]) + [UInt8(content.count)] + content
}

/// A DER integer of an unsigned big-endian number in the fewest bytes.
func integer(_ magnitude: [UInt8]) -> [UInt8] {
  let digits = magnitude.drop { $0 == 0 }
  return element(0x02, (digits.first ?? 0x80) < 0x80 ? Array(digits) : [0] + digits)
}

/// left − right of big-endian numbers of one size.
func difference(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
  var borrow = 0
  let digits = zip(left, right).reversed().map { left, right in
    let value = Int(left) - Int(right) - borrow
    borrow = value < 0 ? 1 : 0
    return UInt8(truncatingIfNeeded: value)
  }
  return digits.reversed()
}

/// left + right of big-endian numbers of one size, in one more byte.
func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
  var carry = 0
  let digits = zip(left, right).reversed().map { left, right in
    let value = Int(left) + Int(right) + carry
    carry = value >> 8
    return UInt8(truncatingIfNeeded: value)
  }
  return [UInt8(carry)] + digits.reversed()
}

extension Curve {
  /// n, the order of the curve's generator (FIPS 186-4, appendix D.1.2).
  var order: [UInt8] {
    switch self {
    case .p192: orderOfP192
    case .p256: orderOfP256
    }
  }
}

private let orderOfP192 = hex("FFFFFFFFFFFFFFFFFFFFFFFF99DEF836146BC9B1B4D22831")
private let orderOfP256 = hex("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")

extension PublicKey {
  /// The key of DER bytes.
  convenience init(_ bytes: [UInt8]) throws(KeyError) { try self.init(subjectPublicKeyInfo: bytes.span) }

  /// The verdict on a signature.
  func verdict(
    on signature: [UInt8],
    as form: SignatureForm = .der,
    of digest: SHA256Digest
  ) throws -> SignatureVerdict {
    try verify(signature.span, as: form, of: digest)
  }
}

extension SigningKey {
  /// The public key of the signing key.
  var publicKey: PublicKey { get throws { try PublicKey(subjectPublicKeyInfo) } }
}
