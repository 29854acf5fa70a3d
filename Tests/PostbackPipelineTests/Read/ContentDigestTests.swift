import Testing

@testable import PostbackPipeline

@Suite struct `The content digest` {
  private func digest(_ records: some Sequence<[UInt8]>, seed: UInt64 = 5) -> UInt128 {
    var digest = ContentDigest(seed: seed)
    for record in records { digest.add(record.span) }
    return digest.value
  }

  @Test func `depends on the records, their order, their ends and the seed`() {
    let records: [[UInt8]] = [[1], [2, 3], [], [0]]
    let same = digest(records)
    #expect(digest(records) == same)
    #expect(digest(records, seed: 6) != same)
    #expect(digest(records.reversed()) != same)
    #expect(digest(records.dropLast()) != same)
    #expect(digest([[1, 2], [3], [], [0]]) != same)
    #expect(digest(records + [[]]) != same)
  }

  /// The Thue–Morse sequence and its complement have the same digest under every polynomial modulo a power of two, for any
  /// seed.
  @Test(arguments: [1, 0x1234_5678_9ABC_DEF0, UInt64.max]) func `does not collide for inputs made without the seed`(
    _ seed: UInt64
  ) {
    let (first, second): ([UInt8], [UInt8]) = (Array("{\"a\":1}".utf8), Array("{\"b\":2}".utf8))
    let sequence = (0..<1 << 16).map { $0.nonzeroBitCount % 2 == 0 }
    let complement = sequence.map { $0 ? second : first }
    #expect(digest(sequence.map { $0 ? first : second }, seed: seed) != digest(complement, seed: seed))
  }

  @Test func `is known for each number of records`() {
    var digest = ContentDigest(seed: 9, watching: [2])
    for record in [[1], [2], [3]] as [[UInt8]] { digest.add(record.span) }
    #expect(digest.at(2)?.value == self.digest([[1], [2]], seed: 9))
    #expect(digest.at(2)?.prefix == self.digest([[1]], seed: 9))
    #expect(digest.first == digest.at(2)?.prefix && digest.prefix == digest.at(2)?.value)
    #expect(digest.count == 3)
  }
}
