internal import CLibcrypto
internal import Synchronization

/// A public key of P-256 or P-192 that verifies ECDSA signatures of SHA-256 digests (FIPS 186-4).
///
/// Any number of tasks may verify with one key at once.
@safe
public final class PublicKey: Sendable {
  /// The key's curve.
  public let curve: Curve

  /// The x of the key's point, big-endian in the curve's field size.
  let x: [UInt8]

  // Never changed once made, and libcrypto only reads it to verify.
  nonisolated(unsafe) let handle: OpaquePointer

  private let tables = Mutex(Tables.awaited(signatures: 0))

  /// The state of the tables with which batches are verified.
  private enum Tables {
    /// The tables are not built yet. `signatures` counts the signatures that were verified in batches so far.
    case awaited(signatures: Int)
    case built(FixedBase)
    /// The tables could not be built, because this libcrypto provides no correct ones.
    case refused
  }

  /// Reads a SubjectPublicKeyInfo in DER (RFC 5480) that names its curve, the form in which Apple publishes its keys.
  ///
  /// The point may be compressed and must be on the curve. Further bytes are an error.
  public init(subjectPublicKeyInfo bytes: Span<UInt8>) throws(KeyError) {
    let info = try SubjectPublicKeyInfo(bytes)
    var made: OpaquePointer?
    let result = unsafe bytes.extracting(info.point).withUnsafeBufferPointer { point in
      guard let start = point.baseAddress else { return Int32(0) }
      return unsafe clibcrypto_public_key_new(info.curve.code, start, point.count, &made)
    }
    if result == 0 { throw .notOnCurve(info.curve) }
    guard result == 1, let made = unsafe made else { throw .libcrypto(LibcryptoFailure(operation: "public key")) }
    curve = info.curve
    x = (0..<info.curve.fieldByteCount).map { bytes[info.point.lowerBound + 1 + $0] }
    unsafe handle = made
  }

  deinit { unsafe clibcrypto_public_key_free(handle) }

  /// Returns the verdict on a signature of the digest by the key's owner.
  ///
  /// DER is read strictly: bytes that do not re-encode to themselves are malformed. Both s and n−s verify. On
  /// P-192 the digest's first 24 bytes are what is signed (FIPS 186-4, section 6.4).
  public func verify(
    _ signature: Span<UInt8>,
    as form: SignatureForm = .der,
    of digest: SHA256Digest
  ) throws(LibcryptoFailure) -> SignatureVerdict {
    let digest = digest.bytes
    switch form {
    case .der:
      return try verify(der: signature, of: digest.span)
    case .raw:
      guard signature.count == 2 * curve.fieldByteCount else { return .malformed }
      return try verify(raw: signature, of: digest.span)
    }
  }

  /// Returns the verdict on a signature of r and s, each in the field size, of a digest of 32 bytes.
  func verify(raw signature: Span<UInt8>, of digest: Span<UInt8>) throws(LibcryptoFailure) -> SignatureVerdict {
    try verify(der: DERSignature.bytes(ofRaw: signature).span, of: digest)
  }

  private func verify(der bytes: Span<UInt8>, of digest: Span<UInt8>) throws(LibcryptoFailure) -> SignatureVerdict {
    guard let signature = DERSignature(bytes) else { return .malformed }
    guard signature.fits(curve, in: bytes) else { return .invalid }
    let result = unsafe digest.withUnsafeBufferPointer { digest in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        guard let digest = digest.baseAddress, let start = bytes.baseAddress else { return Int32(-1) }
        return unsafe clibcrypto_verify(handle, digest, start, bytes.count)
      }
    }
    switch result {
    case 1: return .valid
    case 0: return .invalid
    default: throw LibcryptoFailure(operation: "ECDSA verification")
    }
  }

  /// The method by which a `BatchVerifier` verifies signatures of the key at present: with tables only after they are
  /// built.
  public var method: VerificationMethod {
    tables.withLock { tables in
      switch tables {
      case .built: .fixedBase
      case .awaited, .refused: .evp
      }
    }
  }

  /// The tables, if they are built; nil otherwise.
  var builtTables: FixedBase? {
    tables.withLock { tables in
      if case .built(let built) = tables { built } else { nil }
    }
  }

  /// Indicates that tables were requested and libcrypto provided no correct ones. Signatures are then verified one by
  /// one.
  public var lacksTables: Bool {
    tables.withLock { tables in
      if case .refused = tables { true } else { false }
    }
  }

  /// Builds the key's tables now, and not after the number of batch signatures from which they pay. Returns the method
  /// in use.
  @discardableResult
  public func prepare() -> VerificationMethod {
    _ = tables(toVerify: signaturesWorthTables)
    return method
  }

  /// The number of signatures from which tables are built: the tables cost about as much time as they save on them.
  private var signaturesWorthTables: Int {
    switch curve {
    case .p192: 128
    case .p256: 640
    }
  }

  /// Returns the tables for the verification of `count` signatures; nil if libcrypto's ECDSA is to verify them.
  func tables(toVerify count: Int) -> FixedBase? {
    tables.withLock { tables in
      if case .awaited(let before) = tables {
        if before + count < signaturesWorthTables {
          tables = .awaited(signatures: before + count)
        } else {
          let base = Generator.tables(of: curve).flatMap { unsafe FixedBase(of: handle, $0) }
          tables = base.map(Tables.built) ?? .refused
        }
      }
      guard case .built(let built) = tables else { return nil }
      return built
    }
  }
}

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
