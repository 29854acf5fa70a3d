import ConversionModel
import Statistics
import Testing

@testable import NullValueModelling

/// The rows of the windows 1 and 2, of whose install dates some are open.
@Suite struct `The later windows of modelled revenue` {
  /// Monday, 2026-03-09.
  private static let monday: Int64 = 20_521

  /// A value of window 1 that is worth 5.
  private static let high: ReportedValue = {
    var value = ReportedValue(modelID: "m", modelVersion: 1, coarse: .high)
    (value.estimate, value.minimum, value.maximum, value.currency) = (Amount(5), Amount(5), Amount(5), "USD")
    return value
  }()

  /// Counts of 5 installs and a null a day, and of one postback of window 1, which has ended until `ended`.
  private static func counts(
    _ days: ClosedRange<Int64>,
    by period: ModelPeriod = .all,
    endedUntil ended: Int64,
    _ value: ReportedValue = high
  ) -> StratumCounts {
    var counts = StratumCounts(by: period, lastEnded: [ended, .min])
    for day in days {
      counts.add(.campaign(1), [4], worth: [0], nulls: 1, day: day)
      if day <= ended { counts.add(.decoded(value), .campaign(1), window: 1, installDay: day) }
    }
    return counts
  }

  private static func rows(_ counts: StratumCounts) throws -> [ModelledRow] {
    NullModelling(counts, try .fixture(worth: [0, 5])).rows.filter { $0.window == 1 && $0.scope == .stratum }
  }

  private static func row(_ counts: StratumCounts) throws -> ModelledRow {
    let rows = try rows(counts)
    try #require(rows.count == 1)
    return rows[0]
  }

