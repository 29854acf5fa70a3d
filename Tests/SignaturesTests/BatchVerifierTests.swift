import Signatures
import Testing

extension BatchVerifier {
  /// A verifier for one key that verifies by `method`.
  init(_ key: PublicKey, by method: VerificationMethod) throws {
    if method == .fixedBase { key.prepare() }
    #expect(key.method == method)
    try self.init([key])
  }

  @discardableResult
  mutating func add(
    _ signature: [UInt8],
    as form: SignatureForm = .der,
    of digest: SHA256Digest,
    by key: Int = 0
  ) -> Int {
    add(signature.span, as: form, of: digest, by: key)
  }

  mutating func verdict(
    on signature: [UInt8],
    as form: SignatureForm = .der,
    of digest: SHA256Digest
  ) throws -> SignatureVerdict {
    add(signature, as: form, of: digest)
    return try #require(verify().first)
  }
}

struct BatchVerifierTests {
  @Test(arguments: Curve.allCases, VerificationMethod.allCases)
  func `every edge case has the verdict of one-shot verification, alone and among others`(
    _ curve: Curve,
    _ method: VerificationMethod
  ) throws {
    let edges = try Edge.all(on: curve)
    for (key, edges) in Dictionary(grouping: edges, by: { ObjectIdentifier($0.key) }).values.map({ ($0[0].key, $0) }) {
      var verifier = try BatchVerifier(key, by: method)
      for edge in edges {
        let name = Comment(rawValue: edge.testDescription)
        #expect(try key.verdict(on: edge.signature, as: .raw, of: edge.digest) == edge.verdict, name)
        #expect(try verifier.verdict(on: edge.signature, as: .raw, of: edge.digest) == edge.verdict, name)
      }
      for edge in edges + edges.reversed() {
        verifier.add(edge.signature, as: .raw, of: edge.digest)
      }
      #expect(try verifier.verify() == (edges + edges.reversed()).map(\.verdict))
    }
  }

  @Test(arguments: Curve.allCases, VerificationMethod.allCases)
  func `integers in any encoding are read as in one-shot verification`(
    _ curve: Curve,
    _ method: VerificationMethod
  ) throws {
    let vector = curve == .p256 ? RFC6979Vector.p256[0] : RFC6979Vector.p192[0]
    let size = curve.fieldByteCount
    let digest = try digest(of: vector.message)
    let (r, s) = (Array(vector.signature.prefix(size)), Array(vector.signature.suffix(size)))
    let good = element(0x30, integer(r) + integer(s))
    let malformed = Writing.malformed.map { $0.bytes(r, s, curve.order) }
    let invalid = Writing.invalid.map { $0.bytes(r, s, curve.order) }
    var verifier = try BatchVerifier(try vector.key.publicKey, by: method)
    for bytes in malformed + [good] + invalid + [good] { verifier.add(bytes, of: digest) }
    let expected: [SignatureVerdict] =
      malformed.map { _ in .malformed } + [.valid] + invalid.map { _ in .invalid } + [.valid]
    #expect(try verifier.verify() == expected)
  }

  @Test(arguments: [(Curve.p256, [1, 2, 3, 64, 127, 128, 129, 257]), (.p192, [1, 2, 3, 129])])
  func `a bad signature at any place does not change other verdicts`(_ curve: Curve, _ counts: [Int]) throws {
    let signed = try Signed(curve, count: 257)
    var verifier = try BatchVerifier(signed.key, by: .fixedBase)
    for count in counts {
      for place in 0..<count {
        for index in 0..<count {
          if index == place {
            add(signed.bad(index), to: &verifier)
          } else {
            verifier.add(signed.good[index].signature, as: .raw, of: signed.good[index].digest)
          }
        }
        var expected = [SignatureVerdict](repeating: .valid, count: count)
        expected[place] = signed.bad(place).verdict
        let verdicts = try verifier.verify()
        if verdicts != expected { Issue.record("\(count) with a bad one at \(place): \(verdicts)") }
      }
    }
  }

