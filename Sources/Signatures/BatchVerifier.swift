internal import CLibcrypto

/// A verifier of many signatures at several times the speed of `PublicKey.verify`, with the same verdicts.
///
/// Add signatures of any of the keys, in any order, then call `verify()`. A verifier belongs to one task. Keep it for
/// several batches, because it reuses its memory; the keys may be shared.
///
/// The tables of a key are checked completely when they are built, so that later results of the tables are trusted. In
/// addition, libcrypto's ECDSA verifies one signature of each batch that the tables call invalid: if ECDSA calls it
/// valid, `LibcryptoFailure` is thrown. ECDSA also decides if the x of a signature's point lies beyond the curve's
/// order, and if there are no tables.
public struct BatchVerifier: ~Copyable {
  private let keys: [PublicKey]
  private let method: VerificationMethod
  private let scratch: BatchScratch
  private var queues: [SignatureQueue]
  private var findings: [SignatureFinding?] = []

  /// Makes a verifier of signatures of any of the keys. With the method `.evp` it builds and uses no tables.
  public init(_ keys: [PublicKey], method: VerificationMethod = .fixedBase) throws(LibcryptoFailure) {
    try self.init(keys, candidates: keys.indices.map { [$0] }, method: method)
  }

  /// Makes a verifier of signatures that do not name their key. Each list of `candidates` has the indices of the keys,
  /// all on one curve, that may have made a signature.
  package init(_ keys: [PublicKey], candidates: [[Int]], method: VerificationMethod) throws(LibcryptoFailure) {
    self.keys = keys
    self.method = method
    scratch = try BatchScratch()
    queues = candidates.map { SignatureQueue($0) }
  }

  /// Adds a signature to verify with one of the keys, given by its index. Returns the index of its verdict.
  @discardableResult
  public mutating func add(
    _ signature: Span<UInt8>,
    as form: SignatureForm = .der,
    of digest: SHA256Digest,
    by key: Int
  ) -> Int {
    let index = findings.count
    if append(signature, as: form, by: key) { queues[key].append(digest) }
    return index
  }

  /// Adds a signature of one of the digests by one of a list of candidates. Returns the index of its finding.
  @discardableResult
  package mutating func add(
    _ signature: Span<UInt8>,
    as form: SignatureForm,
    of digests: Span<SHA256Digest>,
    candidates: Int
  ) -> Int {
    let index = findings.count
    if append(signature, as: form, by: candidates) {
      for index in digests.indices { queues[candidates].append(digests[index]) }
    }
    return index
  }

  private mutating func append(_ signature: Span<UInt8>, as form: SignatureForm, by list: Int) -> Bool {
    guard let first = queues[list].keys.first else {
      findings.append(.invalid)
      return false
    }
    let verdict = queues[list].append(signature, as: form, on: keys[first].curve, place: findings.count)
    findings.append(verdict.map { $0 == .malformed ? .malformed : .invalid })
    return verdict == nil
  }

  /// Returns the verdicts on all added signatures, in their order. After success or failure, the verifier is empty.
  public mutating func verify() throws(LibcryptoFailure) -> [SignatureVerdict] {
    try find().map { finding in
      switch finding {
      case .signed: .valid
      case .invalid: .invalid
      case .malformed: .malformed
      }
    }
  }

  /// Does the same as `verify()`, and returns the key and the digest of each valid signature.
  package mutating func find() throws(LibcryptoFailure) -> [SignatureFinding] {
    defer {
      findings.removeAll(keepingCapacity: true)
      for list in queues.indices { queues[list].removeAll() }
    }
    for list in queues.indices where queues[list].count > 0 {
      // A few first, to learn which key signs.
      let count = queues[list].count
      let sampleCount = queues[list].keys.count > 1 ? min(count, Self.sampleCount) : 0
      var doubts: [Doubt] = []
      for range in [0..<sampleCount, sampleCount..<count] where !range.isEmpty {
        doubts += try decide(range, of: list)
      }
      if let doubt = doubts.randomElement() { try ask(about: doubt, of: list) }
    }
    return findings.map { $0 ?? .invalid }
  }

  private static let sampleCount = 8

  /// The number of keys up to which keys are tried one by one. Recovering keys from a signature costs about as much as
  /// eight tries, independent of the number of keys.
  private static let mostTriedOneByOne = 8

  // MARK: - Rounds

  /// The method and the keys of one round of verification.
  private enum Round {
    case tables([(key: Int, base: FixedBase)])
    case recovery([Int], Generator)
    case ecdsa(Int)
  }

  /// Signatures that tables called invalid for these keys, without libcrypto's ECDSA.
  private struct Doubt {
    let signatures: [UInt32]
    let keys: [Int]
  }

  /// Decides about some signatures of a queue. Returns those that only tables called invalid.
  private mutating func decide(_ range: Range<Int>, of list: Int) throws(LibcryptoFailure) -> [Doubt] {
    var undecided = range.map { UInt32($0) }
    var untried = queues[list].keys[...]
    var believed: [Int] = []
    while !undecided.isEmpty, !untried.isEmpty {
      let isFirst = untried.count == queues[list].keys.count
      let found: [SignatureFinding?]
      switch round(of: &untried, isFirst: isFirst, signatures: undecided.count) {
      case .ecdsa(let key): found = try read(nil, on: undecided, in: queues[list], by: [key])
      case .tables(let bases):
        let answers = scratch.verify(undecided, of: queues[list], with: bases.map(\.base))
        found = try read(answers, on: undecided, in: queues[list], by: bases.map(\.key))
        if answers != nil { believed += bases.map(\.key) }
      case .recovery(let tried, let generator):
        let answers = scratch.recover(undecided, of: queues[list], from: tried.map { keys[$0] }, with: generator)
        found = try read(answers, on: undecided, in: queues[list], by: tried)
        if answers != nil { believed += tried }
      }
      undecided = note(found, on: undecided, of: list)
    }
    return undecided.isEmpty || believed.isEmpty ? [] : [Doubt(signatures: undecided, keys: believed)]
  }

