import ConversionModel
import Testing

@testable import NullValueModelling
@testable import Statistics

/// Values with ranges, coarse values, data tiers, and zeros that may be nulls: what they are worth, and with what error.
@Suite struct `The worth of values and of nulls` {
  /// Counts of campaigns with fine values of the model with buckets, and nulls.
  private static func counts(_ campaigns: [[Int]], nulls: Int, tier: Int = 2) -> StratumCounts {
    var counts = StratumCounts(by: .all)
    for (number, values) in campaigns.enumerated() {
      for (value, count) in values.enumerated() where count > 0 {
        counts.add(.decoded(.bucket(value, tier: tier)), .campaign(number), window: 0, installDay: 20_520, count: count)
      }
      if nulls > 0 { counts.add(.null, .campaign(number), window: 0, installDay: 20_520, count: nulls) }
    }
    return counts
  }

  private static func add(_ coarse: CoarseValue, _ count: Int, to number: Int, _ counts: inout StratumCounts) {
    counts.add(.decoded(.coarse(coarse)), .campaign(number), window: 0, installDay: 20_520, count: count)
  }

  private static func row(_ counts: StratumCounts, _ number: Int) throws -> ModelledRow {
    let rows = NullModelling(counts, try .buckets()).rows
    return try #require(rows.first { $0.identifier == .source(number) && $0.scope == .stratum })
  }

