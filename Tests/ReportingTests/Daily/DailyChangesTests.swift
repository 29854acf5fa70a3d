import Base
import ConversionModel
import DerivedTables
import JSON
import Ledger
import Tables
import TestSupport
import Testing

@testable import DailyReports

@Suite struct DailyChangesTests {
  private typealias Postback = CostReport.Postback

  private static let cost = "date,network_name,campaign_id,currency,cost\n2026-03-06,One,2001,USD,"

  @Test func `the first report and the same one again change nothing`() async throws {
    let report = try CostReport()
    try report.write([Postback()])
    #expect(try await report.report().changesObstacle == "no report was there before")
    #expect(try report.changes().isEmpty)
    let bytes = try report.folder.contents(of: "out/skan_daily/part-00000001.jsonl")
    let summary = try await report.report()
    #expect(summary.changesObstacle == nil)
    #expect(try report.changes().isEmpty)
    #expect(try report.folder.contents(of: "out/skan_daily/part-00000001.jsonl") == bytes)
  }

  @Test func `late postbacks change install days, and no day of receipt that had ended`() async throws {
    let report = try CostReport()
    try report.write([Postback()])
    try await report.report { $0.dimensions = [.campaignID] }
    try report.write([
      Postback(), Postback(campaign: "2002", received: "2026-03-11T06:00:00Z", revenue: nil),
      Postback(received: "2026-03-11T06:00:00Z"),
    ])
    let summary = try await report.report { $0.dimensions = [.campaignID] }
    let day = "install 2026-03-06"
    let changes = try report.changes()
    #expect(changes.allSatisfy { $0.hasPrefix(day) && $0.hasSuffix(" late_postback") })
    #expect(changes.contains("\(day) 2001 installs 1 2 late_postback"))
    #expect(changes.contains("\(day) 2001 revenue 5 10 late_postback"))
    #expect(changes.contains("\(day) 2002 nulls - 1 late_postback"))
    #expect(!changes.contains { $0.contains(" 2001 nulls") || $0.contains("null_rate") })
    #expect(summary.changes == [.latePostback: changes.count])
  }

  @Test func `each file gives its own reason, and history is kept`() async throws {
    let report = try CostReport()
    try report.write([Postback(currency: "EUR")])
    let (old, new) = (
      "date,currency,rate\n2026-03-06,EUR,1\n2026-03-06,USD,1.1\n",
      "date,currency,rate\n2026-03-06,EUR,1\n2026-03-06,USD,1.2\n"
    )
    try await report.report(cost: Self.cost + "1\n", rates: old)
    try await report.report(cost: Self.cost + "2\n", rates: old)
    let day = "install 2026-03-06 2001"
    #expect(try report.changes() == ["\(day) cost 1 2 cost"])
    try await report.report(cost: Self.cost + "2\n", rates: new)
    let changes = try report.changes()
    #expect(changes.first == "\(day) cost 1 2 cost")
    #expect(changes.dropFirst().allSatisfy { $0.hasSuffix(" rates") })
    #expect(changes.contains("\(day) revenue 5.5 6 rates"))
    #expect(changes.contains("received 2026-03-10 2001 revenue 5.5 6 rates"))
    let lookups = ["networks.csv": "ad_network_id,network_name\none.skadnetwork,First\n"]
    try await report.report(cost: Self.cost + "2\n", rates: new, lookups: lookups)
    let later = try report.changes().dropFirst(changes.count)
    #expect(try report.changes().prefix(changes.count) == changes[...])
    #expect(!later.isEmpty && later.allSatisfy { $0.hasSuffix(" lookup") })
    #expect(later.contains("\(day) installs 1 0 lookup") && later.contains("\(day) installs - 1 lookup"))
  }

  @Test func `costs that come after their postbacks change nothing but costs`() async throws {
    let report = try CostReport()
    try report.write([Postback(), Postback(campaign: "2002")])
    let other = "date,network_name,campaign_id,currency,cost\n2026-03-06,One,2002,USD,3\n"
    try await report.report(cost: other)
    try await report.report(cost: other + "2026-03-06,One,2001,USD,2\n")
    let day = "install 2026-03-06 2001"
    #expect(try report.changes() == ["\(day) cost - 2 cost"])
    try await report.report(cost: other)
    #expect(try report.changes() == ["\(day) cost - 2 cost", "\(day) cost 2 - cost"])
  }

