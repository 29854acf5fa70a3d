@testable import Ledger
import TestSupport
import Testing

@Suite struct `A sorted segment of the index` {
  private struct Key: Hashable {
    let high: UInt64
    let low: UInt64
  }

  /// Distributions of keys: even, around a point, at the beginning, at the end, and with few different words.
  private static let crowds: [@Sendable (inout SplitMix) -> UInt64] = [
    { .random(in: 0 ... .max, using: &$0) },
    { .random(in: 0..<400, using: &$0) << 54 },
    { (1 << 63) + .random(in: 0..<5000, using: &$0) << 40 },
    { .random(in: 0..<20, using: &$0) },
    { .max - .random(in: 0..<20, using: &$0) },
    { .max - .random(in: 0..<1000, using: &$0) << 50 },
  ]

  @Test(arguments: crowds.indices, [0, 1, 500]) func `finds the same entries as a dictionary`(
    _ crowd: Int,
    _ reserved: Int
  ) {
    var random = SplitMix(seed: UInt64(crowd))
    var segment = SortedSegment()
    if reserved > 0 { segment.reserve(reserved) }
    var dictionary: [Key: SortedSegment.Content] = [:]
    // Of one crowd alone there may not be more at the end than fits behind the last slot.
    let crowded = crowd == 4 ? 12 : 2000
    for number in 0..<4000 {
      let isCrowded = number < crowded
      let high = isCrowded ? Self.crowds[crowd](&random) : UInt64.random(in: 0 ... .max, using: &random)
      let key = Key(high: high, low: .random(in: 0..<3, using: &random))
      let content = SortedSegment.Content(digest: UInt32(number), unsigned: UInt32(number) << 8 & 0x7FFF_FFFF)
      #expect(segment.insert(key.high, key.low, content) == dictionary[key])
      if dictionary[key] == nil { dictionary[key] = content }
    }
    for (key, content) in dictionary {
      #expect(segment.insert(key.high, key.low, .init(digest: 0, unsigned: 0)) == content)
    }
  }
}