  /// Takes the next keys to try out of `untried`. Keys that have tables are tried together, so that they share parts of
  /// the work.
  private func round(of untried: inout ArraySlice<Int>, isFirst: Bool, signatures: Int) -> Round {
    let areMany = untried.count > Self.mostTriedOneByOne
    guard method == .fixedBase else { return .ecdsa(untried.removeFirst()) }
    if areMany, !isFirst, let generator = Generator.tables(of: keys[untried[untried.startIndex]].curve) {
      defer { untried.removeAll() }
      return .recovery(Array(untried), generator)
    }
    // Where there are many, the one that signed last is tried with tables.
    let bases = untried.prefix(areMany ? 1 : FixedBase.mostAtOnce).compactMap { key in
      keys[key].builtTables.map { (key: key, base: $0) }
    }
    if !bases.isEmpty {
      untried.removeAll { key in bases.contains { $0.key == key } }
      return .tables(bases)
    }
    let key = untried.removeFirst()
    return keys[key].tables(toVerify: signatures).map { .tables([(key, $0)]) } ?? .ecdsa(key)
  }

  /// Returns the finding for each signature and the `tried` keys; nil if none of the keys made it. Without answers
  /// ECDSA decides.
  private func read(
    _ answers: [clibcrypto_finding]?,
    on signatures: [UInt32],
    in queue: SignatureQueue,
    by tried: [Int]
  ) throws(LibcryptoFailure) -> [SignatureFinding?] {
    var found: [SignatureFinding?] = []
    found.reserveCapacity(signatures.count)
    for (index, signature) in signatures.enumerated() {
      guard let answer = answers?[index] else {
        found.append(try ecdsa(signature, in: queue, by: tried))
        continue
      }
      switch answer.answer {
      case clibcrypto_signed: found.append(.signed(key: tried[Int(answer.key)], digest: Int(answer.digest)))
      case clibcrypto_not_signed: found.append(nil)
      default:
        // The key that is pointed to is asked first, then all: ECDSA alone decides.
        if let pointed = try ecdsa(signature, in: queue, by: [tried[Int(answer.key)]]) {
          found.append(pointed)
        } else {
          found.append(try ecdsa(signature, in: queue, by: tried))
        }
      }
    }
    return found
  }

  /// Stores the findings. Returns the signatures without a finding.
  private mutating func note(
    _ found: [SignatureFinding?],
    on signatures: [UInt32],
    of list: Int
  ) -> [UInt32] {
    var rest: [UInt32] = []
    for (signature, finding) in zip(signatures, found) {
      if let finding {
        findings[queues[list].places[Int(signature)]] = finding
      } else {
        rest.append(signature)
      }
    }
    if case .signed(let key, _)? = found.last(where: { $0 != nil }) { queues[list].prefer(key) }
    return rest
  }

  // MARK: - libcrypto's ECDSA

  /// Returns ECDSA's finding on a signature; nil if none of the keys signed one of its digests.
  private func ecdsa(
    _ signature: UInt32,
    in queue: SignatureQueue,
    by candidates: [Int]
  ) throws(LibcryptoFailure) -> SignatureFinding? {
    for digest in 0..<queue.digestCount(signature) {
      for key in candidates where try verdict(signature, in: queue, of: digest, by: key) == .valid {
        return .signed(key: key, digest: digest)
      }
    }
    return nil
  }

  private func verdict(
    _ signature: UInt32,
    in queue: SignatureQueue,
    of digest: Int,
    by key: Int
  ) throws(LibcryptoFailure) -> SignatureVerdict {
    let key = keys[key]
    let bytes = queue.signatures.span.extracting(queue.signatureRange(signature, on: key.curve))
    return try key.verify(raw: bytes, of: queue.digests.span.extracting(queue.digestRange(digest, of: signature)))
  }

  /// Verifies one of the signatures again with ECDSA, for a random digest and key. Wrong tables are found in time by
  /// such checks. Throws if ECDSA contradicts the tables.
  private func ask(about doubt: Doubt, of list: Int) throws(LibcryptoFailure) {
    guard let signature = doubt.signatures.randomElement(), let key = doubt.keys.randomElement() else { return }
    let digest = Int.random(in: 0..<queues[list].digestCount(signature))
    if try verdict(signature, in: queues[list], of: digest, by: key) == .valid {
      throw .contradiction(on: keys[key].curve)
    }
  }
}

/// The finding on a signature that one of several keys may have made, of one of several digests.
package enum SignatureFinding: Hashable, Sendable {
  /// The key with this index in the verifier signed the digest with this index in the signature's list.
  case signed(key: Int, digest: Int)
  /// None of the keys signed one of the digests.
  case invalid
  /// The bytes are not a signature at all.
  case malformed
}

/// The method by which many signatures of one key are verified.
public enum VerificationMethod: String, Sendable, CaseIterable {
  /// Verification with tables of multiples of the key's point, which are built once and checked completely. libcrypto's
  /// ECDSA checks some of the signatures that the tables call invalid.
  case fixedBase = "fixed-base"

  /// Verification with libcrypto's ECDSA through EVP, one signature at a time.
  case evp
}