  @Test(arguments: [false, true])
  func `a row that only a cost makes takes over the revenue of all windows because of the cost`(isLate: Bool)
    async throws
  {
    let report = try CostReport()
    let later = Postback(window: 1, received: "2026-03-14T06:00:00Z")
    let other = "date,network_name,campaign_id,currency,cost\n2026-03-06,One,2002,USD,3\n"
    let both = other + "2026-03-06,One,2001,USD,2\n"
    try report.write([later, Postback(campaign: "2002")])
    try await report.report(cost: other)
    if isLate { try report.write([later, Postback(campaign: "2002"), Postback(campaign: "2003")]) }
    try await report.report(cost: both)
    let day = "install 2026-03-06 2001"
    let reason = isLate ? "-" : "cost"
    let moved = [
      "\(day) revenue_all_windows - 5 \(reason)", "\(day) cost - 2 cost", "\(day) revenue_all_windows 5 - \(reason)",
    ]
    #expect(Set(try report.changes().filter { $0.hasPrefix(day) }) == Set(moved))
    guard !isLate else { return }
    try await report.report(cost: other)
    let back = [
      "\(day) revenue_all_windows 5 - cost", "\(day) cost 2 - cost", "\(day) revenue_all_windows - 5 cost",
    ]
    #expect(Set(try report.changes().dropFirst(3)) == Set(back))
  }

  @Test func `less after a removal has no reason, and more on another day is late`() async throws {
    let report = try CostReport()
    let late = Postback(campaign: "2002", installed: "2026-03-07T18:00:00Z")
    try report.write([Postback(), Postback(), late])
    try await report.report { ($0.dimensions, $0.requests) = ([.campaignID], 1) }
    try report.write([Postback(), late, late])
    try await report.report { ($0.dimensions, $0.requests) = ([.campaignID], 2) }
    let changes = try report.changes()
    #expect(changes.contains("install 2026-03-06 2001 installs 2 1 -"))
    #expect(changes.contains("install 2026-03-07 2002 installs 1 2 late_postback"))
    #expect(changes.contains("received 2026-03-10 2001 installs 2 1 -"))
  }

  @Test func `where two files have changed, the reason of what both may cause is not told`() async throws {
    let report = try CostReport()
    try report.write([Postback(currency: "EUR")])
    let rates = "date,currency,rate\n2026-03-06,EUR,1\n2026-03-06,USD,1.1\n"
    let cost = "date,network_name,campaign_id,currency,cost\n2026-03-06,One,2001,EUR,"
    try await report.report(cost: cost + "1\n", rates: rates)
    try await report.report(cost: cost + "2\n", rates: rates.replacing("1.1", with: "1.2"))
    let changes = try report.changes().filter { $0.hasPrefix("install") }
    #expect(changes.contains("install 2026-03-06 2001 cost 1.1 2.4 -"))
    #expect(changes.contains("install 2026-03-06 2001 revenue 5.5 6 rates"))
  }

  @Test func `reports with other dimensions are not compared`() async throws {
    let report = try CostReport()
    try report.write([Postback()])
    try await report.report { $0.dimensions = [.campaignID] }
    let summary = try await report.report { $0.dimensions = [.networkName] }
    #expect(summary.changesObstacle == "the report that was there before has other settings")
    #expect(try report.changes().isEmpty)
  }

  @Test func `a report that was stopped before its table was complete adds its changes once`() async throws {
    let report = try CostReport()
    try report.write([Postback()])
    try await report.report { $0.dimensions = [.campaignID] }
    let (rows, summary) = (
      try report.folder.contents(of: "out/skan_daily/part-00000001.jsonl"),
      try report.folder.contents(of: "out/skan_daily/_summary.json")
    )
    try report.write([Postback(), Postback()])
    try await report.report { $0.dimensions = [.campaignID] }
    let changes = try report.changes()
    #expect(!changes.isEmpty)
    // The table as it was before the second report.
    try report.folder.makeFile("out/skan_daily/part-00000001.jsonl", holding: rows)
    try report.folder.makeFile("out/skan_daily/_summary.json", holding: summary)
    try await report.report { $0.dimensions = [.campaignID] }
    #expect(try report.changes() == changes)
  }

