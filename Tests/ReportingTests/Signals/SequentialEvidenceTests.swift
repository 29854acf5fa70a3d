import Glibc
import Testing

@testable import Reporting

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
    #expect(RateEvidence.aboveOthers(own, others, on: days).pValue > 0.2)
    #expect(RateEvidence.aboveTolerance(own, 0.01, on: days).pValue < 1e-6)
  }

  @Test func `compares rates of different days where there are no others on the same`() {
    var others = DaySeries()
    for day in 0..<14 { others.add(DaySeries.Cell(day: Int32(30_000 + day), count: 0, total: 60)) }
    let own = series(Array(repeating: (3, 20), count: 14))
    let days = (own.cells + others.cells).map(\.day)
    #expect(RateEvidence.aboveOthers(own, others, on: days).pValue < 1e-4)
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

  @Test func `may be on any day of a gap before it`() throws {
    var series = DaySeries()
    for day in 0..<10 { series.add(DaySeries.Cell(day: Int32(20_000 + day), count: 1, total: 100)) }
    for day in 20..<30 { series.add(DaySeries.Cell(day: Int32(20_000 + day), count: 50, total: 100)) }
    let found = try #require(ChangePoint.onset(series))
    #expect(found.low <= 20_010)
    #expect(found.high >= 20_020)
  }
}
