import Glibc
import Testing

@testable import FraudSignals
@testable import LookupTables
@testable import Statistics

/// Evidence that may be looked at on any day: its mean under the hypothesis is 1 or less.
@Suite struct `Evidence by day` {
  @Test(arguments: [(10, 0.1), (40, 0.01), (7, 0.5)])
  func `of a tolerated rate is 1 on average`(_ total: Int, _ chance: Double) {
    var mean = 0.0
    var term = (0..<total).reduce(1.0) { product, _ in product * (1 - chance) }
    for count in 0...total {
      var evidence = TiltedEvidence()
      evidence.add(Rate(count: count, total: total), chance: chance)
      mean += term * exp(evidence.log)
      term *= Double(total - count) / Double(count + 1) * chance / (1 - chance)
    }
    #expect(abs(mean - 1) < 1e-9)
  }

  @Test(arguments: [(10, 20, 6), (5, 5, 5), (30, 8, 11)])
  func `of exchangeable records is 1 on average`(_ own: Int, _ others: Int, _ successes: Int) {
    func choices(_ n: Int, _ k: Int) -> Double { (0..<k).reduce(1.0) { $0 * Double(n - $1) / Double($1 + 1) } }
    var mean = 0.0
    for count in max(0, successes - others)...min(own, successes) {
      let chance = choices(own, count) * choices(others, successes - count) / choices(own + others, successes)
      var evidence = TiltedEvidence()
      evidence.add(
        Rate(count: count, total: own),
        among: Rate(count: successes - count, total: others)
      )
      mean += chance * exp(evidence.log)
    }
    #expect(abs(mean - 1) < 1e-9)
  }

  @Test(arguments: [(0.04, 0.04), (0.01, 0.2), (0.03, 0.03), (0.04, 0.9)])
  func `of a rate at most the others' and at most a limit is at most 1 on average`(_ own: Double, _ others: Double) {
    func chance(_ count: Int, _ total: Int, _ rate: Double) -> Double {
      let choices = (0..<count).reduce(1.0) { $0 * Double(total - $1) / Double($1 + 1) }
      return choices * pow(rate, Double(count)) * pow(1 - rate, Double(total - count))
    }
    for (n, m) in [(10, 4), (25, 25), (3, 0)] {
      var mean = 0.0
      for count in 0...n {
        for other in 0...m {
          var evidence = TiltedEvidence(TiltedEvidence.ofRates)
          let pair = (Rate(count: count, total: n), Rate(count: other, total: m))
          evidence.add(pair.0, and: pair.1, limit: 0.04, usual: 0.01)
          mean += chance(count, n, own) * chance(other, m, others) * exp(evidence.log)
        }
      }
      #expect(mean <= 1 + 1e-9)
    }
  }

  @Test func `of several days is 1 on average, from whichever day on the ratios begin`() {
    var mean = 0.0
    for pattern in 0..<64 {
      var evidence = TiltedEvidence(TiltedEvidence.ofRates, days: 6)
      var probability = 1.0
      for day in 0..<6 {
        if day > 0 { evidence.beginDay() }
        let hasProperty = pattern >> day & 1 == 1
        evidence.add(Rate(count: hasProperty ? 1 : 0, total: 1), chance: 0.2)
        probability *= hasProperty ? 0.2 : 0.8
      }
      mean += probability * exp(evidence.log)
    }
    #expect(abs(mean - 1) < 1e-9)
  }

  @Test func `of values is at most 1 on average over all draws`() {
    // All draws of three of the values 0 0 1 1 2 3, by the scores of their ranks.
    let values = [0, 0, 1, 1, 2, 3]
    let scores = RankScores.of([2, 2, 1, 1])
    var (sum, draws) = (0.0, 0.0)
    for one in 0..<6 {
      for two in (one + 1)..<6 {
        for three in (two + 1)..<6 {
          var (own, others) = ([0, 0, 0, 0], [0, 0, 0, 0])
          for place in values.indices {
            if [one, two, three].contains(place) { own[values[place]] += 1 } else { others[values[place]] += 1 }
          }
          var evidence = TiltedEvidence()
          evidence.addScores(scores, own: own, others: others)
          sum += exp(evidence.log)
          draws += 1
        }
      }
    }
    #expect(draws == 20)
    #expect(sum / draws <= 1 + 1e-9)
    #expect(sum / draws > 0.2)
  }

  private func series(_ days: [(count: Int32, total: Int32)]) -> DaySeries {
    var series = DaySeries()
    for (day, cell) in days.enumerated() {
      series.add(DaySeries.Cell(day: Int32(20_000 + day), count: cell.count, total: cell.total))
    }
    return series
  }

  @Test func `does not grow where all have the same rate`() {
    let own = series(Array(repeating: (2, 20), count: 14))
    let others = series(Array(repeating: (6, 60), count: 14))
    let days = own.cells.map(\.day)
    #expect(RateEvidence.aboveOthers(own, others, limit: nil, usual: 0.01, on: days).pValue > 0.2)
    #expect(RateEvidence.aboveTolerance(own, 0.01, on: days).pValue < 1e-6)
  }

