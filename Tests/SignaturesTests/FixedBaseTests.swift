import Signatures
import Testing

/// The tables alone. What they do not show, libcrypto's ECDSA decides, and that hides here what they miss.
struct FixedBaseTests {
  private static func shown(_ signatures: [(digest: SHA256Digest, signature: [UInt8])], by key: PublicKey) throws
    -> [Bool]
  {
    let tables = try #require(key.tables(toVerify: 1_000_000))
    let raw = signatures.flatMap(\.signature)
    let digests = signatures.flatMap(\.digest.array)
    return tables.showsValid(raw.span, of: digests.span, with: try BatchScratch())
  }

  @Test(arguments: Curve.allCases)
  func `tables show every edge valid that is, but for an x beyond n`(_ curve: Curve) throws {
    let edges = try Edge.all(on: curve)
    for (key, edges) in Dictionary(grouping: edges, by: { ObjectIdentifier($0.key) }).values.map({ ($0[0].key, $0) }) {
      for (edge, isShown) in zip(edges, try Self.shown(edges.map { ($0.digest, $0.signature) }, by: key)) {
        let isBeyond = ["an x beyond n", "the first x beyond n", "the last x below p"].contains {
          edge.testDescription.hasSuffix($0)
        }
        #expect(isShown == (edge.verdict == .valid && !isBeyond), Comment(rawValue: edge.testDescription))
      }
    }
    #expect(edges.count > 100)
  }

  @Test(arguments: [(Curve.p256, 300), (.p192, 140)])
  func `a bad signature hides no other`(_ curve: Curve, _ count: Int) throws {
    let signed = try Signed(curve, count: count)
    for place in 0..<count {
      var signatures = signed.good
      let bad = signed.bad(place)
      guard bad.verdict == .invalid else { continue }
      signatures[place] = (bad.digest, bad.signature)
      var expected = [Bool](repeating: true, count: count)
      expected[place] = false
      let shown = try Self.shown(signatures, by: signed.key)
      if shown != expected { Issue.record("a bad one at \(place): \(shown)") }
    }
    let bad = (0..<count).map { signed.bad($0) }.filter { $0.verdict == .invalid }
    #expect(try !Self.shown(bad.map { ($0.digest, $0.signature) }, by: signed.key).contains(true))
    #expect(try Self.shown(signed.good, by: signed.key) == [Bool](repeating: true, count: count))
    #expect(try Self.shown([], by: signed.key).isEmpty)
  }
}