  @Test func `a damaged report is replaced, and compared as far as it can be read`() async throws {
    let report = try CostReport()
    try report.write([Postback()])
    try await report.report { $0.dimensions = [.campaignID] }
    let rows = try report.folder.contents(of: "out/skan_daily/part-00000001.jsonl")
    try report.folder.makeFile("out/skan_daily/part-00000001.jsonl", holding: Array(rows.dropLast(40)))
    let summary = try await report.report { $0.dimensions = [.campaignID] }
    #expect(summary.changesObstacle?.hasPrefix("the report that was there before cannot be read") == true)
    #expect(try report.folder.contents(of: "out/skan_daily/part-00000001.jsonl") == rows)
    #expect(try await report.report { $0.dimensions = [.campaignID] }.changesObstacle == nil)
    #expect(try report.changes().isEmpty)
  }

  @Test func `texts in another form are not compared`() async throws {
    let report = try CostReport()
    try report.write([Postback(campaign: "=2001")])
    try await report.report()
    let summary = try await report.report { $0.encoding = TableEncoding([.csv], isCSVSafe: true) }
    #expect(summary.changesObstacle == "the report that was there before has other settings")
  }

  @Test func `days that are not calculated are not compared`() async throws {
    let report = try CostReport()
    let first = Postback(received: "2026-03-08T00:00:00Z", installed: "2026-03-04T00:00:00Z")
    let last = Postback(received: "2026-03-20T00:00:00Z", installed: "2026-03-16T00:00:00Z")
    try report.write([first, Postback(), last])
    try await report.report { $0.dimensions = [.campaignID] }
    try report.write([first, first, Postback(), Postback(), last, last])
    let day = try #require(Timestamp(dateOrTime: "2026-03-06")).daysSince1970
    // The day of `until` is not calculated.
    try await report.report { ($0.dimensions, $0.since, $0.until) = ([.campaignID], day, day + 10) }
    let days = Set(try report.rows(of: .dailyChanges).map { "\($0[.dateType] ?? "") \($0[.date] ?? "")" })
    #expect(days == ["install 2026-03-06", "received 2026-03-10", "received 2026-03-08"])
  }

  @Test func `days that stay have the currency and the dimensions of the others`() async throws {
    let report = try CostReport()
    let first = Postback(received: "2026-03-08T00:00:00Z", installed: "2026-03-04T00:00:00Z")
    try report.write([first, Postback()])
    try await report.report(rates: "date,currency,rate\n2026-03-04,USD,1\n")
    let rows = try report.folder.contents(of: "out/skan_daily/part-00000001.jsonl")
    let day = try #require(Timestamp(dateOrTime: "2026-03-06")).daysSince1970
    func refusal(_ change: @escaping (inout DailySettings) -> Void) async -> String {
      do {
        try await report.report(change)
        return "none"
      } catch {
        return "\(error)"
      }
    }
    let since = await refusal { $0.since = day }
    #expect(since.contains("The rows of the other days have the currency USD"), "\(since)")
    #expect(since.contains("Give --currency USD and --rates, or leave out --since and --until"))
    let kept = await refusal { ($0.since, $0.firstKeptDay, $0.dimensions) = (day, day, [.appID]) }
    #expect(kept.contains("removed have the dimensions app_id;network_name;campaign_id;country, and cannot"), "\(kept)")
    #expect(kept.contains("or another folder with --out"))
    let others = await refusal { ($0.since, $0.environments) = (day, ["custom", "production"]) }
    #expect(others.contains("The rows of the other days have postbacks of the environments production"), "\(others)")
    #expect(others.contains("Give --environment production, or leave out"))
    #expect(try report.folder.contents(of: "out/skan_daily/part-00000001.jsonl") == rows)
  }

  @Test func `changes are found in CSV too`() async throws {
    let report = try CostReport()
    try report.write([Postback()])
    try await report.report { $0.encoding = TableEncoding([.csv]) }
    try report.write([Postback(), Postback()])
    let summary = try await report.report { $0.encoding = TableEncoding([.csv]) }
    #expect((summary.changes[.latePostback] ?? 0) > 0 && summary.changes.count == 1)
    try report.write([Postback(), Postback(), Postback()])
    try await report.report()
    let changes = try report.changes()
    #expect(changes.contains { $0.hasSuffix("installs 1 2 late_postback") })
    #expect(changes.contains { $0.hasSuffix("installs 2 3 late_postback") })
  }
}
