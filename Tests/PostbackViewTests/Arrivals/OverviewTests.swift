import Base
import JSON
import SKAdNetwork
import Testing

@testable import PostbackView

@Suite struct `The overview` {
  private let now: Int64 = 1_800_000_000_000

  private func overview(_ times: [Int64], newest: Int64?) -> JSONValue {
    var counts = ArrivalCounts()
    for time in times { counts.add(time, accepted: true, nil) }
    let overview = OverviewAnswer(
      counts: counts,
      isComplete: true,
      totals: nil,
      newest: newest,
      committedAt: newest.map { $0 + 2500 },
      now: now
    )
    return .object(overview.members)
  }

  private func accepted(_ answer: JSONValue, _ period: Int, before: Bool = false) -> Int64? {
    let period = answer["periods"]?.elements?[period]
    return (before ? period?["before"] : period)?["accepted"]?.integer
  }

  @Test func `puts each record into the hour, the day and the week that it belongs to`() {
    let (minute, hour): (Int64, Int64) = (60_000, 3_600_000)
    let times = [now, now - minute, now - 70 * minute, now - 20 * hour, now - 40 * hour, now - 10 * 24 * hour]
    let answer = overview(times, newest: now)
    #expect(answer["anchor"]?.text == "now")
    #expect([0, 1, 2].map { accepted(answer, $0) } == [2, 4, 5])
    #expect([0, 1, 2].map { accepted(answer, $0, before: true) } == [1, 1, 1])
    let hours = answer["hours"]?.elements ?? []
    #expect(hours.count == 337)
    #expect(hours.reduce(0) { $0 + ($1["accepted"]?.integer ?? 0) } == 6)
    #expect(answer["latest"]?["lag_seconds"]?.integer == 2)
  }

  @Test func `ends with the newest record where nothing came for a week`() {
    let newest = now - 30 * 86_400_000
    let answer = overview([newest, newest - 86_400_000], newest: newest)
    #expect(answer["anchor"]?.text == "latest")
    #expect([0, 1, 2].map { accepted(answer, $0) } == [1, 1, 2])
  }

  @Test func `is empty without records`() {
    let answer = overview([], newest: nil)
    #expect(answer["latest"]?["received"] == .null && accepted(answer, 2) == 0)
  }

  @Test func `counts rejects by their class, and unknown codes as noise`() {
    var counts = OutcomeCounts()
    counts.add(.duplicateIdentical)
    counts.add(.signatureInvalid, 2)
    counts.add(.notJSON)
    counts.add(nil)
    #expect(counts == OutcomeCounts(accepted: 0, copies: 1, noise: 2, suspicious: 2))
  }

  @Test func `forgets what is older than two weeks`() {
    var counts = ArrivalCounts()
    counts.add(now - ArrivalCounter.horizon - 1, accepted: true, nil)
    counts.add(now, accepted: true, nil)
    counts.drop(before: now - ArrivalCounter.horizon + ArrivalCounts.step)
    #expect(counts.sum(0, now + ArrivalCounts.step).accepted == 1)
  }
}
