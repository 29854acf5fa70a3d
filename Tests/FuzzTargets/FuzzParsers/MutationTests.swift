import TestSupport
import Testing

/// A short run over damaged inputs without libFuzzer, which `Tests/fuzz` runs for longer.
@Suite(.serialized) struct MutationTests {
  @Test(arguments: Parser.allCases) func `no damaged input breaks a rule of its parser`(_ parser: Parser) {
    let seeds = parser.seeds
    var random = SplitMix(seed: 1)
    var sizes: Set<Int> = []
    for number in 0..<1500 {
      var input = number < seeds.count ? seeds[number] : seeds.randomElement(using: &random) ?? []
      if number >= seeds.count { damage(&input, seeds, &random) }
      sizes.insert(input.count)
      parser.run(input)
    }
    #expect(sizes.count > 10)
  }

  private func damage(_ input: inout [UInt8], _ seeds: [[UInt8]], _ random: inout SplitMix) {
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let start = Int.random(in: 0...input.count, using: &random)
      let end = min(input.count, start + Int.random(in: 0...16, using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where start < input.count: input[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1 where start < input.count:
        input[start] = Array("\"{}[],:\\\n\0%0-".utf8).randomElement(using: &random) ?? 0
      case 2: input.removeSubrange(start..<end)
      case 3: input.insert(contentsOf: input[start..<end], at: start)
      case 4:
        let other = seeds.randomElement(using: &random) ?? []
        input.replaceSubrange(start..<end, with: other.prefix(Int.random(in: 0...40, using: &random)))
      default: input.removeSubrange(end...)
      }
    }
  }
}
