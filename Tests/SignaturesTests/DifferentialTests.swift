import Testing

@testable import Signatures

/// SplitMix64: the same numbers in every run.
private struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}

/// Keys, digests, and every key's signature of every digest.
private struct Corpus: Sendable {
  let keys: [PublicKey]
  let digests: [SHA256Digest]
  /// The signatures, r then s, by key and then by digest.
  let signatures: [[[UInt8]]]
  /// The verdicts of one-shot verification on the signatures above: of each in each form, and then the same with n - s.
  private let frequent: [SignatureVerdict]

  init(_ curve: Curve) throws {
    let one = Scalar(curve, 1)
    let signers = try [
      SigningKey(curve: curve, scalarFrom: digest(of: "first")),
      SigningKey(curve: curve, scalarFrom: digest(of: "second")), one.key, (-one).key,
    ]
    let digests = try (0..<200).map { try digest(of: "postback \($0)") } + [Scalar(curve, 0).digest, (-one).digest]
    self.digests = digests
    keys = try signers.map { try $0.publicKey }
    signatures = try signers.map { signer in try digests.map { try signer.sign($0, as: .raw) } }
    var frequent: [SignatureVerdict] = []
    for (key, signatures) in zip(keys, signatures) {
      for (digest, signature) in zip(digests, signatures) {
        let (r, s) = (Array(signature.prefix(curve.fieldByteCount)), Array(signature.suffix(curve.fieldByteCount)))
        for s in [s, difference(curve.order, s)] {
          for form in SignatureForm.allCases {
            frequent.append(try key.verdict(on: Self.bytes(r, s, form), as: form, of: digest))
          }
        }
      }
    }
    self.frequent = frequent
    for key in keys { #expect(key.prepare() == .fixedBase) }
  }

  private static func bytes(_ r: [UInt8], _ s: [UInt8], _ form: SignatureForm) -> [UInt8] {
    form == .raw ? r + s : element(0x30, integer(r) + integer(s))
  }

  static let all = Result { try Dictionary(uniqueKeysWithValues: Curve.allCases.map { ($0, try Corpus($0)) }) }

  /// A random case.
  struct Case {
    let key: Int
    let digest: SHA256Digest
    let form: SignatureForm
    let signature: [UInt8]
    /// The place of the verdict of one-shot verification among those that are known. Half of all cases have one.
    fileprivate let frequent: Int?
  }

  /// The verdict of one-shot verification, which is the same each time for the same case.
  func verdict(on random: Case) throws -> SignatureVerdict {
    if let place = random.frequent { return frequent[place] }
    return try keys[random.key].verdict(on: random.signature, as: random.form, of: random.digest)
  }

  /// A random case: usually a valid signature of the digest by the key, else a changed one.
  func next(using generator: inout SeededGenerator) -> Case {
    let signer = Int.random(in: keys.indices, using: &generator)
    let signed = Int.random(in: digests.indices, using: &generator)
    let curve = keys[signer].curve
    let size = curve.fieldByteCount
    var (key, digest) = (signer, digests[signed])
    var r = Array(signatures[signer][signed].prefix(size))
    var s = Array(signatures[signer][signed].suffix(size))
    let change = Int.random(in: 0..<24, using: &generator)
    switch change {
    case 0: key = Int.random(in: keys.indices, using: &generator)
    case 1: digest = digests[Int.random(in: digests.indices, using: &generator)]
    case 2: swap(&r, &s)
    case 3: r = edge(curve, using: &generator)
    case 4: s = edge(curve, using: &generator)
    case 5: (r, s) = (edge(curve, using: &generator), edge(curve, using: &generator))
    case 6: r = difference(curve.order, r)
    case 7...9: s = difference(curve.order, s)
    case 10: r[Int.random(in: 0..<size, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 11: s[Int.random(in: 0..<size, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    default: break
    }
    let form = SignatureForm.allCases.randomElement(using: &generator) ?? .der
    var signature = Self.bytes(r, s, form)
    let place = Int.random(in: signature.indices, using: &generator)
    switch change {
    case 12: signature[place] = UInt8.random(in: 0...255, using: &generator)
    case 13: signature.remove(at: place)
    case 14: signature.insert(UInt8.random(in: 0...255, using: &generator), at: place)
    default: break
    }
    let variants = 2 * SignatureForm.allCases.count
    var frequent = (signer * digests.count + signed) * variants + (SignatureForm.allCases.firstIndex(of: form) ?? 0)
    if (7...9).contains(change) { frequent += SignatureForm.allCases.count }
    let isFrequent = (7...9).contains(change) || change > 14
    return Case(key: key, digest: digest, form: form, signature: signature, frequent: isFrequent ? frequent : nil)
  }

  private func edge(_ curve: Curve, using generator: inout SeededGenerator) -> [UInt8] {
    let one = Scalar(curve, 1)
    let small = Scalar(curve, UInt8.random(in: 0...255, using: &generator))
    return switch Int.random(in: 0..<6, using: &generator) {
    case 0: Scalar(curve, 0).bytes
    case 1: one.bytes
    case 2: small.bytes
    case 3: (-small).bytes
    case 4: curve.order
    default: Array(sum(curve.order, small.bytes).dropFirst())
    }
  }
}

struct DifferentialTests {
  /// 200 000 cases in all.
  @Test(arguments: (0..<32).map { (Curve.p256, UInt64($0), 5_000) } + (0..<20).map { (.p192, UInt64($0), 2_000) })
  func `batches of random cases have the verdicts of one-shot verification`(
    _ curve: Curve,
    _ seed: UInt64,
    _ count: Int
  ) throws {
    let corpus = try #require(try Corpus.all.get()[curve])
    var generator = SeededGenerator(state: seed)
    var verifier = try BatchVerifier(corpus.keys)
    var seen: [SignatureVerdict: Int] = [:]
    var done = 0
    while done < count {
      let size = min(Int.random(in: 1...700, using: &generator), count - done)
      var expected: [SignatureVerdict] = []
      for _ in 0..<size {
        let random = corpus.next(using: &generator)
        verifier.add(random.signature, as: random.form, of: random.digest, by: random.key)
        expected.append(try corpus.verdict(on: random))
      }
      let verdicts = try verifier.verify()
      if verdicts != expected {
        let wrong = zip(verdicts, expected).enumerated().filter { $1.0 != $1.1 }
        Issue.record("of seed \(seed), cases from \(done): \(wrong)")
      }
      for verdict in verdicts { seen[verdict, default: 0] += 1 }
      done += size
    }
    #expect(done == count)
    #expect(seen[.valid, default: 0] > count / 3)
    #expect(seen[.invalid, default: 0] > count / 8)
    #expect(seen[.malformed, default: 0] > count / 50)
  }

  /// Signatures that any of some keys may have made, of any of some digests: at first without tables, then with those of
  /// some keys, then with all; by one list of few keys and one of so many that they are recovered.
  @Test(arguments: Curve.allCases, [UInt64(1), 2, 3])
  func `batches of several keys and digests have the verdicts of one-shot verification`(
    _ curve: Curve,
    _ seed: UInt64
  ) throws {
    let corpus = try #require(try Corpus.all.get()[curve])
    let decoys = try (0..<12).map { try SigningKey(curve: curve, scalarFrom: digest(of: "decoy \($0)")).publicKey }
    // Keys of their own, as those of the corpus have tables.
    let fresh = try ["first", "second"].map { try SigningKey(curve: curve, scalarFrom: digest(of: $0)).publicKey }
    let keys = corpus.keys + fresh + decoys
    let lists = [[4, 5, 0, 1], Array(0..<4) + Array(6..<18), [4]]
    var generator = SeededGenerator(state: seed)
    var verifier = try BatchVerifier(keys, candidates: lists, method: .fixedBase)
    var seen: [SignatureVerdict: Int] = [:]
    for _ in 0..<8 {
      var cases: [(list: Int, form: SignatureForm, signature: [UInt8], digests: [SHA256Digest])] = []
      for _ in 0..<Int.random(in: 1...(curve == .p256 ? 400 : 120), using: &generator) {
        let random = corpus.next(using: &generator)
        var digests = [random.digest]
        if Bool.random(using: &generator) {
          digests.insert(
            corpus.digests[Int.random(in: 0..<50, using: &generator)],
            at: Int.random(in: 0...1, using: &generator)
          )
        }
        cases.append((Int.random(in: 0..<3, using: &generator), random.form, random.signature, digests))
      }
      for (list, form, signature, digests) in cases {
        verifier.add(signature.span, as: form, of: digests.span, candidates: list)
      }
      for ((list, form, signature, digests), finding) in zip(cases, try verifier.find()) {
        func verdicts() throws -> [SignatureVerdict] {
          try digests.flatMap { digest in
            try lists[list].map { try keys[$0].verdict(on: signature, as: form, of: digest) }
          }
        }
        switch finding {
        case .signed(let key, let digest):
          seen[.valid, default: 0] += 1
          #expect(lists[list].contains(key))
          #expect(try keys[key].verdict(on: signature, as: form, of: digests[digest]) == .valid)
        case .invalid:
          seen[.invalid, default: 0] += 1
          #expect(try verdicts().allSatisfy { $0 == .invalid })
        case .malformed:
          seen[.malformed, default: 0] += 1
          #expect(try verdicts().allSatisfy { $0 == .malformed })
        }
      }
    }
    #expect(seen.count == 3)
  }

  @Test(arguments: Curve.allCases)
  func `an edge case is found among other keys and digests by every method`(_ curve: Curve) throws {
    let decoys = try (0..<12).map { try SigningKey(curve: curve, scalarFrom: digest(of: "decoy \($0)")).publicKey }
    let other = try digest(of: "another digest")
    for edge in try Edge.all(on: curve) where edge.verdict != .malformed {
      for (count, method) in [(2, VerificationMethod.fixedBase), (12, .fixedBase), (1, .evp)] {
        if count == 2 { for key in decoys[..<2] + [edge.key] { key.prepare() } }
        let keys = decoys.prefix(count) + [edge.key]
        var verifier = try BatchVerifier(Array(keys), candidates: [Array(0...count)], method: method)
        let digests = [other, edge.digest]
        verifier.add(edge.signature.span, as: .raw, of: digests.span, candidates: 0)
        let expected = edge.verdict == .valid ? SignatureFinding.signed(key: count, digest: 1) : .invalid
        #expect(try verifier.find() == [expected], Comment(rawValue: edge.testDescription))
      }
    }
  }

  @Test(arguments: Curve.allCases)
  func `a verifier without tables builds none`(_ curve: Curve) throws {
    let signed = try Signed(curve, count: 1)
    var verifier = try BatchVerifier([signed.key], method: .evp)
    let (digest, signature) = signed.good[0]
    for _ in 0..<1100 { verifier.add(signature, as: .raw, of: digest) }
    #expect(try verifier.verify().allSatisfy { $0 == .valid })
    #expect(signed.key.method == .evp)
  }
}
