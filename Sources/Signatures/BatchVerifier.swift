/// Verifies many signatures at several times the speed of `PublicKey.verify`, with the same verdicts.
///
/// Add what is to be verified, of any of the keys in any order, then call `verify()`. A verifier belongs to one task and
/// is worth keeping, as it keeps its memory; the keys may be shared.
///
/// A signature is valid where the tables of its key prove that, or where libcrypto's ECDSA says so. Nothing but libcrypto's
/// ECDSA calls one invalid, so that an invalid one is slower than a valid one.
public struct BatchVerifier: ~Copyable {
  private let keys: [PublicKey]
  private let scratch: BatchScratch
  private var queues: [Queue]
  private var verdicts: [SignatureVerdict?] = []

  /// The signatures of one key that await their verdict.
  private struct Queue {
    /// Where the verdicts go.
    var indices: [Int] = []
    /// 32 bytes each.
    var digests: [UInt8] = []
    /// r and s in the field size each.
    var signatures: [UInt8] = []

    mutating func removeAll() {
      indices.removeAll(keepingCapacity: true)
      digests.removeAll(keepingCapacity: true)
      signatures.removeAll(keepingCapacity: true)
    }
  }

  /// A verifier of what any of the keys may have signed.
  public init(_ keys: [PublicKey]) throws(LibcryptoFailure) {
    self.keys = keys
    scratch = try BatchScratch()
    queues = keys.map { _ in Queue() }
  }

  /// Adds a signature to verify with one of the keys, given by its index; the index of its verdict.
  @discardableResult
  public mutating func add(
    _ signature: Span<UInt8>,
    as form: SignatureForm = .der,
    of digest: SHA256Digest,
    by key: Int
  ) -> Int {
    let index = verdicts.count
    let verdict = form.appendRaw(signature, on: keys[key].curve, to: &queues[key].signatures)
    verdicts.append(verdict)
    guard verdict == nil else { return index }
    queues[key].indices.append(index)
    let digest = digest.bytes
    for position in digest.indices { queues[key].digests.append(digest[position]) }
    return index
  }

  /// The verdicts on all that was added, in that order. Then, and after a failure, the verifier is empty.
  public mutating func verify() throws(LibcryptoFailure) -> [SignatureVerdict] {
    try verdicts { key, signature, digest throws(LibcryptoFailure) in try key.verify(raw: signature, of: digest) }
      .map { $0 ?? .invalid }
  }

  /// As `verify()`, but nil for what the tables do not show to be valid: another key may.
  ///
  /// Where no key does, `PublicKey.verify` has to be asked. A verdict that is not nil is the last word.
  public mutating func prove() throws(LibcryptoFailure) -> [SignatureVerdict?] {
    try verdicts { key, signature, digest throws(LibcryptoFailure) in
      key.hasTables ? nil : try key.verify(raw: signature, of: digest)
    }
  }

  /// Decides with `ask` what tables do not show to be valid.
  private mutating func verdicts(
    asking ask: (PublicKey, Span<UInt8>, Span<UInt8>) throws(LibcryptoFailure) -> SignatureVerdict?
  ) throws(LibcryptoFailure) -> [SignatureVerdict?] {
    defer {
      verdicts.removeAll()
      for key in queues.indices { queues[key].removeAll() }
    }
    for key in keys.indices { try verify(queues[key], of: keys[key], asking: ask) }
    return verdicts
  }

  private mutating func verify(
    _ queue: Queue,
    of key: PublicKey,
    asking ask: (PublicKey, Span<UInt8>, Span<UInt8>) throws(LibcryptoFailure) -> SignatureVerdict?
  ) throws(LibcryptoFailure) {
    let size = 2 * key.curve.fieldByteCount
    let (digests, signatures) = (queue.digests.span, queue.signatures.span)
    let shown = key.tables(toVerify: queue.indices.count)?.showsValid(signatures, of: digests, with: scratch)
    for (position, index) in queue.indices.enumerated() {
      if let shown, shown[position] {
        verdicts[index] = .valid
      } else {
        verdicts[index] = try ask(
          key,
          signatures.extracting(position * size..<(position + 1) * size),
          digests.extracting(position * 32..<(position + 1) * 32)
        )
      }
    }
  }
}
