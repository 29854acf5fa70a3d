internal import CLibcrypto

/// Tables of multiples of one key's point. Any number of tasks may verify with them at once.
@safe
final class FixedBase: Sendable {
  /// The tables of the curve's generator.
  let generator: Generator

  // Never changed once made, and libcrypto only reads it to verify.
  nonisolated(unsafe) fileprivate let handle: OpaquePointer

  /// Builds the tables of a `clibcrypto_public_key` and checks them; nil where this libcrypto has none that are right.
  @unsafe
  init?(of key: OpaquePointer, _ generator: Generator) {
    guard let handle = unsafe clibcrypto_fixed_base_new(key, generator.handle) else { return nil }
    self.generator = generator
    unsafe self.handle = handle
  }

  deinit { unsafe clibcrypto_fixed_base_free(handle) }

  /// How many keys `BatchScratch.verify` takes.
  static let mostAtOnce = Int(clibcrypto_most_bases)
}

/// What one task needs to verify with tables, of any keys.
@safe
struct BatchScratch: ~Copyable {
  private let handle: OpaquePointer

  /// Throws where libcrypto has no memory left.
  init() throws(LibcryptoFailure) {
    guard let handle = unsafe clibcrypto_batch_new() else { throw LibcryptoFailure(operation: "batch verification") }
    unsafe self.handle = handle
  }

  deinit { unsafe clibcrypto_batch_free(handle) }

  /// What the tables say of some signatures of a queue, in the order of `which`; nil where libcrypto fails, and nothing is
  /// known.
  ///
  /// A digest is of those of the signature, a key an index of `bases`, of which there are at most `FixedBase.mostAtOnce`.
  func verify(
    _ which: [UInt32],
    of queue: SignatureQueue,
    with bases: [FixedBase]
  ) -> [clibcrypto_finding]? {
    guard let generator = bases.first?.generator else { return nil }
    precondition(bases.allSatisfy { $0.generator === generator })
    let handles = unsafe bases.map { unsafe $0.handle }
    return withExtendedLifetime(bases) {
      unsafe find(which, of: queue, generator) { signatures, findings in
        unsafe handles.withUnsafeBufferPointer { handles in
          guard let handles = handles.baseAddress else { return -1 }
          return unsafe clibcrypto_batch_verify(
            handle,
            generator.handle,
            UnsafeRawPointer(handles).assumingMemoryBound(to: OpaquePointer.self),
            bases.count,
            signatures,
            findings
          )
        }
      }
    }
  }

  /// The keys among `keys` that may have made some signatures of a queue, as above, recovered from the signatures.
  func recover(
    _ which: [UInt32],
    of queue: SignatureQueue,
    from keys: [PublicKey],
    with generator: Generator
  ) -> [clibcrypto_finding]? {
    precondition(keys.allSatisfy { $0.curve == generator.curve })
    let points = keys.flatMap(\.x)
    return unsafe find(which, of: queue, generator) { signatures, findings in
      unsafe points.withUnsafeBufferPointer { points in
        guard let points = points.baseAddress else { return -1 }
        return unsafe clibcrypto_batch_recover(handle, generator.handle, points, keys.count, signatures, findings)
      }
    }
  }

  @unsafe
  private func find(
    _ which: [UInt32],
    of queue: SignatureQueue,
    _ generator: Generator,
    _ ask: (UnsafePointer<clibcrypto_signatures>, UnsafeMutablePointer<clibcrypto_finding>) -> Int32
  ) -> [clibcrypto_finding]? {
    precondition(queue.isComplete(on: generator.curve) && which.allSatisfy { $0 < queue.count })
    var findings = [clibcrypto_finding](repeating: clibcrypto_finding(), count: which.count)
    let result = unsafe findings.withUnsafeMutableBufferPointer { findings in
      unsafe queue.digests.withUnsafeBufferPointer { digests in
        unsafe queue.signatures.withUnsafeBufferPointer { signatures in
          unsafe queue.digestStarts.withUnsafeBufferPointer { starts in
            unsafe which.withUnsafeBufferPointer { which in
              guard let signatures = signatures.baseAddress, let digests = digests.baseAddress,
                let starts = starts.baseAddress, let start = which.baseAddress, let findings = findings.baseAddress
              else { return Int32(-1) }
              var all = unsafe clibcrypto_signatures(
                signatures: signatures,
                digests: digests,
                digest_starts: starts,
                which: start,
                count: which.count
              )
              return unsafe ask(&all, findings)
            }
          }
        }
      }
    }
    return result == 1 ? findings : nil
  }
}
