import Base
import JSON
import PostbackPipeline
import Tables
import TestSupport
import Testing

@testable import DailyReports
@testable import DerivedTables

@Suite struct DailyTests {
  @Test func `three purchases of 10 to 20 are worth 45, at least 30 and at most 60`() async throws {
    let purchase = DailyFolder.decoded(42, "15", from: "10", to: "20")
    let folder = try DailyFolder([purchase, purchase, purchase, DailyFolder.decoded(0, "0", from: "0", to: "0")])
    try await folder.report()
    let row = try folder.row()
    #expect(row.number(.revenue) == "45" && row.number(.revenueMin) == "30" && row.number(.revenueMax) == "60")
    #expect(row.text(.currency) == "USD")
    #expect(row.integer(.fineValues) == 4 && row.integer(.valueZero) == 1 && row.integer(.valuePositive) == 3)
    #expect(row.integer(.valueSum) == 126 && row.integer(.nulls) == 0 && row.integer(.decoded) == 4)
  }

  @Test func `a sum with an open range has no upper limit, and that of the others beside it`() async throws {
    let folder = try DailyFolder([
      DailyFolder.decoded(42, "15", from: "10", to: "20"), DailyFolder.decoded(63, "100.5", from: "100", to: "null"),
    ])
    try await folder.report()
    let row = try folder.row()
    #expect(row.number(.revenue) == "115.5" && row.number(.revenueMin) == "110" && row.number(.revenueMax) == nil)
    #expect(row.integer(.revenueMaxOpen) == 1 && row.number(.revenueMaxClosed) == "20")
  }

