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

  /// The tables that batches are verified with.
  private enum Tables {
    /// Not built yet; so many signatures were verified in batches.
    case awaited(signatures: Int)
    case built(FixedBase)
    /// This libcrypto has none that are right.
    case refused
  }

  /// Reads a SubjectPublicKeyInfo in DER (RFC 5480) that names its curve, the form Apple publishes its keys in.
  ///
  /// The point may be compressed, it has to be on the curve, and nothing may follow.
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

  /// Says whether the key's owner signed the digest.
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

  /// As above: of a signature whose r and s are of the field size, and a digest of 32 bytes.
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

  /// How a `BatchVerifier` verifies signatures of the key.
  public var method: VerificationMethod {
    tables.withLock { tables in
      switch tables {
      case .built: .fixedBase
      case .awaited, .refused: .evp
      }
    }
  }

  /// The tables, if they are built.
  var builtTables: FixedBase? {
    tables.withLock { tables in
      if case .built(let built) = tables { built } else { nil }
    }
  }

  /// Whether tables were wanted, and libcrypto had none that are right: then signatures are verified one by one.
  public var lacksTables: Bool {
    tables.withLock { tables in
      if case .refused = tables { true } else { false }
    }
  }

  /// Builds the key's tables now, not when so many signatures have been verified in batches that they pay.
  @discardableResult
  public func prepare() -> VerificationMethod {
    _ = tables(toVerify: signaturesWorthTables)
    return method
  }

  /// After so many signatures tables are built: they cost what they save on as many.
  private var signaturesWorthTables: Int {
    switch curve {
    case .p192: 128
    case .p256: 640
    }
  }

  /// The tables to verify so many signatures with; nil: libcrypto's ECDSA is to verify them.
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
