internal import CLibcrypto

/// A search among many digests for the one that a signature signs.
///
/// A signature and a key determine two points, one of which must be the digest's multiple of the generator. A digest
/// therefore costs one multiplication, a fifth of a verification, independent of the number of keys. The result is not
/// a verdict and must be verified. Belongs to one task.
@safe
package final class SignatureSearch {
  private let generator: Generator
  private let handle: OpaquePointer
  /// The possible marks of the digest, two for each key. See `Generator.mark(of:)`.
  package let marks: [SignatureMark]

  /// Prepares the search for digests that one of the keys may have signed. The keys must be on the generator's curve,
  /// 64 at most. `signature` is r, then s, in the field size.
  ///
  /// Returns nil if no digest has that signature: r or s is out of range, or r is not the x of a point, as in about
  /// half of all invented signatures.
  package init?(
    of signature: Span<UInt8>,
    by keys: [PublicKey],
    with generator: Generator
  ) throws(LibcryptoFailure) {
    guard let (made, marks) = try unsafe Self.make(signature, keys, generator) else { return nil }
    self.generator = generator
    unsafe handle = made
    self.marks = marks
  }

  deinit { unsafe clibcrypto_search_free(handle) }

  private static let failure = LibcryptoFailure(operation: "search for what was signed")

  /// Returns the libcrypto search with its marks; nil if no digest has the signature. The caller frees it.
  @unsafe
  private static func make(
    _ signature: Span<UInt8>,
    _ keys: [PublicKey],
    _ generator: Generator
  ) throws(LibcryptoFailure) -> (OpaquePointer, [SignatureMark])? {
    guard signature.count == 2 * generator.curve.fieldByteCount else { return nil }
    var made: OpaquePointer?
    let result = unsafe signature.withUnsafeBufferPointer { signature in
      guard let start = signature.baseAddress else { return Int32(-1) }
      return unsafe clibcrypto_search_new(generator.handle, start, &made)
    }
    if result == 0 { return nil }
    guard result == 1, let made = unsafe made else { throw failure }
    do throws(LibcryptoFailure) {
      return unsafe (made, try add(keys, to: made, generator.curve))
    } catch {
      unsafe clibcrypto_search_free(made)
      throw error
    }
  }

  @unsafe
  private static func add(
    _ keys: [PublicKey],
    to search: OpaquePointer,
    _ curve: Curve
  ) throws(LibcryptoFailure) -> [SignatureMark] {
    var marks: [SignatureMark] = []
    var points = [UInt8](repeating: 0, count: 2 * curve.fieldByteCount)
    for key in keys {
      let result = unsafe points.withUnsafeMutableBufferPointer { points in
        guard let start = points.baseAddress else { return Int32(-1) }
        return unsafe clibcrypto_search_add(search, key.handle, start)
      }
      guard result == 1 else { throw failure }
      marks.append(SignatureMark(points.prefix(curve.fieldByteCount)))
      marks.append(SignatureMark(points.suffix(curve.fieldByteCount)))
    }
    return marks
  }

  /// Returns the index of the first digest that one of the keys may have signed, or nil. Each digest has 32 bytes.
  package func first(in digests: Span<UInt8>) throws(LibcryptoFailure) -> Int? {
    let count = digests.count / 32
    var found = count
    let result = unsafe digests.withUnsafeBufferPointer { digests in
      guard let start = digests.baseAddress else { return Int32(1) }
      return unsafe clibcrypto_search_find(handle, start, count, &found)
    }
    guard result == 1 else { throw Self.failure }
    return found < count ? found : nil
  }
}