  @Test func `revenue in several currencies is not added`() async throws {
    let euros = DailyFolder.decoded(1, "5", from: "5", to: "5").merging(["currency": #""EUR""#]) { $1 }
    let folder = try DailyFolder([DailyFolder.decoded(42, "15", from: "10", to: "20"), euros, euros])
    try await folder.report()
    let row = try folder.row()
    for column in [.revenue, .revenueMin, .revenueMax, .revenueMaxClosed, .revenueAll] as [ColumnName] {
      #expect(row.number(column) == nil)
    }
    #expect(row["revenue_by_currency"]?.description == #"{"EUR":10,"USD":15}"#)
  }

  @Test func `a report of a time counts nothing that was received after it`() async throws {
    let folder = try DailyFolder([[:], ["received_at": #""2026-03-10T06:00:00.001Z""#], ["received_at": "null"]])
    let time = try #require(Timestamp("2026-03-10T06:00:00Z"))
    let summary = try await folder.report { $0.asOf = time }
    #expect(summary.postbacks == 2 && summary.leftOut.map(\.count) == [1])
    #expect(summary.leftOut.map(\.reason) == ["received_after_as_of"])
    #expect(try folder.rows().reduce(0) { $0 + ($1.integer(.postbacks) ?? 0) } == 2)
    #expect(try await folder.report().postbacks == 3)
  }

  @Test func `a report with much fewer rows than before leaves the tables as they are, and says why`() async throws {
    let postback = ["environment": #""custom""#]
    let folder = try DailyFolder((0..<10).map { postback.merging(["app_id": "\($0 + 1)"]) { $1 } })
    let first = try await folder.report()
    #expect(
      first.nothingCounted
        == "No postback is counted: all 10 accepted postbacks are of the environment custom, and the "
        + "report counts production. Give --environment custom if these are to be counted."
    )
    #expect(first.ownWarnings.count == 1)
    #expect(try await folder.report { $0.environments = ["custom"] }.nothingCounted == nil)
    let bytes = try folder.bytes()
    let failure = try #require(await #expect(throws: PipelineFailure.self) { try await folder.report() })
    #expect("\(failure)".contains("all 10 accepted postbacks are of the environment custom"))
    #expect(try folder.bytes() == bytes)
    // Fewer dimensions are no loss.
    try await folder.report { ($0.environments, $0.dimensions) = (["custom"], []) }
    try await folder.report { $0.replacement.isForced = true }
    #expect(try folder.bytes().isEmpty)
  }

  @Test func `fewer rows or another day of the same postbacks are no loss`() async throws {
    let other: DailyFolder.Columns = ["received_at": #""2026-03-08T06:00:00Z""#]
    let usual = (0..<25).map { _ in DailyFolder.Columns() }
    let folder = try DailyFolder((0..<40).map { ["app_id": "\($0 + 1)"] } + usual)
    try await folder.report()
    // As when a lookup table or copies give them other names and days.
    try folder.write((0..<40).map { _ in other } + usual)
    #expect(try await folder.report().postbacks == 65)
    try folder.write((0..<65).map { _ in other })
    #expect(try await folder.report().postbacks == 65)
    // All of a day are left out.
    try folder.write((0..<200).map { _ in other } + usual)
    try await folder.report()
    try folder.write((0..<200).map { _ in other } + usual.map { _ in ["environment": #""custom""#] })
    let failure = try #require(await #expect(throws: PipelineFailure.self) { try await folder.report() })
    #expect("\(failure)".contains("0 postbacks received on 2026-03-10 in place of 25"))
    #expect("\(failure)".contains("no row of the input is of this day any more"))
    let early = try #require(
      await #expect(throws: PipelineFailure.self) {
        try await folder.report { $0.asOf = Timestamp("2026-03-09T00:00:00Z") }
      }
    )
    #expect("\(early)".contains("the day is after the time of the report"))
  }

  @Test func `rows that were removed from the input are no mistake`() async throws {
    let folder = try DailyFolder((0..<10).map { ["app_id": "\($0 + 1)"] })
    try await folder.report { $0.replacement.removedRows = 1 }
    try folder.write((0..<4).map { ["app_id": "\($0 + 1)"] })
    for removed in [1, 4] as [Int64] {
      let failure = await #expect(throws: PipelineFailure.self) {
        try await folder.report { $0.replacement.removedRows = removed }
      }
      let words = removed == 1 ? "in place of 10, and" : "in place of 10 less 3 rows that were removed"
      #expect(failure.map { "\($0)".contains(words) } == true)
    }
    #expect(try await folder.report { $0.replacement.removedRows = 7 }.postbacks == 4)
  }

  @Test func `a postback that lost is an assist and nothing else`() async throws {
    let lost = ["did_win": "false", "decode_status": #""not_won""#, "conversion_value": "3"]
    let folder = try DailyFolder([lost, lost])
    try await folder.report()
    let row = try folder.row()
    #expect(row.integer(.postbacks) == 2 && row.integer(.assists) == 2)
    let zero: [ColumnName] = [
      .postbacksWon, .installs, .redownloads, .reengagements, .conversions, .fineValues, .nulls, .values, .decoded,
    ]
    for column in zero { #expect(row.integer(column) == 0) }
    #expect(row.number(.revenue) == nil && row.number(.nullRate) == nil)
    #expect(try folder.rows(of: .dailyValues).isEmpty)
  }

  @Test func `later windows have values and no installs`() async throws {
    let later = ["postback_sequence_index": "1", "coarse_conversion_value": #""high""#]
    let folder = try DailyFolder([later, later, ["postback_sequence_index": "2"]])
    let summary = try await folder.report()
    let rows = try folder.rows()
    #expect(rows.map { $0.integer(.postbackSequenceIndex) } == [1, 2])
    for row in rows {
      for column in [.installs, .redownloads, .reengagements, .conversions, .installsClick] as [ColumnName] {
        #expect(row[column.rawValue] == .null)
      }
    }
    #expect(rows[0].integer(.coarseHigh) == 2 && rows[0].integer(.postbacksWon) == 2)
    #expect(rows[1].integer(.nulls) == 1)
    #expect(summary.warnings.count == 1)
  }

  @Test func `the kinds of conversions and of interactions are counted apart`() async throws {
    let aak = [
      "framework": #""adattributionkit""#, "version": "null", "redownload": "null", "fidelity_type": "null",
    ]
    func kind(_ type: String, _ interaction: String = "null") -> DailyFolder.Columns {
      aak.merging(["conversion_type": "\"\(type)\"", "ad_interaction_type": interaction]) { $1 }
    }
    let folder = try DailyFolder([
      [:], ["fidelity_type": "0"], ["redownload": "true"],
      ["version": #""2.0""#, "did_win": "null", "fidelity_type": "null", "postback_sequence_index": "null"],
      ["version": #""1.0""#, "did_win": "null", "fidelity_type": "null", "redownload": "null"],
      kind("download", #""view""#), kind("redownload"), kind("re-engagement"), kind("re-engagement"),
      ["source_domain": #""example.com""#],
    ])
    try await folder.report()
    let row = try folder.row()
    #expect(row.integer(.postbacks) == 10 && row.integer(.postbacksWon) == 10)
    #expect(row.integer(.installs) == 6 && row.integer(.redownloads) == 2 && row.integer(.reengagements) == 2)
    #expect(row.integer(.conversions) == 10)
    #expect(row.integer(.installsClick) == 2 && row.integer(.installsView) == 2)
    #expect(row.integer(.installsInteractionUnknown) == 2)
    #expect(row.integer(.web) == 1 && row.integer(.noValuePossible) == 1 && row.integer(.nulls) == 9)
    #expect(row.number(.nullRate) == "1")
  }

  @Test func `the rate of nulls has the published bounds`() async throws {
    let folder = try DailyFolder(
      Array(repeating: ["coarse_conversion_value": #""low""#], count: 133) + Array(repeating: [:], count: 15)
    )
    try await folder.report()
    let row = try folder.row()
    #expect(row.number(.nullRate) == "0.101351")
    #expect(row.number(.nullRateLow) == "0.062386" && row.number(.nullRateHigh) == "0.160487")
  }

  @Test func `a zero that may be a null is neither a value nor a null`() async throws {
    let zero = DailyFolder.decoded(0, "0", from: "0", to: "0")
    let google = zero.merging(["ad_network_id": #""google.skadnetwork""#]) { $1 }
    let filled = zero.merging(["tier_flags": #"["zero_may_be_null"]"#]) { $1 }
    let folder = try DailyFolder([zero, google, google.merging(["conversion_value": "7"]) { $1 }, filled])
    try await folder.report([
      "networks.csv": "ad_network_id,network_name,null_as_zero\ngoogle.skadnetwork,Google,true\n"
    ]) { $0.dimensions = [] }
    let row = try folder.row()
    #expect(row.integer(.ambiguousZeros) == 2 && row.integer(.values) == 2 && row.integer(.nulls) == 0)
    #expect(row.integer(.valueZero) == 1 && row.integer(.valueSum) == 7)
    let values = try folder.rows(of: .dailyValues)
    #expect(values.map { $0.text(.value) } == ["0", "7"])
    #expect(values.map { $0.integer(.count) } == [1, 1])
  }

  @Test func `a postback without a time of receipt is in rows without a date`() async throws {
    let folder = try DailyFolder([["received_at": "null", "estimated_install_date": "null"], [:]])
    let summary = try await folder.report()
    for type in DateType.allCases {
      let rows = try folder.rows(type)
      #expect(rows.map { $0.text(.date) } == [type == .received ? "2026-03-10" : "2026-03-06", nil])
      #expect(rows.map { $0.integer(.installs) } == [1, 1])
    }
    #expect(summary.withoutReceipt == 1 && summary.postbacks == 2)
    #expect(summary.asOf?.description == "2026-03-10T06:00:00Z")
  }

  @Test func `a time of receipt in the future makes no day final`() async throws {
    let folder = try DailyFolder([[:], ["received_at": #""2099-01-02T00:00:00Z""#, "estimated_install_date": "null"]])
    func days() throws -> [String] {
      try folder.rows(.received).map { row in
        "\(row.text(.date) ?? "") \(row.text(.status) ?? "") \(row.integer(.postbacks) ?? 0)"
      }
    }
    let summary = try await folder.report()
    #expect(summary.asOf?.description == "2026-03-10T06:00:00Z")
    #expect(try days() == ["2026-03-10 open 1"])
    #expect(summary.leftOut.map(\.count) == [1] && summary.withoutInstallDate == 0)
    #expect(summary.dueDay == Timestamp(dateOrTime: "2099-01-02")?.daysSince1970)
    #expect(summary.warnings.contains { $0.hasPrefix("1 postback is left out") && $0.contains("2099-01-02") })
    let later = try await folder.report { $0.today = Timestamp(dateOrTime: "2099-01-02")?.daysSince1970 ?? 0 }
    #expect(try days() == ["2026-03-10 final 1", "2099-01-02 open 1"])
    #expect(later.leftOut.isEmpty && later.warnings.isEmpty && later.withoutInstallDate == 1 && later.dueDay == nil)
    // Where all times are in the future, the clock may be wrong.
    let early = try await folder.report { $0.today = 0 }
    #expect(early.postbacks == 2 && early.asOf?.description == "2099-01-02T00:00:00Z")
    #expect(early.warnings.contains { $0.hasPrefix("All times of receipt lie in the future") })
    let given = try await folder.report { $0.asOf = Timestamp(dateOrTime: "2100-01-01") }
    #expect(given.postbacks == 2 && given.warnings.isEmpty)
  }

  @Test func `texts in different normal forms of Unicode are two groups, in any order`() async throws {
    let rows = [["forwarder": "\"\u{E9}\""], ["forwarder": "\"e\u{301}\""], ["forwarder": "\"\u{E9}\""]]
    var all: Set<[UInt8]> = []
    for order in [[0, 1, 2], [1, 0, 2], [2, 0, 1]] {
      let folder = try DailyFolder(order.map { rows[$0] })
      try await folder.report { $0.dimensions = [.forwarder] }
      all.insert(try folder.bytes())
      #expect(try folder.rows().map { $0.integer(.postbacks) } == [1, 2])
    }
    #expect(all.count == 1)
  }

  @Test func `other environments and the tests of forwarders are left out`() async throws {
    let test = #"{"test":true}"#
    let folder = try DailyFolder([
      [:], ["environment": #""development""#], ["environment": #""custom""#], ["extras": test],
    ])
    let summary = try await folder.report()
    #expect(try folder.row().integer(.postbacks) == 1)
    #expect(summary.leftOut.map(\.reason) == ["custom", "development", "forwarder_test"])
    try await folder.report { $0.environments = ["production", "custom"] }
    #expect(try folder.row().integer(.postbacks) == 2)
  }

  @Test func `a name is there only if all postbacks of the group have it`() async throws {
    let folder = try DailyFolder([
      ["received_at": #""2026-03-10T06:00:00Z""#, "extras": #"{"adjust-campaign-id":"7","adjust-campaign":"Old"}"#],
      ["received_at": #""2026-03-10T07:00:00Z""#, "extras": #"{"adjust-campaign-id":"7","adjust-campaign":"New"}"#],
      ["received_at": #""2026-03-11T07:00:00Z""#, "extras": #"{"adjust-campaign-id":"7","adjust-campaign":"New"}"#],
    ])
    try await folder.report()
    let rows = try folder.rows()
    #expect(rows.map { $0.text(.campaignID) } == ["7", "7"])
    #expect(rows.map { $0.text(.campaignName) } == [nil, "New"])
    #expect(rows.map { $0.text(.appName) } == ["One", "One"])
    #expect(try folder.rows(.install).map { $0.text(.campaignName) } == [nil])
  }
}