  @Test func `a coarse value is worth the mean of the fine values of its class, with their error`() throws {
    var counts = Self.counts([[270, 30]], nulls: 0)
    Self.add(.low, 50, to: 0, &counts)
    let row = try Self.row(counts, 0)
    // 30 of 300 users of the class paid 3: 0.3 each, where the mean of the buckets is 2.
    #expect(row.observed == Amount(30 * 3 + 15))
    #expect(row.coarseBasis == .stratum)
    let (low, high) = (try #require(row.low), try #require(row.high))
    #expect(low < Amount(30 + 5))
    #expect(high > Amount(150 + 25))
    // The bounds need no fine values.
    #expect(row.boundLow == Amount(30))
    #expect(row.boundHigh == Amount(150 + 250))
  }

  @Test func `a coarse value takes the nearest stratum with 30 fine values of its class`() throws {
    var counts = Self.counts([[9, 1], [20, 20]], nulls: 0)
    Self.add(.low, 10, to: 0, &counts)
    #expect(try Self.row(counts, 0).coarseBasis == .network)
    var apart = counts
    apart.add(.decoded(.coarse(.low)), .campaign(5, network: "Other"), window: 0, installDay: 20_520, count: 4)
    let other = NullModelling(apart, try .buckets()).rows.first { $0.network == "Other" }
    #expect(other?.coarseBasis == .app)
    // 21 of 50 users of the class paid 3.
    #expect(other?.observed.map { "\($0)" } == "5.04")
    // Of the class high there is no fine value: the model's number stays.
    Self.add(.high, 1, to: 0, &counts)
    #expect(try Self.row(counts, 0).coarseBasis == .assumed)
    #expect(NullModelling(counts, try .buckets()).rows.first { $0.scope == .total }?.coarseBasis == .assumed)
  }

  @Test func `the interval has both ends of the ranges of values`() throws {
    let row = try Self.row(Self.counts([[60, 20, 10]], nulls: 0), 0)
    #expect(row.observed == Amount(180))
    #expect(row.low == Amount(20 + 50))
    #expect(row.high == Amount(100 + 200))
    let nulls = try Self.row(Self.counts([[60, 20, 10]], nulls: 30), 0)
    let ends = try #require(nulls.interval)
    #expect(ends.low < 70.0 / 3 && ends.high > 300.0 / 3)
  }

  @Test func `a value without an upper limit goes as far as the values below tell, or has no end`() throws {
    let row = try Self.row(Self.counts([[200, 60, 20, 4]], nulls: 0), 0)
    let high = try #require(row.high)
    #expect(high > Amount(300 + 400 + 4 * 30))
    #expect(row.boundHigh == nil)
    let alone = try Self.row(Self.counts([[200, 0, 0, 4]], nulls: 0), 0)
    #expect(alone.high == nil)
    #expect(alone.low == Amount(80))
  }

  @Test func `the exponent of a tail is that of a Pareto distribution`() throws {
    // With an exponent of 2, a 25th of the users above 1 is above 5, and a 16th of these above 20.
    let values: [(value: ReportedValue, count: Double)] = [(.bucket(1), 38_400), (.bucket(2), 1500), (.bucket(3), 100)]
    let tail = try #require(OpenTail(values))
    #expect(abs(tail.exponent - 2) < 0.001, "\(tail.exponent)")
    #expect(tail.carefulExponent < tail.exponent)
    #expect(tail.carefulExponent > 1.9)
    #expect(tail.mean(above: 20) > 40)
    #expect(OpenTail([(.bucket(1), 10), (.bucket(2), 10)]) == nil)
  }

  @Test func `nulls are worth what the tiers tell: less where values of lower tiers are worth less`() throws {
    func tiers(_ shares: [Int: Int]) throws -> ModelledRow {
      var counts = StratumCounts(by: .all)
      for number in 0..<10 {
        for (tier, payers) in shares {
          for (value, count) in [(0, 200 - payers), (1, payers)] {
            counts.add(
              .decoded(.bucket(value, tier: tier)),
              .campaign(number),
              window: 0,
              installDay: 20_520,
              count: count + number
            )
          }
        }
        counts.add(.null, .campaign(number), window: 0, installDay: 20_520, count: 50)
      }
      return try #require(NullModelling(counts, try .buckets()).rows.first { $0.scope == .total })
    }
    let same = try tiers([2: 40, 3: 40])
    let falling = try tiers([2: 40, 3: 60])
    #expect(try abs(#require(same.tierFactor) - 1) < 0.05)
    #expect(try #require(falling.tierFactor) < 0.8)
    let width = { (row: ModelledRow) throws -> Double in
      let ends = try #require(row.interval)
      return ends.high / ends.low
    }
    #expect(try width(falling) > width(same))
    // Where a tier is worth more than five times the other, nothing follows for nulls.
    let different = try tiers([2: 10, 3: 180])
    #expect(different.status == .refused(.tiersDiffer))
    #expect(different.revenue() == nil)
  }

  @Test func `a 0 that may be a null is a value for the lower end, and a null for the upper one`() throws {
    var counts = Self.counts([[60, 20, 10]], nulls: 0)
    counts.add(.ambiguousZero, .campaign(0), window: 0, installDay: 20_520, count: 2)
    let row = try Self.row(counts, 0)
    #expect(row.status == .modelled)
    #expect(row.zeros == 2)
    #expect(row.low == Amount(70))
    #expect(try #require(row.high) > Amount(300))
    #expect(row.boundHigh == nil)
    counts.add(.ambiguousZero, .campaign(0), window: 0, installDay: 20_520, count: 10)
    #expect(try Self.row(counts, 0).status == .refused(.zeroMayBeNull))
  }

  @Test func `there is no variation only where all values of the app are worth the same`() throws {
    let counts = Self.counts([[40], [18, 1]], nulls: 3)
    #expect(try Self.row(counts, 0).status == .refused(.tooFew))
    #expect(try Self.row(Self.counts([[40], [20]], nulls: 3), 0).status == .refused(.noVariation))
  }

  @Test func `the range of odds holds payers that lose their value twice as often, or half as often`() throws {
    let row = try Self.row(Self.counts([[300, 100]], nulls: 100), 0)
    let (low, high) = (try #require(row.oddsLow), try #require(row.oddsHigh))
    // A quarter of the values is of payers. With twice the odds it is 2 of 5 of the nulls, with half the odds 1 of 7.
    #expect(low < Amount(100 + 14) && high > Amount(500 + 40 * 5))
    #expect(try low < #require(row.low))
    #expect(try high > #require(row.high))
  }
}
