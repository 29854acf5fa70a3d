import ConversionModel
import Testing

@testable import DailyReports
@testable import Statistics

@Suite struct CostRatiosTests {
  private func amount(_ text: String) throws -> Amount { try Amount(parsing: text) }

  @Test func `the ratios are those of the definitions`() throws {
    // 50 installs and 10 redownloads, of which 40 have a value; cost 120, revenue 30 with 20 to 45.
    var parts = CostRatios.Parts()
    parts.cost = Amount(120)
    (parts.installs, parts.conversions, parts.valid) = (50, 60, 40)
    (parts.revenue, parts.revenueMin, parts.revenueMax) = (Amount(30), Amount(20), Amount(45))
    let ratios = CostRatios(parts)
    #expect(try ratios.ecpi == amount("2.4"))
    #expect(try ratios.roas == amount("0.25"))
    #expect(try ratios.roasMin == amount("0.166667"))
    #expect(try ratios.roasMax == amount("0.375"))
    // 30 · 50 / (120 · 40) and 30 · 60 / (120 · 40).
    #expect(try ratios.roasScaled == amount("0.3125"))
    #expect(try ratios.roasScaledConversions == amount("0.375"))
    #expect(try ratios.rpu == amount("0.75"))
    #expect(ratios.roi?.description == "-0.6875")
    // 8 events: 8 / 40, and 120 · 40 / (8 · 50).
    let events = EventRatios(events: Amount(8), parts)
    #expect(try events.ecr == amount("0.2"))
    #expect(events.ecpa == Amount(12))
  }

  @Test func `the example of a value from 10 to 20 has three ratios`() {
    var parts = CostRatios.Parts()
    (parts.cost, parts.installs, parts.conversions, parts.valid) = (Amount(10), 1, 1, 1)
    (parts.revenueMin, parts.revenue, parts.revenueMax) = (Amount(10), Amount(15), Amount(20))
    let ratios = CostRatios(parts)
    #expect([ratios.roasMin, ratios.roas, ratios.roasMax].map(\.?.description) == ["1", "1.5", "2"])
  }

  @Test func `a ratio of nothing is null`() {
    var parts = CostRatios.Parts()
    let none = CostRatios(parts)
    #expect([none.ecpi, none.roas, none.roasScaled, none.rpu, none.roi].allSatisfy { $0 == nil })
    (parts.cost, parts.revenue, parts.installs, parts.conversions) = (.zero, Amount(5), 0, 0)
    let zeros = CostRatios(parts)
    #expect([zeros.ecpi, zeros.roas, zeros.roasScaled, zeros.rpu].allSatisfy { $0 == nil })
    // A cost without installs keeps its revenue's ratio.
    (parts.cost, parts.valid) = (Amount(10), 4)
    let some = CostRatios(parts)
    #expect(some.ecpi == nil)
    #expect(some.roas?.description == "0.5")
    #expect(some.roasScaled == .zero)
    #expect(some.roasMax == nil)
    #expect(EventRatios(events: .zero, parts).ecpa == nil)
  }

  @Test(arguments: [Amount.zero, -Amount(5)]) func `a cost of 0 or less has no ratios`(_ cost: Amount) {
    var parts = CostRatios.Parts()
    (parts.cost, parts.installs, parts.conversions, parts.valid) = (cost, 1, 1, 1)
    (parts.revenue, parts.revenueMin, parts.revenueMax) = (Amount(30), Amount(20), Amount(40))
    let ratios = CostRatios(parts)
    #expect([ratios.ecpi, ratios.roas, ratios.roasMin, ratios.roasMax, ratios.roi].allSatisfy { $0 == nil })
    #expect(ratios.roasScaled == nil && ratios.roasScaledConversions == nil)
    #expect(EventRatios(events: Amount(3), parts).ecpa == nil)
    // These are not of the cost.
    #expect(ratios.rpu == Amount(30) && EventRatios(events: Amount(3), parts).ecr == Amount(3))
  }

  @Test(arguments: [
    (81, 263, "0.255289", "0.36621"), (0, 20, "0", "0.161125"), (1, 29, "0.006113", "0.171755"),
  ])
  func `the rate of nulls has Wilson's bounds`(_ k: Int, _ n: Int, _ low: String, _ high: String) throws {
    let bounds = try #require(WilsonRate(k, of: n).bounds)
    #expect(bounds.low.description == low)
    #expect(bounds.high.description == high)
    #expect(WilsonRate(0, of: 0).bounds == nil)
  }
}
