import ConversionModel
import JSON
import Tables
import Testing

@testable import DailyReports

@Suite struct CostJoinTests {
  private typealias Postback = CostReport.Postback

  private func sum(_ rows: [JSONValue], _ column: ColumnName) -> Amount {
    rows.compactMap { $0[column] }.compactMap { Amount(written: $0.utf8.span) }.reduce(.zero, +)
  }

  private static let header = "date,network_name,campaign_id,currency,cost"

  @Test func `costs meet the installs of their day, and neither is lost`() async throws {
    let report = try CostReport()
    try report.write([
      Postback(), Postback(revenue: nil), Postback(redownload: true), Postback(hasWon: false),
      Postback(campaign: "2002", installed: "2026-03-05T00:00:00Z"), Postback(campaign: "2003"),
    ])
    try await report.report(
      cost: """
        \(Self.header),clicks
        2026-03-06,One,2001,USD,8,100
        2026-03-06,One,2002,USD,0.75,
        2026-03-01,One,2001,USD,3,
        """
    )
    let rows = try report.installs()
    let cells: [ColumnName] = [.date, .campaignID, .installs, .cost, .costLevel, .ecpi, .roas, .roasScaled]
    #expect(
      rows.map { row in cells.map { row[$0] ?? "-" }.joined(separator: " ") } == [
        "2026-03-01 2001 0 3 row - - -", "2026-03-05 2002 1 - - - - -",
        // Revenue 10 of two values of three conversions, of which two are installs: 10 · 2 / (8 · 2).
        "2026-03-06 2001 2 8 row 4 1.25 1.25", "2026-03-06 2002 0 0.75 row - - -", "2026-03-06 2003 1 - - - - -",
      ]
    )
    let row = rows[2]
    #expect(row[.roasMin] == "1" && row[.roasMax] == "1.5" && row[.rpu] == "5" && row[.roi] == "0.25")
    #expect(row[.roasScaledConversions] == "1.875")
    #expect(row[.clicks] == "100" && row[.costCurrency] == "USD" && row[.dimensions] == "network_name;campaign_id")
    #expect(sum(rows, .cost).description == "11.75")
    #expect(try report.rows().filter { $0[.dateType] == "received" }.allSatisfy { $0[.cost] == nil })
  }

  @Test(arguments: [
    nil, [DailyDimension.campaignID], [.networkName], [.appID, .networkName, .campaignID, .country],
    [.appID, .country], [.creativeID], [],
  ]) func `the costs of a report add up to those of the file, with any dimensions`(
    _ dimensions: [DailyDimension]?
  ) async throws {
    let report = try CostReport()
    try report.write([Postback(), Postback(app: 2), Postback(campaign: "2002", received: "2026-03-11T00:00:00Z")])
    let summary = try await report.report(
      cost: """
        date,network_name,campaign_id,adgroup_id,app_id,country,currency,cost
        2026-03-06,One,2001,11,1,US,USD,1.000001
        2026-03-06,One,2001,11,1,,USD,2.000010
        2026-03-06,One,2001,12,,US,USD,4.000100
        2026-03-06,One,2001,,,,USD,8.001000
        2026-03-06,Two,9,,3,DE,USD,16.010000
        2026-04-01,One,2001,,1,,USD,-0.100000
        """
    ) {
      if let dimensions { $0.dimensions = Set(dimensions) }
    }
    let rows = try report.rows()
    #expect(sum(rows, .cost).description == "30.911111")
    #expect(summary.cost.amounts.mapValues(\.description) == ["USD": "30.911111"])
    #expect(sum(rows.filter { $0[.dateType] == "received" }, .postbacks) == Amount(3))
    #expect(sum(rows.filter { $0[.dateType] == "install" }, .installs) == Amount(3))
  }

  @Test func `a cost of fewer dimensions than the report is not divided`() async throws {
    let report = try CostReport()
    try report.write([Postback(), Postback(app: 2)])
    let file = "\(Self.header)\n2026-03-06,One,2001,USD,8\n"
    let summary = try await report.report(cost: file) { $0.dimensions = [.appID, .networkName, .campaignID] }
    let rows = try report.installs()
    #expect(rows.map { $0[.costLevel] } == ["parent", nil, nil])
    #expect(rows.map { $0[.appID] } == [nil, "1", "2"])
    #expect(rows.map { $0[.installs] } == ["0", "1", "1"])
    #expect(rows[0][.networkName] == "One" && rows[0][.campaignID] == "2001" && rows[0][.networkStatus] == "mapped")
    #expect(summary.parentCost.amounts == ["USD": Amount(8)])
  }

  @Test func `finer costs are added up, and a network without a name keeps its costs`() async throws {
    let report = try CostReport()
    try report.write([Postback()])
    let file = """
      date,network_name,campaign_id,country,currency,cost,impressions
      2026-03-06,One,2001,US,USD,1,10
      2026-03-06,One,2001,DE,USD,2,
      2026-03-06,Unknown,1,DE,USD,4,5
      """
    try await report.report(cost: file) { $0.dimensions = [.networkName, .campaignID] }
    let rows = try report.installs()
    #expect(rows.map { $0[.cost] } == ["3", "4"])
    #expect(rows.map { $0[.impressions] } == ["10", "5"])
    #expect(rows.map { $0[.networkStatus] } == ["mapped", "unmapped"])
    #expect(rows.map { $0[.costLevel] } == ["row", "row"])
  }

  @Test func `costs in several currencies are kept apart`() async throws {
    let report = try CostReport()
    try report.write([Postback(), Postback(campaign: "2002")])
    let file =
      "\(Self.header)\n2026-03-06,One,2001,USD,1\n2026-03-06,One,2001,EUR,2.5\n2026-03-06,One,2002,EUR,2\n"
    let summary = try await report.report(cost: file)
    let rows = try report.installs()
    #expect(rows.map { $0[.cost] } == [nil, "2"])
    #expect(rows.map { $0[.costByCurrency] } == [#"{"EUR":2.5,"USD":1}"#, nil])
    // The cost of an install needs no revenue; the other ratio needs both in one currency.
    #expect(rows[1][.ecpi] == "2" && rows[1][.roas] == nil)
    #expect(summary.cost.amounts == ["USD": Amount(1), "EUR": try Amount(parsing: "4.5")])
  }

  @Test func `an open end of the revenue has a least ratio`() async throws {
    let report = try CostReport()
    try report.write([Postback(), Postback(revenue: ("20", "10", "null"))])
    try await report.report(cost: "\(Self.header)\n2026-03-06,One,2001,USD,10\n")
    let row = try #require(try report.installs().first)
    #expect(row[.roas] == "2.5" && row[.roasMin] == "1.4" && row[.roasMax] == nil && row[.roasMaxClosed] == "0.6")
  }

  @Test func `windows that do not include the earlier ones are added, and others are not`() async throws {
    let report = try CostReport()
    try report.write([
      Postback(), Postback(window: 1), Postback(window: 2, revenue: ("7", "7", "7")),
      Postback(campaign: "2002", model: "c"),
      Postback(campaign: "2002", window: 1, revenue: ("9", "9", "9"), isCumulative: true, model: "c"),
      Postback(campaign: "2003"), Postback(campaign: "2003", window: 1, revenue: nil),
      Postback(campaign: "2004", window: 1), Postback(campaign: "2005", revenue: nil),
    ])
    try await report.report { $0.dimensions = [.campaignID] }
    let rows = try report.installs().filter { $0[.revenueBasis] != nil }
    let cells: [ColumnName] = [.campaignID, .postbackSequenceIndex, .revenueAllWindows, .revenueBasis]
    #expect(
      rows.map { row in cells.map { row[$0] ?? "-" }.joined(separator: " ") } == [
        "2001 0 17 sum", "2002 0 9 cumulative", "2003 0 5 window0", "2004 1 5 sum",
      ]
    )
    #expect(try report.rows().filter { $0[.dateType] == "received" }.allSatisfy { $0[.revenueBasis] == nil })
  }

  @Test func `a later window that includes the earlier ones counts where it is larger, for each app and model`()
    async throws
  {
    let report = try CostReport()
    func later(_ revenue: String, app: Int, campaign: String = "2001") -> Postback {
      Postback(campaign: campaign, app: app, window: 1, revenue: (revenue, "0", "null"), isCumulative: true)
    }
    func first(_ revenue: String, app: Int, campaign: String = "2001") -> Postback {
      Postback(campaign: campaign, app: app, revenue: (revenue, "0", "null"))
    }
    // Of 40 installs of app 101 one sent a second postback. All installs of app 202 did, and of app 303 no one.
    try report.write(
      (0..<40).map { first("5", app: 101, campaign: "\($0 % 3)") } + [later("5", app: 101)]
        + [first("100", app: 202), first("200", app: 202, campaign: "1"), later("700", app: 202)]
        + [later("500", app: 202, campaign: "1"), first("3", app: 303)]
    )
    var totals: Set<String> = []
    for dimensions in [[], [.networkName], [.appID], [.campaignID], [.appID, .campaignID, .modelID]]
      as [Set<DailyDimension>]
    {
      try await report.report { $0.dimensions = dimensions }
      let rows = try report.installs()
      totals.insert(sum(rows, .revenueAllWindows).description)
      guard dimensions == [.appID] else { continue }
      let cells: [ColumnName] = [.appID, .revenueAllWindows, .revenueBasis]
      #expect(
        rows.filter { $0[.revenueBasis] != nil }.map { row in cells.map { row[$0] ?? "-" }.joined(separator: " ") } == [
          "101 200 sum", "202 1200 cumulative", "303 3 window0",
        ]
      )
    }
    #expect(totals == ["1403"])
  }

  @Test func `windows of re-engagements decide nothing about those of installs`() async throws {
    let report = try CostReport()
    func postback(_ window: Int, _ revenue: String, _ type: String?, isCumulative: Bool = false) -> Postback {
      Postback(
        window: window,
        revenue: (revenue, revenue, revenue),
        isCumulative: isCumulative,
        conversionType: type
      )
    }
    try report.write([
      postback(0, "100", "download"), postback(1, "150", "download", isCumulative: true),
      postback(0, "60", "re-engagement"), postback(1, "40", "re-engagement"),
      postback(0, "3", nil), postback(1, "5", nil, isCumulative: true),
    ])
    for dimensions in [[.conversionType], [], [.framework], [.campaignID]] as [Set<DailyDimension>] {
      try await report.report { $0.dimensions = dimensions }
      let rows = try report.installs()
      #expect(sum(rows, .revenueAllWindows) == Amount(255), "\(dimensions)")
      let bases = rows.compactMap { $0[.revenueBasis] }
      switch dimensions {
      case [.conversionType]: #expect(bases == ["cumulative", "cumulative", "sum"])
      case [.framework]: #expect(bases == ["mixed", "cumulative"])
      default: #expect(bases == ["mixed"])
      }
    }
  }
}
