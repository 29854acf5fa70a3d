import ConversionModel
import JSON
import Ledger
import Tables
import TestSupport
import Testing

@testable import DailyReports
@testable import LookupTables
@testable import Reporting
@testable import TableReading

@Suite struct DailyCurrencyTests {
  private typealias Postback = CostReport.Postback

  private static let rates = "date,currency,rate\n2026-03-06,EUR,1\n2026-03-06,USD,1.1\n2026-03-06,GBP,0.9\n"

  @Test func `revenue is converted by the rates of the install date, and costs by those of their day`() async throws {
    let report = try CostReport()
    try report.write([
      Postback(), Postback(revenue: ("10", "8", "null"), currency: "EUR"),
      Postback(revenue: ("0.000001", "0", "0.000002"), currency: "GBP"),
    ])
    let cost = "date,network_name,campaign_id,currency,cost\n2026-03-07,One,2001,EUR,10\n2026-03-06,One,2001,EUR,1\n"
    let summary = try await report.report(cost: cost, rates: Self.rates)
    let rows = try report.installs()
    // 5 + 10 · 1.1 + 0.000001 · 1.1 / 0.9, each rounded alone.
    #expect(rows[0][.revenue] == "16.000001" && rows[0][.currency] == "USD" && rows[0][.revenueByCurrency] == nil)
    #expect(rows[0][.revenueMin] == "12.8" && rows[0][.revenueMaxClosed] == "6.000002")
    #expect(rows[0][.cost] == "1.1" && rows[0][.costCurrency] == "USD")
    #expect(rows[1][.cost] == "11")
    #expect(summary.unconverted == 0)
    // A received day has the same revenue as the install days.
    #expect(try report.rows().first?[.revenue] == "16.000001")
  }

  @Test func `an amount without a rate is in revenue_by_currency and cost_by_currency alone, and is counted`()
    async throws
  {
    let report = try CostReport()
    try report.write([
      Postback(), Postback(currency: "JPY"), Postback(installed: "2026-04-06T00:00:00Z", currency: "EUR"),
    ])
    let cost = "date,network_name,campaign_id,currency,cost\n2026-03-06,One,2001,JPY,10\n2026-03-06,One,2001,USD,1\n"
    let summary = try await report.report(cost: cost, rates: Self.rates)
    let rows = try report.installs()
    #expect(rows[0][.revenue] == nil && rows[0][.revenueByCurrency] == #"{"JPY":5,"USD":5}"#)
    #expect(rows[0][.unconvertedRows] == "1" && rows[0][.costByCurrency] == #"{"JPY":10,"USD":1}"#)
    #expect(rows[1][.revenue] == nil && rows[1][.currency] == nil && rows[1][.revenueByCurrency] == #"{"EUR":5}"#)
    #expect(rows[1][.revenueAllWindows] == nil && rows[1][.unconvertedRows] == "1")
    #expect(summary.unconverted == 3)
  }

  @Test func `a cost without a rate alone has no ratio`() async throws {
    let report = try CostReport()
    try report.write([Postback(currency: "JPY")])
    let cost = "date,network_name,campaign_id,currency,cost\n2026-03-06,One,2001,JPY,10\n"
    let summary = try await report.report(cost: cost, rates: Self.rates)
    let row = try #require(try report.installs().first)
    #expect(row[.cost] == nil && row[.costCurrency] == nil && row[.costByCurrency] == #"{"JPY":10}"#)
    #expect([row[.ecpi], row[.roas], row[.rpu]] == [nil, nil, nil])
    #expect(summary.campaigns.map(\.singleCost?.cost) == [nil])
  }

  @Test func `all missing rates are problems at once`() async throws {
    let report = try CostReport()
    try report.write([Postback(currency: "JPY"), Postback(currency: "JPY"), Postback(hasWon: false, currency: "XYZ")])
    let out = report.folder.path("out")
    try await report.report(rates: Self.rates)
    let lookups = try Lookups.none()
    try report.folder.makeFile(
      "more.csv",
      holding: Array("date,network_name,campaign_id,currency,cost\n2026-03-06,One,1,CHF,10\n".utf8)
    )
    var inputs = try DailyInputs(
      accepted: .init(.postbacks, at: [out]),
      events: .init(.events, at: [out]),
      rejects: .init(.rejects, at: [out])
    )
    inputs.currency = try ReportCurrency("USD", loading: report.folder.path("rates.csv"))
    inputs.costs = try Costs(loading: report.folder.path("more.csv"), lookups.networks)
    let daily = try await Daily(inputs, lookups, DailySettings(TableEncoding([.jsonLines])), in: out, jobs: 1)
    let problems = try #require(daily.missingRates).problems.map(\.description)
    #expect(problems.count == 2)
    #expect(problems[0].contains("rates.csv: There is no rate of CHF on 2026-03-06"))
    #expect(problems[0].hasSuffix("This is about 1 row of costs."))
    #expect(problems[1].hasSuffix("This is about 2 postbacks."))
  }

  @Test func `sums over a dimension are the same as without it`() async throws {
    let report = try CostReport()
    try report.write(
      (0..<50).map { number in
        Postback(
          campaign: "\(number % 7)",
          installed: "2026-03-0\(6 + number % 2)T00:00:00Z",
          revenue: ("0.00000\(1 + number % 9)", "0", "0.00001"),
          currency: ["EUR", "GBP", "USD"][number % 3]
        )
      }
    )
    func revenue(_ dimensions: Set<DailyDimension>) async throws -> [String: Amount] {
      try await report.report(rates: Self.rates) { $0.dimensions = dimensions }
      var sums: [String: Amount] = [:]
      for row in try report.rows() {
        let amount = row[.revenue].flatMap { Amount(written: $0.utf8.span) } ?? .zero
        sums[row[.dateType] ?? "", default: .zero] += amount
      }
      return sums
    }
    let whole = try await revenue([])
    #expect(whole["received"] == whole["install"])
    #expect(try await revenue([.campaignID]) == whole)
    #expect(try await revenue([.campaignID, .networkName, .appID]) == whole)
  }
}
