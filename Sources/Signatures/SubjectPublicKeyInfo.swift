/// The reason for which bytes cannot be used as a public key of postbacks.
public enum KeyError: Error, Hashable, CustomStringConvertible {
  /// The bytes are not a SubjectPublicKeyInfo in DER.
  case notDER

  /// The SubjectPublicKeyInfo is followed by further bytes.
  case trailingBytes

  /// The key belongs to another algorithm, such as RSA or Ed25519.
  case otherAlgorithm

  /// The elliptic-curve key does not name P-256 or P-192.
  case otherCurve

  /// The key's point is not on the curve that it names, or is the point at infinity.
  case notOnCurve(Curve)

  /// libcrypto failed. This says nothing about the key.
  case libcrypto(LibcryptoFailure)

  /// The error for a person.
  public var description: String {
    switch self {
    case .notDER: "the key is not a SubjectPublicKeyInfo in DER"
    case .trailingBytes: "the key is followed by other bytes"
    case .otherAlgorithm: "the key is not an elliptic-curve key"
    case .otherCurve: "the key's curve is neither P-256 nor P-192, or is not given by name"
    case .notOnCurve(let curve): "the key's point is not on its curve, \(curve.name)"
    case .libcrypto(let failure): failure.description
    }
  }
}

/// The curve and point of an elliptic-curve SubjectPublicKeyInfo (RFC 5480, section 2).
struct SubjectPublicKeyInfo {
  let curve: Curve

  /// The range of the point in the bytes (SEC 1, section 2.3.3). Its length and first byte are those of a compressed or
  /// uncompressed point.
  let point: Range<Int>

  init(_ bytes: Span<UInt8>) throws(KeyError) {
    var rest = bytes.indices
    guard var body = DER.take(.sequence, from: &rest, of: bytes) else { throw .notDER }
    guard rest.isEmpty else { throw .trailingBytes }
    guard var algorithm = DER.take(.sequence, from: &body, of: bytes),
      let identifier = DER.take(.objectIdentifier, from: &algorithm, of: bytes),
      let key = DER.take(.bitString, from: &body, of: bytes), body.isEmpty,
      !key.isEmpty, bytes[key.lowerBound] == 0
    else { throw .notDER }
    guard bytes.extracting(identifier).isEqual(to: Self.ecPublicKey) else { throw .otherAlgorithm }
    guard let name = DER.take(.objectIdentifier, from: &algorithm, of: bytes),
      let curve = Curve.allCases.first(where: { bytes.extracting(name).isEqual(to: Self.identifier(of: $0)) })
    else { throw .otherCurve }
    guard algorithm.isEmpty else { throw .notDER }

    point = key.dropFirst()
    self.curve = curve
    let size = curve.fieldByteCount
    switch bytes.extracting(point).first {
    case 0x02, 0x03: guard point.count == 1 + size else { throw .notOnCurve(curve) }
    case 0x04: guard point.count == 1 + 2 * size else { throw .notOnCurve(curve) }
    default: throw .notOnCurve(curve)
    }
  }

  /// Returns the SubjectPublicKeyInfo of an uncompressed point in DER.
  static func bytes(of curve: Curve, point: [UInt8]) -> [UInt8] {
    let algorithm =
      DER.element(.objectIdentifier, ecPublicKey) + DER.element(.objectIdentifier, identifier(of: curve))
    return DER.element(.sequence, DER.element(.sequence, algorithm) + DER.element(.bitString, [0] + point))
  }

  /// The object identifier id-ecPublicKey, 1.2.840.10045.2.1.
  private static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]

  /// Returns the object identifier of the curve: secp192r1, 1.2.840.10045.3.1.1, or secp256r1, 1.2.840.10045.3.1.7.
  private static func identifier(of curve: Curve) -> [UInt8] {
    switch curve {
    case .p192: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x01]
    case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    }
  }
}

extension Span<UInt8> {
  fileprivate var first: UInt8? { isEmpty ? nil : self[0] }

  fileprivate func isEqual(to other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }
}
