internal import CLibcrypto

/// What one task needs to verify with tables, of any keys.
@safe
package struct BatchScratch: ~Copyable {
  fileprivate let handle: OpaquePointer

  /// Throws where libcrypto has no memory left.
  package init() throws(LibcryptoFailure) {
    guard let handle = unsafe clibcrypto_batch_new() else { throw LibcryptoFailure(operation: "batch verification") }
    unsafe self.handle = handle
  }

  deinit { unsafe clibcrypto_batch_free(handle) }
}

/// Tables of multiples of one key's point. Any number of tasks may verify with them at once.
@safe
package final class FixedBase: Sendable {
  // Never changed once made, and libcrypto only reads it to verify.
  nonisolated(unsafe) private let handle: OpaquePointer

  /// Builds the tables of a `clibcrypto_public_key` and tests them; nil where this libcrypto has none that are right.
  @unsafe
  init?(of key: OpaquePointer) {
    guard let handle = unsafe clibcrypto_fixed_base_new(key) else { return nil }
    unsafe self.handle = handle
  }

  deinit { unsafe clibcrypto_fixed_base_free(handle) }

  /// Which signatures are shown to be valid. Of the others nothing is known; they are all, where libcrypto fails.
  ///
  /// A digest is 32 bytes, a signature r and s in the field size.
  package func showsValid(
    _ signatures: Span<UInt8>,
    of digests: Span<UInt8>,
    with scratch: borrowing BatchScratch
  ) -> [Bool] {
    let count = digests.count / 32
    var shown = [UInt8](repeating: 0, count: count)
    let scratch = unsafe scratch.handle
    let result = unsafe shown.withUnsafeMutableBufferPointer { shown in
      unsafe digests.withUnsafeBufferPointer { digests in
        unsafe signatures.withUnsafeBufferPointer { signatures in
          guard let digests = digests.baseAddress, let signatures = signatures.baseAddress,
            let start = shown.baseAddress
          else { return Int32(-1) }
          return unsafe clibcrypto_batch_verify(scratch, handle, digests, signatures, count, start)
        }
      }
    }
    return shown.map { result == 1 && $0 == 1 }
  }
}
