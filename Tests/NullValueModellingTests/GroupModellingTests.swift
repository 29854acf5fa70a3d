import ConversionModel
import Testing

@testable import NullValueModelling

@Suite struct `Modelled numbers of a group of a report` {
  private static func modelling(_ counts: StratumCounts) throws -> NullModelling {
    NullModelling(counts, try .fixture(worth: [0, 5]))
  }

  private static func nulls(_ counts: StratumCounts, _ numbers: [Int: Int]) -> GroupNulls {
    var nulls = GroupNulls()
    for (campaign, count) in numbers {
      let cell = counts.cell(.campaign(campaign), window: 0, installDay: 20_520)
      nulls.add(cell, count > 0 ? .null : .undecoded, count)
    }
    return nulls
  }

  private static let alone: StratumCounts = {
    var counts = StratumCounts(by: .all)
    counts.add(.campaign(1), [19, 6], worth: [0, 5], nulls: 25)
    return counts
  }()

  @Test func `are those of its own null postbacks, also of a part of the days`() throws {
    let modelling = try Self.modelling(Self.alone)
    var groups = StratumGroups<Int>()
    groups.add(.campaign(1), in: 4)
    let all = modelling.revenue(
      of: Self.nulls(Self.alone, [1: 25]),
      whole: groups,
      observed: Amount(30),
      currency: "USD"
    )
    #expect(all?.number.value == Amount(60))
    #expect(all?.status == .modelled)
    let some = modelling.revenue(
      of: Self.nulls(Self.alone, [1: 5]),
      whole: groups,
      observed: Amount(10),
      currency: "USD"
    )
    #expect(some?.number.value == Amount(16))
    let none = modelling.revenue(
      of: Self.nulls(Self.alone, [1: 0]),
      whole: groups,
      observed: Amount(10),
      currency: "USD"
    )
    #expect(none?.number == ModelledNumber(value: Amount(10), low: Amount(10), high: Amount(10)))
  }

  @Test func `are not there for a stratum in several groups, or in another currency`() throws {
    let modelling = try Self.modelling(Self.alone)
    var groups = StratumGroups<Int>()
    groups.add(.campaign(1), in: 4)
    let nulls = Self.nulls(Self.alone, [1: 25])
    let other = modelling.revenue(of: nulls, whole: groups, observed: Amount(30), currency: "EUR")
    #expect(other?.status.word == "not_modelled:currencies")
    // A group without a value of its own takes the currency of the values like its nulls.
    let none = modelling.revenue(of: nulls, whole: groups, observed: .zero, currency: nil)
    #expect(none?.currency == "USD")
    #expect(none?.number.value == Amount(30))
    groups.add(.campaign(1), in: 5)
    let split = modelling.revenue(of: nulls, whole: groups, observed: Amount(30), currency: "USD")
    #expect(split?.status.word == "not_modelled:several_groups")
    #expect(split?.number == ModelledNumber())
    #expect(modelling.revenue(of: GroupNulls(), whole: groups, observed: nil, currency: nil) == nil)
  }

  @Test func `of postbacks with an event have the beta-binomial interval`() throws {
    // Jeffreys' prior: 25 values of which 6 are events, 25 nulls.
    let number = try Self.modelling(Self.alone)
      .postbacks(with: "purchase", observed: 6, of: Self.nulls(Self.alone, [1: 25]))
    #expect(number.value?.description == "12.25")
    #expect(number.low == Amount(7))
    #expect(number.high == Amount(19))
    #expect(
      try Self.modelling(Self.alone).postbacks(with: "other", observed: 1, of: Self.nulls(Self.alone, [1: 3])).value
        == nil
    )
  }

  @Test func `of postbacks with an event are there too where no value says that it happened`() throws {
    var counts = StratumCounts(by: .all)
    counts.add(.campaign(1), [30], worth: [0], nulls: 10)
    let modelling = NullModelling(counts, try .fixture(worth: [0, 5]), possibleEvents: [7: ["purchase"]])
    func number(_ event: String) -> ModelledNumber {
      modelling.postbacks(with: event, observed: 0, of: Self.nulls(counts, [1: 10]))
    }
    // 10 nulls, each with the event at (0 + 0.5) / (30 + 1).
    #expect(number("purchase").value?.description == "0.16129" && number("purchase").low == .zero)
    #expect(number("other").value == nil)
  }

  @Test func `of several strata add the estimates`() throws {
    var counts = StratumCounts(by: .all)
    for number in 0..<9 {
      counts.add(.campaign(number), [30 + 3 * number, 1 + number % 4], worth: [0, 5], nulls: 10)
    }
    let modelling = try Self.modelling(counts)
    var groups = StratumGroups<Int>()
    for number in 0..<9 { groups.add(.campaign(number), in: 0) }
    let all = Dictionary(uniqueKeysWithValues: (0..<9).map { ($0, 10) })
    let total = try #require(modelling.rows.first)
    let group = modelling.revenue(of: Self.nulls(counts, all), whole: groups, observed: total.observed, currency: "USD")
    #expect(group?.number == ModelledNumber(value: total.revenue(), low: total.low, high: total.high))
    // Each purchase is worth 5, so that its number is a fifth of the revenue.
    let events = modelling.postbacks(with: "purchase", observed: 0, of: Self.nulls(counts, all))
    #expect(events.value.map { abs(5 * $0.approximation - (total.estimate?.mean ?? 0)) < 1e-4 } == true)
  }
}