  @Test func `compares rates of different days where there are no others on the same`() {
    var others = DaySeries()
    for day in 0..<14 { others.add(DaySeries.Cell(day: Int32(30_000 + day), count: 0, total: 60)) }
    let own = series(Array(repeating: (3, 20), count: 14))
    let days = (own.cells + others.cells).map(\.day)
    #expect(RateEvidence.aboveOthers(own, others, limit: nil, usual: 0.01, on: days).pValue < 1e-4)
  }

  @Test func `finds a rise that honest records come before`() {
    let honest: [(count: Int32, total: Int32)] = Array(repeating: (0, 100), count: 20)
    let own = series(honest + Array(repeating: (8, 100), count: 5))
    let days = own.cells.map(\.day)
    // All together, 1.6 % are no evidence against 2 %.
    #expect(RateEvidence.aboveTolerance(own, 0.02, on: days).pValue < 1e-4)
  }

  /// The tests of raised values of forwarders, corrected, by the counts of each that have the property on each day.
  private func tests(_ parties: [String: [(count: Int32, total: Int32)]]) -> [String: SignalTest] {
    var rates = SignalRates()
    for (name, days) in parties {
      let key = SignalRates.Key(name: .raisedValues, party: SignalParty(kind: .forwarder, name: name))
      rates.add(key, SignalRates.Entry(series: series(days)))
    }
    var tests = rates.tests()
    let bounds = SignalFamily.correct(&tests)
    for place in tests.indices { rates.describe(&tests[place], bound: bounds[place]) }
    return Dictionary(uniqueKeysWithValues: tests.map { ($0.party.name, $0) })
  }

  @Test func `finds a rate that no honest noise has, although there are few others`() throws {
    let found = tests(["one": Array(repeating: (3, 27), count: 10), "two": Array(repeating: (0, 4), count: 10)])
    #expect(try #require(found["one"]).isAlarm)
    let honest = tests(["one": Array(repeating: (1, 27), count: 10), "two": Array(repeating: (0, 4), count: 10)])
    #expect(try #require(honest["one"]).pValue > 0.05)
  }

  @Test func `finds two who do the same, if another does not`() throws {
    let all = Array(repeating: (count: Int32(20), total: Int32(100)), count: 10)
    let honest = Array(repeating: (count: Int32(0), total: Int32(10)), count: 10)
    let found = tests(["one": all, "two": all, "three": honest])
    for name in ["one", "two"] { #expect(try #require(found[name]).isAlarm) }
    #expect(found["three"]?.isAlarm == false)
    // If all have it, the reason may lie elsewhere.
    #expect(tests(["one": all, "two": all]).values.allSatisfy { !$0.isAlarm })
  }

  @Test func `of a party with many records is corrected less than that of one with few`() throws {
    let large = Array(repeating: (count: Int32(0), total: Int32(360)), count: 10)
    let small = Array(repeating: (count: Int32(1), total: Int32(10)), count: 10)
    let found = tests(["large": large, "small": small])
    let test = try #require(found["small"])
    // The weights are 60 and 10.
    #expect(abs(test.correctedPValue - test.pValue * 7) < 1e-12)
  }

  @Test func `of an alarm that fell a little lets it stand`() throws {
    let days =
      [(count: Int32(12), total: Int32(100))] + Array(repeating: (count: Int32(0), total: Int32(100)), count: 4)
    let test = try #require(tests(["one": days, "two": Array(repeating: (0, 100), count: 5)])["one"])
    let last = try #require(test.course?.days.last)
    let highest = try #require(test.course?.days.map(\.log).max())
    #expect(last.log > 0 && last.log < highest - 1)
    #expect(test.isAlarm)
  }

  @Test func `of an alarm that fell withdraws it on the day`() throws {
    var rates = SignalRates()
    let key = SignalRates.Key(name: .selfConflicts, party: SignalParty(kind: .forwarder, name: "one"))
    let other = SignalRates.Key(name: .selfConflicts, party: SignalParty(kind: .forwarder, name: "two"))
    for day in 0..<30 {
      rates.add(key, DaySeries.Cell(day: Int32(20_000 + day), count: day == 0 ? 10 : 0, total: 100))
      rates.add(other, DaySeries.Cell(day: Int32(20_000 + day), count: 0, total: 100))
    }
    var tests = rates.tests()
    let bounds = SignalFamily.correct(&tests)
    for place in tests.indices { rates.describe(&tests[place], bound: bounds[place]) }
    let test = try #require(tests.first { $0.party.name == "one" })
    #expect(test.correctedPValue < 0.05)
    #expect(try #require(test.withdrawnOn) > 20_000)
    #expect(!test.isAlarm)
  }
}

/// The words for the time of a property that a share by day has.
@Suite struct `The time of an alarm` {
  /// The test of a forwarder that has 100 records a day for 30 days, beside an honest one.
  private func test(_ counts: (Int) -> Int32) throws -> SignalTest {
    var rates = SignalRates()
    for day in 0..<30 {
      for (name, count) in [("one", counts(day)), ("two", 1)] {
        let key = SignalRates.Key(name: .loweredValues, party: SignalParty(kind: .forwarder, name: name))
        rates.add(key, DaySeries.Cell(day: Int32(20_000 + day), count: count, total: 100))
      }
    }
    var tests = rates.tests()
    let bounds = SignalFamily.correct(&tests)
    for place in tests.indices { rates.describe(&tests[place], bound: bounds[place]) }
    return try #require(tests.first { $0.party.name == "one" })
  }

