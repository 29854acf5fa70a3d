import CLibcrypto
import Testing

@testable import Signatures

/// Tests of the tables and of the recovery of keys, without a `BatchVerifier`.
struct FixedBaseTests {
  private typealias Signature = (digest: SHA256Digest, signature: [UInt8])

  private static func queue(_ signatures: [Signature], _ curve: Curve) -> SignatureQueue {
    var queue = SignatureQueue([0])
    for (digest, signature) in signatures {
      #expect(queue.append(signature.span, as: .raw, on: curve, place: queue.count) == nil)
      queue.append(digest)
    }
    return queue
  }

  private static func verified(_ signatures: [Signature], by key: PublicKey) throws -> [clibcrypto_finding] {
    key.prepare()
    let queue = queue(signatures, key.curve)
    let which = (0..<queue.count).map { UInt32($0) }
    let findings = try BatchScratch().verify(which, of: queue, with: [#require(key.builtTables)])
    return try #require(findings)
  }

  private static func recovered(_ signatures: [Signature], from keys: [PublicKey]) throws -> [clibcrypto_finding] {
    let generator = try #require(Generator.tables(of: keys[0].curve))
    let queue = queue(signatures, keys[0].curve)
    let which = (0..<queue.count).map { UInt32($0) }
    return try #require(try BatchScratch().recover(which, of: queue, from: keys, with: generator))
  }

  private static func isBeyond(_ edge: Edge) -> Bool {
    ["an x beyond n", "the first x beyond n", "the last x below p"].contains { edge.testDescription.hasSuffix($0) }
  }

  @Test(arguments: Curve.allCases)
  func `tables verify every edge case, and leave an x beyond n to ECDSA`(_ curve: Curve) throws {
    let edges = try Edge.all(on: curve)
    for (key, edges) in Dictionary(grouping: edges, by: { ObjectIdentifier($0.key) }).values.map({ ($0[0].key, $0) }) {
      for (edge, finding) in zip(edges, try Self.verified(edges.map { ($0.digest, $0.signature) }, by: key)) {
        let expected =
          edge.verdict != .valid
          ? clibcrypto_not_signed : Self.isBeyond(edge) ? clibcrypto_to_be_asked : clibcrypto_signed
        #expect(finding.answer == expected, Comment(rawValue: edge.testDescription))
      }
    }
    #expect(edges.count > 100)
  }

  @Test(arguments: Curve.allCases)
  func `recovery finds the key of every valid edge case`(_ curve: Curve) throws {
    let others = try (0..<20).map { try SigningKey(curve: curve, scalarFrom: digest(of: "other \($0)")).publicKey }
    let edges = try Edge.all(on: curve)
    var wronglyPointed = 0
    for (key, edges) in Dictionary(grouping: edges, by: { ObjectIdentifier($0.key) }).values.map({ ($0[0].key, $0) }) {
      let keys = others[..<7] + [key] + others[7...]
      for (edge, finding) in zip(edges, try Self.recovered(edges.map { ($0.digest, $0.signature) }, from: Array(keys)))
      {
        let name = Comment(rawValue: edge.testDescription)
        if edge.verdict == .valid {
          #expect(finding.answer == clibcrypto_to_be_asked && finding.key == 7, name)
        } else {
          // It goes by x, and so takes a key for its opposite.
          wronglyPointed += finding.answer == clibcrypto_to_be_asked ? 1 : 0
          #expect(finding.answer != clibcrypto_signed, name)
        }
      }
    }
    #expect(wronglyPointed < 10)
  }

  @Test(arguments: [(Curve.p256, 300), (.p192, 140)])
  func `a bad signature does not hide others`(_ curve: Curve, _ count: Int) throws {
    let signed = try Signed(curve, count: count)
    for place in 0..<count {
      var signatures = signed.good
      let bad = signed.bad(place)
      guard bad.verdict == .invalid else { continue }
      signatures[place] = (bad.digest, bad.signature)
      var expected = [Bool](repeating: true, count: count)
      expected[place] = false
      let shown = try Self.verified(signatures, by: signed.key).map { $0.answer == clibcrypto_signed }
      if shown != expected { Issue.record("a bad one at \(place): \(shown)") }
    }
    let bad = (0..<count).map { signed.bad($0) }.filter { $0.verdict == .invalid }.map { ($0.digest, $0.signature) }
    #expect(try Self.verified(bad, by: signed.key).allSatisfy { $0.answer == clibcrypto_not_signed })
    #expect(try Self.recovered(bad, from: [signed.key]).allSatisfy { $0.answer == clibcrypto_not_signed })
    #expect(try Self.recovered(signed.good, from: [signed.key]).allSatisfy { $0.answer == clibcrypto_to_be_asked })
  }
}