  @Test func `take the install dates whose window has ended, also for the installs`() throws {
    let (monday, last) = (Self.monday, Self.monday + 9)
    let row = try Self.row(Self.counts(monday...monday + 29, endedUntil: last))
    #expect([row.conversions, row.values, row.nulls] == [50, 40, 10])
    #expect(row.period == monday...last)
    #expect(row.observed == Amount(50))
    // 10 of 40 installs sent 5.
    #expect(row.revenue()?.description == "62.5")
    // The same dates without any others beside them.
    let whole = try Self.row(Self.counts(monday...last, endedUntil: .max))
    #expect(row.revenue() == whole.revenue())
    // Postbacks on the wrong side of the cut make the interval wider at both ends.
    let (low, high) = (try #require(row.low), try #require(row.high))
    let (wholeLow, wholeHigh) = (try #require(whole.low), try #require(whole.high))
    #expect(low < Amount(50))
    #expect(wholeLow >= Amount(50))
    #expect(high > wholeHigh)
  }

  @Test func `say open where no window has ended, with bounds that leave room for what may come`() throws {
    let (monday, early) = (Self.monday, Self.monday - 1)
    var counts = Self.counts(monday...monday + 9, endedUntil: early)
    counts.add(.decoded(Self.high), .campaign(1), window: 1, installDay: monday)
    // A campaign without a null is no better known.
    counts.add(.campaign(2), [3], worth: [0], nulls: 0, day: monday)
    let rows = try Self.rows(counts)
    #expect(rows.map(\.status.word) == ["not_modelled:open", "not_modelled:open"])
    #expect(rows.allSatisfy { $0.revenue() == nil && $0.low == nil && $0.high == nil && $0.boundHigh == nil })
    #expect(rows.map(\.boundLow) == [Amount(5), Amount(0)])
    #expect(rows.map(\.conversions) == [50, 3])
    #expect(rows.allSatisfy { $0.period == monday...monday + 9 })
  }

  @Test func `are open where install dates are not known`() throws {
    var counts = StratumCounts(by: .all, lastEnded: [.max, .max])
    counts.add(.null, .campaign(1), window: 0, installDay: nil, count: 3)
    counts.add(.decoded(Self.high), .campaign(1), window: 1, installDay: nil)
    let row = try Self.row(counts)
    #expect(row.status.word == "not_modelled:open")
    #expect(row.period == nil)
  }

  @Test(arguments: [(6, "not_modelled:few_days"), (7, "modelled")] as [(Int64, String)])
  func `need seven install dates where others are left out`(_ days: Int64, _ status: String) throws {
    let monday = Self.monday
    let row = try Self.row(Self.counts(monday...monday + 29, endedUntil: monday + days - 1))
    #expect(row.status.word == status)
    #expect(row.period == monday...monday + days - 1)
    #expect(try Self.row(Self.counts(monday...monday + days - 1, endedUntil: .max)).status == .modelled)
    // Installs of versions with one window, and dates of later windows, make no day more.
    var counts = Self.counts(monday...monday + 29, endedUntil: monday + days - 1)
    counts.add(Stratum(app: 7, network: "Network", .campaign(5)), [20], worth: [0], nulls: 20, day: monday - 60)
    counts.add(.decoded(Self.high), .campaign(1), window: 1, installDay: monday - 2)
    #expect(try Self.row(counts).status.word == status)
  }

  @Test func `are whole where only postbacks without an install date are beside them`() throws {
    let monday = Self.monday
    var counts = Self.counts(monday...monday + 9, endedUntil: .max)
    let before = try Self.row(counts)
    counts.add(.null, .campaign(1), window: 0, installDay: nil)
    let row = try Self.row(counts)
    #expect(row.status == .modelled && row.low == before.low && row.conversions == before.conversions)
  }

  @Test(arguments: [.all, .month] as [ModelPeriod])
  func `leave out postbacks of installs before those that are there`(_ period: ModelPeriod) throws {
    // From March 9 to 31, as if the output began then: later postbacks are of earlier installs too.
    let monday = Self.monday
    var counts = Self.counts(monday...monday + 22, by: period, endedUntil: .max)
    for day in monday - 8..<monday { counts.add(.decoded(Self.high), .campaign(1), window: 1, installDay: day) }
    let row = try Self.row(counts)
    // The first date may have only a part of its installs.
    #expect([row.conversions, row.values, row.nulls] == [110, 88, 22])
    #expect(row.period == (period == .all ? monday + 1...monday + 22 : monday - 8...monday + 22))
    #expect(row.observed == Amount(110))
    #expect(row.revenue()?.description == "137.5")
    // The start is an end of the range.
    let whole = try Self.row(Self.counts(monday + 1...monday + 22, endedUntil: .max))
    #expect(try #require(row.low) < #require(whole.low))
  }

  @Test(arguments: [(3, false, 6), (6, true, 6), (20, false, 4)] as [(Int64, Bool, Int)])
  func `are whole from the first installs on, whose later postbacks may have earlier dates`(
    _ days: Int64,
    _ isWide: Bool,
    _ count: Int
  ) throws {
    let monday = Self.monday
    var counts = Self.counts(monday...monday + 9, endedUntil: .max)
    var early = Self.high
    early.hasWideDate = isWide
    counts.add(.decoded(early), .campaign(1), window: 1, installDay: monday - days, count: count)
    let row = try Self.row(counts)
    #expect(row.status == .modelled && row.conversions == 50)
    #expect(row.period == monday...monday + 9)
    let observed = Amount(5 * (10 + count))
    #expect(row.observed == observed)
    #expect(try #require(row.low) >= observed)
  }

  @Test func `have the dates of their app, as window 0 has`() throws {
    let monday = Self.monday
    var counts = Self.counts(monday...monday + 29, endedUntil: .max)
    counts.add(.campaign(1, app: 8), [9], worth: [0], nulls: 1, day: monday + 10)
    counts.add(.campaign(1, app: 8), [9], worth: [0], nulls: 1, day: monday + 15)
    counts.add(.decoded(Self.high), .campaign(1, app: 8), window: 1, installDay: monday + 12)
    let rows = NullModelling(counts, try .fixture(worth: [0, 5])).rows.filter { $0.app == 8 }
    #expect(Set(rows.map(\.window)) == [0, 1])
    #expect(rows.allSatisfy { $0.period == monday + 10...monday + 15 })
  }

  @Test func `are not modelled of a range with an end where install dates have a large error`() throws {
    let monday = Self.monday
    var wide = Self.high
    wide.hasWideDate = true
    let cut = try Self.row(Self.counts(monday...monday + 29, endedUntil: monday + 19, wide))
    #expect(cut.status.word == "not_modelled:cohort_mismatch")
    let whole = try Self.row(Self.counts(monday...monday + 19, endedUntil: .max, wide))
    #expect(whole.status == .modelled)
    let narrow = try Self.row(Self.counts(monday...monday + 19, endedUntil: .max))
    #expect(whole.revenue() == narrow.revenue())
  }

  @Test func `compare a week with the weeks around it only as far as their window has ended`() throws {
    let monday = Self.monday
    func status(endedUntil ended: Int64) throws -> ModelledStatus? {
      var counts = StratumCounts(by: .week, lastEnded: [ended, .min])
      for (week, installs) in [40, 30, 40].enumerated() {
        counts.add(.campaign(1), [installs], worth: [0], nulls: 10, day: monday - 7 + 7 * Int64(week))
      }
      counts.add(.decoded(Self.high), .campaign(1), window: 1, installDay: monday - 7, count: 20)
      counts.add(.decoded(Self.high), .campaign(1), window: 1, installDay: monday, count: 60)
      return try Self.rows(counts).first { $0.period?.lowerBound == monday }?.status
    }
    // 80 postbacks of 110 installs, or of 70 without the last week.
    #expect(try status(endedUntil: monday + 13) == .modelled)
    #expect(try status(endedUntil: monday + 6) == .refused(.cohortMismatch))
  }

  @Test func `are worth what the installs of days with many nulls send`() throws {
    // 20 days of 100 installs: later ones have more nulls, and more payers among those with a value.
    func row(_ payers: [Int]) throws -> ModelledRow {
      var counts = StratumCounts(by: .all)
      for day in 0..<20 {
        let nulls = day < 10 ? 10 : 60
        counts.add(.campaign(1), [100 - nulls], worth: [0], nulls: nulls, day: Self.monday + Int64(day))
        let sent = (100 - nulls) * payers[day / 10] / 100
        counts.add(.decoded(Self.high), .campaign(1), window: 1, installDay: Self.monday + Int64(day), count: sent)
      }
      return try Self.row(counts)
    }
    #expect(try row([10, 10]).dayFactor == 1)
    let rising = try row([10, 40])
    let factor = try #require(rising.dayFactor)
    // 550 paid among 1300, or 0.19 of each; among the nulls 0.1 of 100 and 0.4 of 600.
    #expect((1.4...1.9).contains(factor), "\(factor)")
    #expect(try #require(row([40, 10]).dayFactor) < 1)
  }

  @Test func `are not modelled of weeks at whose ends the installs of a campaign begin or end`() throws {
    let monday = Self.monday
    func statuses(_ installs: Int, until end: Int64) throws -> [String] {
      var counts = StratumCounts(by: .week, lastEnded: [monday + 34, .min])
      for day in monday - 14...end {
        counts.add(.campaign(1), [installs], worth: [0], nulls: 5, day: day)
        counts.add(.decoded(Self.high), .campaign(1), window: 1, installDay: day + 1, count: installs / 5)
      }
      return try Self.rows(counts).filter { (monday...monday + 14).contains($0.period?.lowerBound ?? 0) }
        .map(\.status.word)
    }
    // The last installs are of a Sunday, or of a Wednesday.
    #expect(try statuses(40, until: monday + 6) == ["not_modelled:cohort_mismatch", "not_modelled:cohort_mismatch"])
    #expect(try statuses(40, until: monday + 9) == ["modelled", "modelled"])
    // Of so few installs the interval has as many on a wrong side.
    #expect(try statuses(5, until: monday + 6) == ["modelled", "modelled"])
  }

  @Test func `end at the values where perhaps no null is worth anything`() throws {
    var counts = Self.counts(Self.monday...Self.monday + 29, endedUntil: .max)
    // Of a campaign with 2 nulls, and of another one with 200.
    for (number, nulls) in [(2, 2), (3, 200)] {
      counts.add(.campaign(number), [60], worth: [0], nulls: nulls, day: Self.monday + 9)
      counts.add(.decoded(Self.high), .campaign(number), window: 1, installDay: Self.monday + 9, count: 6)
    }
    let rows = try Self.rows(counts)
    #expect(rows[1].low == rows[1].observed)
    #expect(try #require(rows[2].low) > Amount(30))
  }

  @Test func `have no estimate where a zero may be a null and no pool tells what it is worth`() throws {
    func row(zeros: Int) throws -> ModelledRow? {
      var counts = StratumCounts(by: .all)
      counts.add(.campaign(1), [8, 4], worth: [0, 5], nulls: 0)
      counts.add(.ambiguousZero, .campaign(1), window: 0, installDay: 20_520, count: zeros)
      return try NullModelling(counts, .fixture(worth: [0, 5])).rows.first { $0.scope == .stratum }
    }
    #expect(try row(zeros: 0)?.status == .modelled)
    let doubtful = try row(zeros: 1)
    #expect(doubtful?.status == .refused(.tooFew) && doubtful?.high == nil)
    #expect(doubtful?.boundHigh == Amount(25))
  }

  @Test func `have nulls that are worth no more than each the most`() throws {
    var counts = StratumCounts(by: .all)
    counts.add(.campaign(1), [10, 10], worth: [0, 5], nulls: 1)
    let rows = try NullModelling(counts, .fixture(worth: [0, 5])).rows
    let row = try #require(rows.first { $0.scope == .stratum })
    #expect(row.interval?.high == 5 && row.high == Amount(55))
  }

  @Test func `are without campaigns up to SKAdNetwork 3, which have one window`() throws {
    let monday = Self.monday
    var counts = Self.counts(monday...monday + 9, endedUntil: .max)
    let early = Stratum(app: 7, network: "Network", .campaign(5))
    counts.add(early, [20], worth: [0], nulls: 20, day: monday)
    let row = try Self.row(counts)
    #expect(row.identifier == .source(1))
    #expect(row.conversions == 50)
  }
}
