import JSON
import Tables
import TestSupport
import Testing

@testable import DailyReports

/// Daily tables over postbacks whose copies were compared.
@Suite struct DailySettledTests {
  /// The columns of a row of `skan_settled` whose values are those of `skan_postbacks`.
  private func settled(_ trust: Int, by channel: String, _ values: DailyFolder.Columns) -> DailyFolder.Columns {
    var columns: DailyFolder.Columns = [
      "trust_level": "\(trust)", "effective_decided_by": channel, "effective_decode_status": #""null""#,
      "effective_received_at": #""2026-03-10T06:00:00Z""#,
      "effective_estimated_install_date": #""2026-03-06T18:00:00Z""#,
    ]
    for (name, value) in values { columns["effective_\(name)"] = value }
    if let revenue = values["skan_revenue"] { columns["effective_revenue"] = revenue }
    return columns
  }

  private let high = DailyFolder.decoded(35, "100", from: "90", to: "110")
  private let low = DailyFolder.decoded(20, "10", from: "9", to: "11")

  @Test func `the value of the deciding copy counts, with its revenue and its events`() async throws {
    func event(_ name: String, _ revenue: String) -> String {
      #"{"postback_key":"\#(DailyFolder.key(0))","event_name":"\#(name)","event_count":1,"min_event_count":1,"#
        + #""max_event_count":1,"skan_revenue":\#(revenue),"min_revenue":\#(revenue),"max_revenue":\#(revenue),"#
        + #""currency":"USD","revenue_kind":"iap"}"# + "\n"
    }
    let folder = try DailyFolder([high, high, [:]], events: [event("large", "100")])
    try folder.settle(
      [settled(0, by: #""direct""#, low), settled(4, by: #""direct""#, high), settled(2, by: #""forwarded""#, [:])],
      events: [event("small", "10")]
    )
    let summary = try await folder.report()
    let row = try folder.row()
    #expect(row.number(.revenue) == "110" && row.number(.revenueMin) == "99" && row.number(.revenueMax) == "121")
    #expect(row.integer(.valueSum) == 55 && row.integer(.nulls) == 1)
    #expect(row.integer(.conflicts) == 1 && row.integer(.directConfirmed) == 1)
    #expect(try folder.rows(of: .dailyEvents).map { $0.text(.eventName) } == ["small"])
    #expect(summary.settled == 3)
  }

  @Test func `changes after another grace period have no reason, and a warning names it`() async throws {
    let folder = try DailyFolder([high])
    try folder.settle([settled(2, by: #""forwarded""#, high)], graceHours: 1)
    try await folder.report()
    try folder.settle([settled(4, by: #""direct""#, low)], graceHours: 48)
    let summary = try await folder.report()
    #expect(Set(summary.changes.keys) == [nil])
    #expect(
      summary.changeWarnings.contains { $0.contains("(--grace-hours) changes from 1 to 48") },
      "\(summary.changeWarnings)"
    )
  }

  @Test func `devices' own copies that contradict each other leave neither a value nor a null`() async throws {
    let folder = try DailyFolder([high])
    var conflict = settled(0, by: "null", [:])
    conflict["effective_decode_status"] = #""conflict""#
    try folder.settle([conflict])
    try await folder.report()
    let row = try folder.row()
    #expect(row.integer(.installs) == 1 && row.integer(.conflicts) == 1 && row.number(.revenue) == nil)
    #expect(row.integer(.values) == 0 && row.integer(.nulls) == 0 && row.integer(.ambiguousZeros) == 0)
  }

  @Test func `a zero of a device is no null`() async throws {
    let zero = DailyFolder.decoded(0, "0", from: "0", to: "0").merging(["ad_network_id": #""g""#]) { $1 }
    let folder = try DailyFolder([zero, zero, zero])
    try folder.settle([
      settled(4, by: #""forwarded""#, zero), settled(3, by: #""direct""#, zero), settled(2, by: #""forwarded""#, zero),
    ])
    try await folder.report(["networks.csv": "ad_network_id,network_name,null_as_zero\ng,G,true\n"])
    let row = try folder.row()
    #expect(row.integer(.valueZero) == 2 && row.integer(.ambiguousZeros) == 1)
  }

  @Test func `postbacks can be grouped by their trust level`() async throws {
    let folder = try DailyFolder([high, high, high])
    try folder.settle([settled(4, by: #""direct""#, high), settled(2, by: #""forwarded""#, high)])
    let summary = try await folder.report { $0.dimensions = [.trustLevel] }
    let rows = try folder.rows()
    #expect(rows.map { $0.integer(.trustLevel) } == [nil, 2, 4])
    // The last postback came after the table was made.
    #expect(rows.map { $0.integer(.conflicts) } == [nil, 0, 0])
    #expect(rows.map { $0.number(.revenue) } == ["100", "100", "100"])
    #expect(summary.settled == 2)
    #expect(summary.ownWarnings.contains { $0.contains("the last 1 of 3") })
  }

  /// Parts of 300 rows end a batch: in the second one the row after the damaged line is the only one of the next batch.
  @Test(arguments: [(9_000, 10, 4_000), (301, 10, 300), (300, 299, 150), (600, 600, 300)])
  func `a damaged line between postbacks leaves each value with its postback`(count: Int, place: Int, part: Int)
    async throws
  {
    let folder = try DailyFolder((0..<count).map { $0 % 2 == 0 ? high : low })
    try folder.settle((0..<count).map { settled(4, by: #""direct""#, $0 % 2 == 0 ? low : high) })
    try folder.damage(before: place, partsBefore: part)
    let summary = try await folder.report { $0.dimensions = [.trustLevel] }
    #expect(summary.settled == count)
    #expect(!summary.ownWarnings.contains { $0.contains("skan_settled does not have") })
    #expect(try folder.row().number(.revenue) == "\((count + 1) / 2 * 10 + count / 2 * 100)")
  }

  /// `retain` removes the rows of old postbacks, so that those of the settlement are no longer in the same places.
  @Test(arguments: [0, 1, 2]) func `rows are found by their keys where others were removed`(removed: Int) async throws {
    let folder = try DailyFolder([high, low, high])
    try folder.settle((0..<3).map { settled($0 + 2, by: #""direct""#, $0 == 1 ? high : low) })
    try folder.remove(row: removed)
    let summary = try await folder.report { $0.dimensions = [.trustLevel] }
    let rows = try folder.rows()
    #expect(summary.settled == 2 && rows.map { $0.integer(.trustLevel) } == [2, 3, 4].filter { $0 != removed + 2 })
    #expect(rows.map { $0.number(.revenue) } == [2, 3, 4].filter { $0 != removed + 2 }.map { $0 == 3 ? "100" : "10" })
  }

  @Test func `a postback is counted on the days of the copy that decides, with its interaction and sender`()
    async throws
  {
    let base = high.merging([
      "framework": #""adattributionkit""#, "version": "null", "conversion_type": #""download""#,
      "fidelity_type": "null",
      "ad_interaction_type": #""click""#, "channel": #""network_forwarded""#, "forwarder": #""late""#,
    ]) { $1 }
    let folder = try DailyFolder([base])
    var decided = settled(4, by: #""direct""#, low)
    decided["effective_received_at"] = #""2026-03-12T06:00:00Z""#
    decided["effective_estimated_install_date"] = #""2026-03-08T18:00:00Z""#
    decided["effective_ad_interaction_type"] = #""view""#
    decided["effective_channel"] = #""apple_direct""#
    try folder.settle([decided])
    try await folder.report { $0.dimensions = [.channel, .forwarder] }
    let row = try folder.row()
    #expect(row.text(.date) == "2026-03-12" && row.integer(.installsView) == 1 && row.integer(.installsClick) == 0)
    #expect(row.text(.channel) == "apple_direct" && row.text(.forwarder) == nil)
    #expect(try folder.row(.install).text(.date) == "2026-03-08")
  }
}
