import Base
import DurableFiles
import JSON
import PostbackLookup
import SKAdNetwork
import Synchronization
import TableReading
import Tables
import TestSupport
import Testing

@testable import PostbackView

@Suite struct `The overview` {
  private let now: Int64 = 1_800_000_000_000

  private func overview(_ times: [Int64], newest: Int64?, _ rejects: [(time: Int64, isOfFile: Bool)] = []) -> JSONValue
  {
    var counts = ArrivalCounts()
    for time in times { counts.add(time, accepted: true, nil) }
    for reject in rejects {
      counts.add(reject.time, accepted: false, .signatureInvalid)
      if !reject.isOfFile { counts.see(rejectReceived: reject.time) }
    }
    let overview = OverviewAnswer(
      counts: counts,
      isComplete: true,
      totals: nil,
      newestOfParts: newest,
      newestAccepted: newest,
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

  @Test func `has the rejects of today where nothing was accepted for a week`() {
    let newest = now - 30 * 86_400_000
    let answer = overview([newest], newest: newest, [(now - 60_000, false), (now - 120_000, true)])
    #expect(answer["anchor"]?.text == "now")
    #expect(answer["periods"]?.elements?[0]["suspicious"]?.integer == 2 && accepted(answer, 2) == 0)
    #expect(answer["latest"]?["received"]?.text == "\(Timestamp(milliseconds: now - 60_000))")
    #expect(answer["latest"]?["accepted"]?.text == "\(Timestamp(milliseconds: newest))")
    #expect(answer["later"]?["suspicious"]?.integer == 0)
  }

  @Test func `names rejects with the time of their file that are later than the periods`() {
    let newest = now - 30 * 86_400_000
    let answer = overview([newest], newest: newest, [(now - 60_000, true), (newest - 3_600_000, false)])
    #expect(answer["anchor"]?.text == "latest")
    #expect(answer["latest"]?["received"]?.text == "\(Timestamp(milliseconds: newest))")
    #expect(answer["later"]?["suspicious"]?.integer == 1 && answer["later"]?["accepted"]?.integer == 0)
    #expect(answer["later"]?["since"] == answer["periods"]?.elements?[0]["until"])
  }

  @Test func `takes the time of rejects that is not that of their file`() async throws {
    let folder = try TemporaryFolder()
    let rows = [
      ("2026-03-01T00:00:00Z", "envelope"), ("2026-03-03T00:00:00Z", "field"), ("2026-03-09T00:00:00Z", "file_mtime"),
    ]
    let lines = rows.map { #"{"reject_code":"not_json","received_at":"\#($0)","received_at_source":"\#($1)"}"# + "\n" }
    _ = try DurableFolder(making: folder.path("out/skan_rejects"))
    try folder.makeFile("out/skan_rejects/part-00000001.jsonl", holding: Array(lines.joined().utf8))
    let counted = Mutex(ArrivalCounts())
    let counter = ArrivalCounter { counts, _ in counted.withLock { $0 = counts } }
    try await counter.update(LookupPart.complete(of: .rejects, in: folder.path("out")), after: 0)
    let counts = counted.withLock { $0 }
    #expect(counts.newestReject == Timestamp("2026-03-03T00:00:00Z")?.milliseconds)
    #expect(counts.sum(0, .max).rejects.noise == 3)
  }

  @Test func `is empty without records`() {
    let answer = overview([], newest: nil)
    #expect(answer["latest"]?["received"] == .null && accepted(answer, 2) == 0)
  }

  @Test func `counts rejects by their class, and unknown codes as noise`() {
    var counts = RejectCounts()
    counts.add(.duplicateIdentical)
    counts.add(.signatureInvalid, 2)
    counts.add(.notJSON)
    counts.add(nil)
    #expect((counts.copies, counts.noise, counts.suspicious) == (1, 2, 2))
  }

  @Test func `forgets what is older than two weeks`() {
    var counts = ArrivalCounts()
    counts.add(now - ArrivalCounter.horizon - 1, accepted: true, nil)
    counts.add(now, accepted: true, nil)
    counts.drop(before: now - ArrivalCounter.horizon + ArrivalCounts.step)
    #expect(counts.sum(0, now + ArrivalCounts.step).accepted == 1)
  }
}
