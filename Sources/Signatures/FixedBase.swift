internal import CLibcrypto
internal import Synchronization

/// The tables of multiples of one key's point. Any number of tasks may verify with them at once.
@safe
final class FixedBase: Sendable {
  /// The tables of the curve's generator.
  let generator: Generator

  // Never changed once made, and libcrypto only reads it to verify.
  nonisolated(unsafe) fileprivate let handle: OpaquePointer

  /// Builds the tables of a `clibcrypto_public_key` and checks them; nil if this libcrypto provides no correct ones.
  @unsafe
  init?(of key: OpaquePointer, _ generator: Generator) {
    guard let handle = unsafe clibcrypto_fixed_base_new(key, generator.handle) else { return nil }
    self.generator = generator
    unsafe self.handle = handle
  }

  deinit { unsafe clibcrypto_fixed_base_free(handle) }

  /// The greatest number of keys for one call of `BatchScratch.verify`.
  static let mostAtOnce = Int(clibcrypto_most_bases)
}

/// The working memory with which one task verifies signatures of any keys.
@safe
struct BatchScratch: ~Copyable {
  private let handle: OpaquePointer

  /// Memory that no task uses. It consists of hundreds of small pieces, which each batch would allocate and free.
  private static let spares = Mutex<[Spare]>([])
  private static let mostSpares = 64

  @safe
  private struct Spare: @unchecked Sendable {
    let handle: OpaquePointer
  }

  /// Takes spare memory, or allocates some. Throws if libcrypto has no memory left.
  init() throws(LibcryptoFailure) {
    let spare = Self.spares.withLock { $0.popLast() }
    guard let handle = unsafe spare?.handle ?? clibcrypto_batch_new() else {
      throw LibcryptoFailure(operation: "batch verification")
    }
    unsafe self.handle = handle
  }

  deinit {
    let spare = unsafe Spare(handle: handle)
    let isKept = Self.spares.withLock { spares in
      guard spares.count < Self.mostSpares else { return false }
      spares.append(spare)
      return true
    }
    if !isKept { unsafe clibcrypto_batch_free(handle) }
  }

  /// Returns the answers of the tables on some signatures of a queue, in the order of `which`; nil if `bases` is empty
  /// or libcrypto fails, and then nothing is known.
  ///
  /// An answer holds the index of the digest among those of the signature, and the index of the key in `bases`, which
  /// has at most `FixedBase.mostAtOnce` elements, all on one curve.
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

  /// Recovers keys from some signatures of a queue and looks for them among `keys`. Returns answers in the form of
  /// `verify`.
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
