import TestSupport
import Testing

@testable import Statistics

@Suite struct `A test of a rate by day` {
  /// Days of about 40 records with a share of them, of which each day has its own around the mean.
  private static func days(_ count: Int, share: Double, spread: Double, _ random: inout SplitMix) -> [SteadyExcess.Day]
  {
    (0..<count).map { _ in
      let chance = min(max(share + spread * (Double.random(in: -1...1, using: &random)), 0), 1)
      let all = Int.random(in: 20...60, using: &random)
      let own = (0..<all).count { _ in Double.random(in: 0..<1, using: &random) < chance }
      return SteadyExcess.Day(Double(own), of: Double(all))
    }
  }

  @Test(arguments: [7, 14, 28]) func `seldom finds an excess where there is none, also if days differ`(_ count: Int)
    throws
  {
    var random = SplitMix(seed: UInt64(count))
    var found = 0
    for _ in 0..<2000 {
      let days = Self.days(count, share: 0.05, spread: 0.05, &random)
      if try #require(SteadyExcess(days, above: 0.05)).pValue < 0.05 { found += 1 }
    }
    // 5 % of 2000 are 100; with the worst days left out it is fewer.
    #expect(found < 100, "\(found)")
  }

  @Test func `finds a steady excess`() throws {
    var random = SplitMix(seed: 1)
    var found = 0
    for _ in 0..<200 {
      let days = Self.days(14, share: 0.2, spread: 0.05, &random)
      if try #require(SteadyExcess(days, above: 0.05)).pValue < 0.001 { found += 1 }
    }
    #expect(found > 190, "\(found)")
  }

  @Test func `takes two days of an outage for chance, and few days for nothing`() throws {
    let quiet = [SteadyExcess.Day](repeating: SteadyExcess.Day(1, of: 40), count: 12)
    let outage = quiet + [SteadyExcess.Day](repeating: SteadyExcess.Day(40, of: 40), count: 2)
    #expect(try #require(SteadyExcess(outage, above: 0.05)).pValue == 1)
    #expect(try #require(SteadyExcess(quiet, above: 0.05)).pValue == 1)
    #expect(SteadyExcess(Array(outage.suffix(6)), above: 0.05) == nil)
    #expect(
      try #require(SteadyExcess([SteadyExcess.Day](repeating: SteadyExcess.Day(0, of: 0), count: 9), above: 0.05))
        .pValue == 1
    )
  }

  @Test func `has the tail of the binomial distribution`() {
    #expect(Binomial.tail(0, of: 10, probability: 0.5) == 1)
    #expect(abs(Binomial.tail(8, of: 10, probability: 0.5) - 56.0 / 1024) < 1e-12)
  }
}
