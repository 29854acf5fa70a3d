internal import CLibcrypto

/// A private key that signs synthetic postbacks for tests and benchmarks.
///
/// The key is not secret: its scalar may come from a known seed, and signing is not protected against timing
/// measurements. Any number of tasks may sign with one key at once.
@safe
public final class SigningKey: Sendable {
  /// The key's curve.
  public let curve: Curve

  /// The public key in DER (RFC 5480): its curve by name, its point uncompressed. `PublicKey` reads it.
  public let subjectPublicKeyInfo: [UInt8]

  // Never changed once made, and libcrypto only reads it to sign.
  nonisolated(unsafe) private let handle: OpaquePointer

  /// Derives a key from a seed. The same seed always gives the same key.
  ///
  /// The scalar is the start of the first of SHA-256(seed ‖ 0), SHA-256(seed ‖ 1), … that lies in 1..<n.
  public convenience init(curve: Curve, scalarFrom seed: SHA256Digest) throws(LibcryptoFailure) {
    var hash = try SHA256()
    let seed = seed.bytes
    try self.init(curve: curve) { attempt throws(LibcryptoFailure) in
      try hash.update(seed.span)
      try hash.update(([attempt] as InlineArray<1, UInt8>).span)
      return try hash.finish().bytes
    }
  }

  /// Makes a key from libcrypto's random numbers.
  public convenience init(random curve: Curve) throws(LibcryptoFailure) {
    try self.init(curve: curve) { _ throws(LibcryptoFailure) in
      var bytes = InlineArray<32, UInt8>(repeating: 0)
      var span = bytes.mutableSpan
      let result = unsafe span.withUnsafeMutableBufferPointer { buffer in
        guard let start = buffer.baseAddress else { return Int32(-1) }
        return unsafe clibcrypto_random(start, buffer.count)
      }
      guard result == 1 else { throw LibcryptoFailure(operation: "random numbers") }
      return bytes
    }
  }

  /// Makes the key of a scalar, big-endian in the curve's field size; nil if it is not in 1..<n.
  package init?(curve: Curve, scalar: Span<UInt8>) throws(LibcryptoFailure) {
    guard let made = try unsafe Self.make(curve, scalar: scalar) else { return nil }
    self.curve = curve
    unsafe handle = made.handle
    subjectPublicKeyInfo = unsafe SubjectPublicKeyInfo.bytes(of: curve, point: made.point)
  }

  /// Takes the first candidate whose start is a scalar in 1..<n. On P-256 all but one in four billion are.
  private init(
    curve: Curve,
    candidate: (_ attempt: UInt8) throws(LibcryptoFailure) -> InlineArray<32, UInt8>
  ) throws(LibcryptoFailure) {
    for attempt in 0...UInt8.max {
      let bytes = try candidate(attempt)
      let scalar = bytes.span.extracting(first: curve.fieldByteCount)
      guard let made = try unsafe Self.make(curve, scalar: scalar) else { continue }
      self.curve = curve
      unsafe handle = made.handle
      subjectPublicKeyInfo = unsafe SubjectPublicKeyInfo.bytes(of: curve, point: made.point)
      return
    }
    throw LibcryptoFailure(operation: "private key")
  }

  deinit { unsafe clibcrypto_signing_key_free(handle) }

  /// Signs a digest with the nonce of RFC 6979 (HMAC-SHA256). The same key and digest always give the same bytes.
  public func sign(_ digest: SHA256Digest, as form: SignatureForm = .der) throws(LibcryptoFailure) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: 2 * curve.fieldByteCount)
    let digest = digest.bytes
    let result = unsafe signature.withUnsafeMutableBufferPointer { signature in
      unsafe digest.span.withUnsafeBufferPointer { digest in
        guard let digest = digest.baseAddress, let start = signature.baseAddress else { return Int32(-1) }
        return unsafe clibcrypto_sign(handle, digest, start)
      }
    }
    guard result == 1 else { throw LibcryptoFailure(operation: "ECDSA signing") }
    switch form {
    case .der: return DERSignature.bytes(ofRaw: signature.span)
    case .raw: return signature
    }
  }

  /// Returns the libcrypto key of a scalar, and its uncompressed point; nil if the scalar is not in 1..<n. The caller
  /// frees it.
  private static func make(
    _ curve: Curve,
    scalar: Span<UInt8>
  ) throws(LibcryptoFailure) -> (handle: OpaquePointer, point: [UInt8])? {
    guard scalar.count == curve.fieldByteCount else { return nil }
    var made: OpaquePointer?
    var point = [UInt8](repeating: 0, count: 1 + 2 * curve.fieldByteCount)
    let result = unsafe point.withUnsafeMutableBufferPointer { point in
      unsafe scalar.withUnsafeBufferPointer { scalar in
        guard let scalar = scalar.baseAddress, let point = point.baseAddress else { return Int32(-1) }
        return unsafe clibcrypto_signing_key_new(curve.code, scalar, point, &made)
      }
    }
    if result == 0 { return nil }
    guard result == 1, let made = unsafe made else { throw LibcryptoFailure(operation: "private key") }
    return unsafe (made, point)
  }
}