  @Test func `is a day only if the records before it raise no alarm`() throws {
    let begun = try test { $0 < 20 ? 1 : 30 }
    #expect(begun.isAlarm && begun.since?.day == 20_020 && !begun.isThroughout)
    // The share rises at the end, when only postbacks of later windows come.
    let risen = try test { $0 < 20 ? 60 : 95 }
    #expect(risen.isAlarm && risen.isThroughout)
    #expect(risen.since.map { $0.low <= 20_020 && 20_020 <= $0.high } == true)
    let steady = try test { _ in 60 }
    #expect(steady.isAlarm && steady.since == nil && steady.isThroughout)
  }
}

/// The day from which on a share is higher.
@Suite struct `The onset of a share` {
  private func onset(_ shares: [(count: Int32, total: Int32)]) -> SignalOnset? {
    var series = DaySeries()
    for (day, cell) in shares.enumerated() {
      series.add(DaySeries.Cell(day: Int32(20_000 + day), count: cell.count, total: cell.total))
    }
    return ChangePoint.onset(series)
  }

  @Test func `is the day of the rise, although honest records have the property, too`() throws {
    let found = try #require(onset((0..<20).map { $0 < 12 ? (3, 100) : (30, 100) }))
    #expect(found == SignalOnset(day: 20_012, low: found.low, high: found.high))
    #expect(found.low >= 20_011)
    #expect(found.high <= 20_012)
  }

  @Test func `is none where the share does not rise`() {
    #expect(onset((0..<20).map { ($0 % 3 == 0 ? 4 : 3, 100) }) == nil)
    #expect(onset((0..<20).map { $0 < 12 ? (30, 100) : (3, 100) }) == nil)
    #expect(onset([(9, 10)]) == nil)
  }

  @Test func `is the only day with all of them, and none if it may be nearly any day`() {
    let only = onset((0..<20).map { ($0 == 7 ? 60 : 0, 100) })
    #expect(only == SignalOnset(day: 20_007, low: 20_007, high: 20_007, isOnlyDay: true))
    let weak = onset((0..<30).map { ([3, 4, 3, 5, 4][$0 % 5] + ($0 == 29 ? 9 : 0), 100) })
    #expect(weak.map { 2 * ($0.high - $0.low) <= 29 } ?? true)
  }

  @Test func `may be on any day of a gap before it`() throws {
    var series = DaySeries()
    for day in 0..<10 { series.add(DaySeries.Cell(day: Int32(20_000 + day), count: 1, total: 100)) }
    for day in 20..<30 { series.add(DaySeries.Cell(day: Int32(20_000 + day), count: 50, total: 100)) }
    let found = try #require(ChangePoint.onset(series))
    #expect(found.low <= 20_010)
    #expect(found.high >= 20_020)
  }

  /// The test of a forwarder's added values, of which a number of days have as many of as many records.
  private func described(_ spans: [(days: Int, count: Int32, total: Int32)]) throws -> SignalTest {
    var rates = SignalRates()
    let key = SignalRates.Key(name: .addedValues, party: SignalParty(kind: .forwarder, name: "one"))
    var day: Int32 = 20_000
    for span in spans {
      for _ in 0..<span.days {
        rates.add(key, DaySeries.Cell(day: day, count: span.count, total: span.total))
        day += 1
      }
    }
    var test = try #require(rates.tests().first)
    test.correctedPValue = test.pValue
    rates.describe(&test, bound: 0)
    return test
  }

  @Test func `is the first rise if the share rises again`() throws {
    let twice = try described([(18, 0, 2), (19, 55, 100), (8, 60, 60)])
    let since = try #require(twice.since)
    #expect(!twice.isThroughout && since.low <= 20_018 && since.high >= 20_018 && since.high < 20_022)
    let oneDay = try described([(18, 0, 2), (1, 90, 100), (8, 60, 60)])
    #expect(oneDay.since.map { $0.day <= 20_019 && !$0.isOnlyDay } == true)
  }

  @Test func `is not said if the share was too high before a rise`() throws {
    let test = try described([(19, 55, 100), (8, 60, 60)])
    #expect(test.isThroughout && test.since.map { $0.low <= 20_019 && $0.high >= 20_019 } == true)
  }
}
