internal import CLibcrypto

/// A public key of P-256 or P-192 that verifies ECDSA signatures of SHA-256 digests (FIPS 186-4).
///
/// Any number of tasks may verify with one key at once.
@safe
public final class PublicKey: Sendable {
  /// The key's curve.
  public let curve: Curve

  // Never changed once made, and libcrypto only reads it to verify.
  nonisolated(unsafe) private let handle: OpaquePointer

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
    switch form {
    case .der:
      return try verify(der: signature, of: digest)
    case .raw:
      guard signature.count == 2 * curve.fieldByteCount else { return .malformed }
      return try verify(der: DERSignature.bytes(ofRaw: signature).span, of: digest)
    }
  }

  private func verify(der bytes: Span<UInt8>, of digest: SHA256Digest) throws(LibcryptoFailure) -> SignatureVerdict {
    guard let signature = DERSignature(bytes) else { return .malformed }
    guard signature.fits(curve, in: bytes) else { return .invalid }
    let digest = digest.bytes
    let result = unsafe digest.span.withUnsafeBufferPointer { digest in
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
}