  private func add(
    _ bad: (digest: SHA256Digest, signature: [UInt8], verdict: SignatureVerdict),
    to verifier: inout BatchVerifier
  ) {
    verifier.add(bad.signature, as: .raw, of: bad.digest)
  }

  @Test(arguments: Curve.allCases)
  func `batches of every size are verified, with good and bad signatures`(_ curve: Curve) throws {
    let signed = try Signed(curve, count: 140)
    var verifier = try BatchVerifier(signed.key, by: .fixedBase)
    #expect(try verifier.verify().isEmpty)
    for count in 1...140 {
      for (digest, signature) in signed.good.prefix(count) {
        verifier.add(signature, as: .raw, of: digest)
      }
      #expect(try verifier.verify() == [SignatureVerdict](repeating: .valid, count: count))
    }
    for count in stride(from: 1, through: 140, by: curve == .p256 ? 1 : 9) {
      for index in 0..<count { add(signed.bad(index), to: &verifier) }
      #expect(try verifier.verify() == (0..<count).map { signed.bad($0).verdict })
    }
  }

  @Test func `keys of both curves and signatures of both forms share a batch`() throws {
    let signers = try Curve.allCases.flatMap { curve in
      try (0..<3).map { try SigningKey(curve: curve, scalarFrom: digest(of: "key \($0)")) }
    }
    let keys = try signers.map { try $0.publicKey }
    for key in keys.dropLast() { key.prepare() }
    var verifier = try BatchVerifier(keys)
    var expected: [SignatureVerdict] = []
    for index in 0..<600 {
      let digest = try digest(of: "postback \(index)")
      let form = index % 4 == 0 ? SignatureForm.raw : .der
      let (signer, key) = (index % 6, index % 5 == 0 ? (index + 1) % 6 : index % 6)
      let signature = try signers[signer].sign(digest, as: form)
      #expect(verifier.add(signature, as: form, of: digest, by: key) == index)
      expected.append(try keys[key].verdict(on: signature, as: form, of: digest))
    }
    #expect(Set(expected) == [.valid, .invalid, .malformed])
    #expect(try verifier.verify() == expected)
    #expect(try verifier.verify().isEmpty)
  }

  @Test(arguments: Curve.allCases)
  func `tables are built when they pay off, and never by one-shot verification`(_ curve: Curve) throws {
    let signed = try Signed(curve, count: 1)
    let (digest, signature) = signed.good[0]
    #expect(try signed.key.verdict(on: signature, as: .raw, of: digest) == .valid)
    var verifier = try BatchVerifier([signed.key])
    for _ in 0..<(curve == .p256 ? 10 : 2) {
      #expect(signed.key.method == .evp)
      for _ in 0..<64 { verifier.add(signature, as: .raw, of: digest) }
      #expect(try verifier.verify() == [SignatureVerdict](repeating: .valid, count: 64))
    }
    #expect(signed.key.method == .fixedBase)
    #expect(signed.key.prepare() == .fixedBase)
  }

  @Test(arguments: Curve.allCases)
  func `many tasks share the tables of a key`(_ curve: Curve) async throws {
    let signed = try Signed(curve, count: 130)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<24 {
        group.addTask {
          var verifier = try BatchVerifier([signed.key])
          var right = 0
          for round in 0..<3 {
            for (digest, signature) in signed.good { verifier.add(signature, as: .raw, of: digest) }
            let bad = (task + round) % 130
            verifier.add(signed.bad(bad).signature, as: .raw, of: signed.bad(bad).digest)
            let verdicts = try verifier.verify()
            right += verdicts.dropLast().count { $0 == .valid } + (verdicts.last == signed.bad(bad).verdict ? 1 : 0)
          }
          return right
        }
      }
      let right = try await group.reduce(0, +)
      #expect(right == 24 * 3 * 131)
    }
    #expect(signed.key.method == .fixedBase)
  }
}
