import ConversionModel
import Ledger
import Tables
import Testing

@testable import LookupTables
@testable import NullValueModelling
@testable import Statistics

@Suite struct `The table of modelled revenue` {
  /// Nine campaigns, the last without a value. The expected numbers are those of an implementation of the published
  /// formulas with scipy.
  private static let campaigns: [(counts: [Int], nulls: Int)] = [
    ([40, 6, 1], 12), ([55, 3, 0], 9), ([20, 5, 2], 15), ([80, 8, 3], 30), ([33, 1, 1], 4), ([61, 9, 2], 22),
    ([25, 2, 0], 7), ([47, 4, 4], 18), ([0, 0, 0], 6),
  ]
  private static let amounts = [0, 5, 20]

  private static func counts(
    _ campaigns: [(counts: [Int], nulls: Int)] = campaigns,
    app: Int64 = 7,
    by period: ModelPeriod = .all,
    after earlier: StratumCounts? = nil
  ) -> StratumCounts {
    var counts = earlier ?? StratumCounts(by: period)
    for (number, campaign) in campaigns.enumerated() {
      counts.add(.campaign(number, app: app), campaign.counts, worth: amounts, nulls: campaign.nulls)
    }
    return counts
  }

  @Test func `has the estimates of an independent implementation`() throws {
    let rows = NullModelling(Self.counts(), try .fixture(worth: Self.amounts)).rows
    #expect(rows.count == 10)
    let total = try #require(rows.first)
    #expect(total.scope == .total)
    #expect(total.revenue()?.description == "589.367181")
    #expect(total.low?.description == "501.428619")
    #expect(total.high?.description == "736.962448")
    #expect(total.estimate.flatMap { Amount(estimate: $0.variance) }?.description == "2274.412792")
    let first = rows[1]
    #expect(first.revenue()?.description == "63.041357")
    #expect(first.credibility.flatMap { Amount(estimate: $0) }?.description == "0.280824")
    #expect(first.interval.flatMap { Amount(estimate: $0.high) }?.description == "61.195536")
    let last = rows[9]
    #expect(last.status == .borrowed)
    #expect(last.revenue()?.description == "6.574448")
    #expect(last.interval.flatMap { Amount(estimate: $0.high) }?.description == "44.948504")
  }

  @Test func `has the bounds, and the revenue for other worths of nulls`() throws {
    let rows = NullModelling(Self.counts(), try .fixture(worth: Self.amounts)).rows
    #expect(rows[1].boundLow == Amount(50))
    #expect(rows[1].boundHigh == Amount(50 + 12 * 20))
    #expect(rows[1].revenue(0.5)?.description == "56.520679")
    #expect(rows[0].boundHigh == Amount(450 + 123 * 20))
    #expect(rows[1].limits == .init(least: rows[1].revenue(), most: rows[1].revenue()))
    let open = NullModelling(Self.counts(), try .fixture(worth: Self.amounts, isOpen: true)).rows
    #expect(open[1].boundHigh == nil)
    #expect(open[1].boundLow == Amount(50))
  }

  @Test func `has Singular's example for a campaign alone`() throws {
    var counts = StratumCounts(by: .all)
    counts.add(.campaign(1), [19, 6], worth: [0, 5], nulls: 25)
    let row = try #require(NullModelling(counts, try .fixture(worth: [0, 5])).rows.last)
    #expect(row.revenue() == Amount(60))
    #expect(row.credibility == 1)
    #expect(row.low.map { "\($0)" }?.hasPrefix("37.62") == true)
    #expect(row.high.map { "\($0)" }?.hasPrefix("97.82") == true)
  }

  @Test func `scales later windows by the installs that could send no postback`() throws {
    var counts = StratumCounts(by: .all)
    counts.add(.campaign(1), [40], worth: [0], nulls: 10)
    var value = ReportedValue(modelID: "m", modelVersion: 1, coarse: .high)
    (value.estimate, value.minimum, value.maximum, value.currency) = (Amount(5), Amount(5), Amount(5), "USD")
    counts.add(.decoded(value), .campaign(1), window: 1, installDay: 20_520, count: 8)
    let row = try #require(NullModelling(counts, try .fixture(worth: [0, 5])).rows.last)
    #expect(row.window == 1)
    #expect([row.conversions, row.values, row.nulls] == [50, 40, 10])
    #expect(row.observed == Amount(40))
    #expect(row.revenue() == Amount(50))
    // More later postbacks than installs with a value, and no week beside this one.
    counts.add(.decoded(value), .campaign(1), window: 1, installDay: 20_520, count: 40)
    #expect(NullModelling(counts, try .fixture(worth: [0, 5])).rows.last?.status == .refused(.cohortMismatch))
    value.isCumulative = true
    counts.add(.decoded(value), .campaign(1), window: 1, installDay: 20_520)
    #expect(NullModelling(counts, try .fixture(worth: [0, 5])).rows.last?.status == .refused(.cumulative))
  }

  @Test func `compares later windows of a week with three weeks if install dates do not fit`() throws {
    var counts = StratumCounts(by: .week)
    // Monday 2026-03-09 is day 20521.
    for (week, installs) in [40, 30, 40].enumerated() {
      counts.add(.campaign(1), [installs], worth: [0], nulls: 10, day: 20_521 - 7 + 7 * Int64(week))
    }
    var value = ReportedValue(modelID: "m", modelVersion: 1, coarse: .high)
    (value.estimate, value.minimum, value.maximum, value.currency) = (Amount(5), Amount(5), Amount(5), "USD")
    counts.add(.decoded(value), .campaign(1), window: 1, installDay: 20_521, count: 33)
    let rows = NullModelling(counts, try .fixture(worth: [0, 5])).rows
    let row = try #require(rows.first { $0.window == 1 && $0.period?.lowerBound == 20_521 })
    // 33 of 110 installs of three weeks: 1.50 each.
    #expect(row.observed == Amount(165))
    #expect(row.revenue() == Amount(180))
  }

