import JSON
import Tables
import TestSupport
import Testing

@testable import DailyReports

@Suite struct DailyEventsTests {
  /// A row of `skan_events`.
  private func event(_ postback: Int, _ name: String, _ counts: String, _ revenue: String, _ kind: String) -> String {
    let (count, range) = (counts.split(separator: " ")[0], counts.split(separator: " "))
    let money = revenue.split(separator: " ")
    return #"{"postback_key":"\#(DailyFolder.key(postback))","event_name":"\#(name)","event_count":\#(count),"#
      + #""min_event_count":\#(range[1]),"max_event_count":\#(range[2]),"skan_revenue":\#(money[0]),"#
      + #""min_revenue":\#(money[1]),"max_revenue":\#(money[2]),"currency":"USD","revenue_kind":"\#(kind)"}"# + "\n"
  }

  private let purchase = DailyFolder.decoded(42, "16.5", from: "11", to: "22")
  private let whale = DailyFolder.decoded(63, "100", from: "100", to: "null")

  @Test func `events and revenue by origin are those of one postback of each value`() async throws {
    // Only the first postback of a value is looked up: the events of the third are not in the file.
    let folder = try DailyFolder(
      [purchase, whale, purchase],
      events: [
        event(0, "purchase", "1.5 1 2", "15 10 20", "iap"), event(0, "ad", "1 1 1", "1.5 1 2", "admon"),
        event(1, "purchase", "3 3 null", "100 100 null", "iap"), event(9, "other", "1 1 1", "1 1 1", "all"),
      ]
    )
    let summary = try await folder.report()
    let rows = try folder.rows(of: .dailyEvents)
    #expect(rows.map { $0.text(.eventName) } == ["ad", "purchase"])
    #expect(rows.map { $0.integer(.postbacksWithEvent) } == [2, 3])
    #expect(rows.map { $0.number(.eventCount) } == ["2", "6"])
    #expect(rows.map { $0.number(.minEventCount) } == ["2", "5"])
    #expect(rows.map { $0.number(.maxEventCount) } == ["2", nil])
    #expect(rows.map { $0.number(.revenue) } == ["3", "130"])
    #expect(rows.map { $0.number(.revenueMax) } == ["4", nil])
    let row = try folder.row()
    #expect(row.number(.revenue) == "133" && row.number(.revenueInAppPurchases) == "130")
    #expect(row.number(.revenueAdMonetization) == "3" && row.number(.revenueAll) == "0")
    #expect(summary.written.map(\.rows) == [2, 4, 4, 2])
  }

  @Test func `an event that may not have happened is in the sums, and its postback is none with the event`()
    async throws
  {
    let nothing = DailyFolder.decoded(0, "0.25", from: "0", to: "0.66")
    let folder = try DailyFolder(
      [purchase] + [DailyFolder.Columns](repeating: nothing, count: 40) + [[:], [:]],
      events: [
        event(0, "purchase", "1 1 1", "15 10 20", "iap"), event(1, "purchase", "0 0 null", "0.25 0 0.66", "iap"),
      ]
    )
    try await folder.report()
    let row = try folder.row(of: .dailyEvents)
    #expect(row.integer(.postbacksWithEvent) == 1 && row.number(.minEventCount) == "1")
    #expect(row.number(.maxEventCount) == nil && row.number(.revenue) == "25")
    // 2 postbacks without a value, each with the event at (1 + 0.5) / (41 + 1).
    #expect(row.number(.modelledPostbacks) == "1.071429")
  }

  @Test func `where no value says that an event happened, its number among nulls is modelled too`() async throws {
    let nothing = DailyFolder.decoded(0, "0.25", from: "0", to: "0.66")
    let folder = try DailyFolder(
      [DailyFolder.Columns](repeating: nothing, count: 40) + [purchase, [:], [:]],
      events: [
        event(0, "purchase", "0 0 null", "0.25 0 0.66", "iap"), event(40, "ad", "1 1 1", "15 10 20", "admon"),
      ]
    )
    try await folder.report()
    let row = try #require(try folder.rows(of: .dailyEvents).last)
    #expect(row.text(.eventName) == "purchase" && row.integer(.postbacksWithEvent) == 0)
    // 2 postbacks without a value, each with the event at (0 + 0.5) / (41 + 1).
    #expect(row.number(.modelledPostbacks) == "0.02381")
  }

  @Test func `a postback that is in the tables twice has its events once`() async throws {
    let line = event(0, "purchase", "1 1 1", "15 10 20", "iap")
    let folder = try DailyFolder([purchase, purchase], events: [line, line])
    try await folder.report()
    #expect(try folder.row(of: .dailyEvents).number(.revenue) == "30")
  }
}
