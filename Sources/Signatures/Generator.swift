internal import CLibcrypto

/// The multiples of a curve's generator, for verification and search. Any number of tasks may use them at once.
@safe
package final class Generator: Sendable {
  package let curve: Curve

  // Never changed once made, and libcrypto only reads it to multiply.
  nonisolated(unsafe) let handle: OpaquePointer

  /// Returns the multiples that all keys of a curve share; nil if libcrypto provides no correct tables of them.
  static func tables(of curve: Curve) -> Generator? {
    switch curve {
    case .p192: p192
    case .p256: p256
    }
  }

  private static let p192 = withTables(of: .p192)
  private static let p256 = withTables(of: .p256)

  private static func withTables(of curve: Curve) -> Generator? {
    guard let generator = try? Generator(of: curve) else { return nil }
    return unsafe clibcrypto_generator_has_tables(generator.handle) == 1 ? generator : nil
  }

  /// Makes the multiples. Throws if libcrypto has no memory left.
  package init(of curve: Curve) throws(LibcryptoFailure) {
    guard let handle = unsafe clibcrypto_generator_new(curve.code) else {
      throw LibcryptoFailure(operation: "tables of a curve")
    }
    self.curve = curve
    unsafe self.handle = handle
  }

  deinit { unsafe clibcrypto_generator_free(handle) }

  /// Returns the mark of all signatures of the digest, independent of the key. It is one of `SignatureSearch.marks` of
  /// each.
  package func mark(of digest: SHA256Digest) throws(LibcryptoFailure) -> SignatureMark {
    var x = [UInt8](repeating: 0, count: curve.fieldByteCount)
    let digest = digest.bytes
    let result = unsafe x.withUnsafeMutableBufferPointer { x in
      unsafe digest.span.withUnsafeBufferPointer { digest in
        guard let digest = digest.baseAddress, let x = x.baseAddress else { return Int32(-1) }
        return unsafe clibcrypto_generator_x(handle, digest, x)
      }
    }
    guard result == 1 else { throw LibcryptoFailure(operation: "multiple of a point") }
    return SignatureMark(x)
  }
}

/// A value that links a signature to its digest without a search: the first 16 bytes of the x-coordinate of e·G, with e
/// the digest and G the generator.
package struct SignatureMark: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  init(_ x: some Sequence<UInt8>) {
    var words: (UInt64, UInt64) = (0, 0)
    for (index, byte) in x.prefix(16).enumerated() {
      if index < 8 { words.0 = words.0 << 8 | UInt64(byte) } else { words.1 = words.1 << 8 | UInt64(byte) }
    }
    (high, low) = words
  }
}