  @Test func `refuses what cannot be modelled, with its reason and its bounds`() throws {
    func row(_ counts: StratumCounts) throws -> ModelledRow {
      try #require(NullModelling(counts, try .fixture(worth: Self.amounts)).rows.last)
    }
    let few = try row(Self.counts([([18, 1, 0], 5)]))
    #expect(few.status.word == "not_modelled:too_few")
    #expect(few.revenue() == nil)
    #expect(few.boundLow == Amount(5))
    #expect(few.boundHigh == Amount(105))
    #expect(try row(Self.counts([([0, 0, 0], 5)])).status.word == "not_modelled:no_values")
    #expect(try row(Self.counts([([0, 0, 0], 5)])).boundHigh == Amount(100))
    #expect(try row(Self.counts([([30, 0, 0], 5)])).status.word == "not_modelled:no_variation")
    #expect(
      try row(Self.counts(.init(repeating: ([3, 0, 0], 5), count: 6))).status.word == "not_modelled:no_variation"
    )
    var zeros = Self.counts()
    zeros.add(.ambiguousZero, .campaign(3), window: 0, installDay: nil, count: 80)
    #expect(try row(zeros).status.word == "not_modelled:zero_may_be_null")
    var currencies = Self.counts()
    currencies.add(.decoded(.worth(3, code: 9, currency: "EUR")), .campaign(3), window: 0, installDay: nil)
    #expect(try row(currencies).status.word == "not_modelled:currencies")
    #expect(try row(currencies).observed == nil)
  }

  @Test func `has a total for each state, so that none hides null postbacks`() throws {
    var counts = Self.counts()
    counts.add(.campaign(5, network: "Zeros"), [10, 2, 0], worth: Self.amounts, nulls: 0)
    counts.add(.ambiguousZero, .campaign(5, network: "Zeros"), window: 0, installDay: 20_520, count: 4)
    let totals = NullModelling(counts, try .fixture(worth: Self.amounts)).rows.filter { $0.scope == .total }
    #expect(totals.map(\.status.word) == ["modelled", "not_modelled:zero_may_be_null"])
    #expect(totals.map(\.conversions) == [535, 16])
    #expect(totals[0].revenue()?.description == "589.367181")
  }

  @Test func `without null postbacks has the observed revenue as a point`() throws {
    let row = try #require(NullModelling(Self.counts([([9, 2, 0], 0)]), try .fixture(worth: Self.amounts)).rows.last)
    #expect(row.status == .modelled)
    #expect([row.revenue(), row.low, row.high, row.boundLow, row.boundHigh].allSatisfy { $0 == Amount(10) })
  }

  @Test func `lets an app with few campaigns borrow from apps with the same model`() throws {
    let counts = Self.counts([([14, 2, 0], 5)], app: 8)
    let alone = NullModelling(counts, ModelMeanings([])).rows
    #expect(alone.last?.status.word == "not_modelled:too_few")
    let rows = NullModelling(Self.counts(after: counts), ModelMeanings([])).rows
    #expect(rows.last?.app == 8)
    #expect(rows.last?.status == .modelled)
    #expect(rows.first { $0.app == 7 }?.revenue()?.description == "589.367181")
  }

  @Test func `does not depend on the order of rows`() throws {
    func counts(_ numbers: some Sequence<Int>) -> StratumCounts {
      var counts = StratumCounts(by: .month)
      for number in numbers {
        counts.add(
          .campaign(number),
          Self.campaigns[number].counts,
          worth: Self.amounts,
          nulls: Self.campaigns[number].nulls,
          day: 20_510 + Int64(number)
        )
      }
      return counts
    }
    let (forward, backward) = (counts(Self.campaigns.indices), counts(Self.campaigns.indices.reversed()))
    let encoding = TableEncoding([.jsonLines, .csv])
    let one = NullModelling(forward, try .fixture(worth: Self.amounts)).encoded(encoding)
    let other = NullModelling(backward, try .fixture(worth: Self.amounts)).encoded(encoding)
    #expect(one.jsonLines == other.jsonLines)
    #expect(one.csv == other.csv)
    #expect(
      String(decoding: one.jsonLines, as: UTF8.self).contains(#""period_start":"2026-02-01","period_end":"2026-02-28""#)
    )
  }

  @Test(arguments: [
    (ModelPeriod.week, -3, -3...3), (.week, 4, 4...10), (.week, 20_520, 20_514...20_520),
    (.month, 20_520, 20_513...20_543),
  ])
  func `has periods that begin on a Monday, or on the first of a month`(
    _ period: ModelPeriod,
    _ day: Int64,
    _ days: ClosedRange<Int64>
  ) throws {
    #expect(period.days(of: try #require(period.number(ofDay: day))) == days)
  }

  @Test func `takes the digits of a source identifier that a network keeps`() {
    func identifier(_ source: String?, _ digits: Network.Digits, campaign: Int64? = nil) -> Stratum.Identifier {
      guard let source else { return .init(campaignID: campaign) }
      return .init(source: source.utf8.span, keeping: digits)
    }
    #expect(identifier("5239", .trailing) == .source(39))
    #expect(identifier("5239", .leading) == .source(52))
    #expect(identifier("039", .trailing) == .source(39))
    #expect(identifier("07", .leading) == .source(7))
    #expect(identifier(nil, .trailing, campaign: 58) == .campaign(58))
    #expect(identifier(nil, .trailing) == .none)
  }
}
