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
