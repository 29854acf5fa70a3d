import ConversionModel
import DerivedTables
import JSON
import Reporting
import TestSupport
import Testing

@testable import PostbackView

@Suite struct `Costs of campaigns` {
  private static let dimensions = "network_name;campaign_id;app_id"
  private static let settings = "currency=USD"

  private func row(_ campaign: String, app: Int?, revenue: Int? = nil, installs: Int = 0, cost: String?) -> String {
    var members = [#""network_name":"a","campaign_id":"\#(campaign)","installs":\#(installs)"#]
    if let app { members.append(#""app_id":\#(app)"#) }
    if let revenue { members.append(#""currency":"USD","revenue":\#(revenue)"#) }
    if let cost { members.append(#""cost":\#(cost),"cost_currency":"USD""#) }
    if app == nil { members.append(#""cost_level":"parent""#) }
    return members.joined(separator: ",")
  }

  private func answer(
    _ parameters: String,
    _ rows: [String],
    dimensions: String = Self.dimensions
  ) async throws -> JSONValue {
    let store = try await DailyStore.holding(rows, settings: Self.settings, dimensions: dimensions)
    let query = try CampaignQuery(ViewParameters(parameters), store.dimensions, limit: nil)
    return .object(try CampaignAnswer(query, store, seesRevenue: true).members)
  }

  private func notes(_ answer: JSONValue) -> [String] {
    guard case .array(let notes)? = answer["notes"] else { return [] }
    return notes.compactMap(\.text)
  }

  @Test func `are the same in the page and in the report, with those that are not of one app`() async throws {
    let rows = [
      row("1", app: 7, revenue: 500, installs: 10, cost: "100"), row("1", app: nil, cost: "300"),
      row("2", app: nil, cost: "40"), row("3", app: 7, revenue: 9, installs: 4, cost: "-20"),
      row("4", app: 7, revenue: 9, installs: 4, cost: "0"), row("5", app: 7, revenue: 9, installs: 4, cost: nil),
    ]
    let folder = try TemporaryFolder(holdingDaily: rows, settings: Self.settings, dimensions: Self.dimensions)
    let report = try #require(try await BusinessReport(of: DerivedSnapshot(of: folder.path("out")), jobs: 1))
    let campaigns = report.sums { $0.campaign }
    let answer = try await answer("by=campaign_id&sort=campaign_id", rows)
    guard case .array(let found)? = answer["rows"] else {
      Issue.record("The answer has no rows.")
      return
    }
    #expect(found.map { $0["cost"]?.text } == ["400", "40", "-20", "0", nil])
    for one in found {
      let sums = try #require(campaigns[one["campaign_id"]?.text])
      #expect(sums.cost?.description == one["cost"]?.text && Int64(sums.installs) == one["installs"]?.integer)
    }
    #expect(report.total.cost?.description == answer["total"]?["cost"]?.text)
    // The ratios of a sum are of the same campaigns: of those with a cost that is not 0.
    let priced = campaigns.values.filter(\.hasCost).reduce(into: BusinessReport.Sums()) { $0 += $1 }
    #expect(priced.cost == Amount(420) && priced.revenue == Amount(509) && priced.installs == 14)
    #expect(answer["total"]?["roas"]?.text == "1.211905" && answer["total"]?["ecpi"]?.text == "30")
  }

  @Test func `of 0 or less in all have no ratios`() async throws {
    let rows = [
      row("1", app: 7, revenue: 500, installs: 10, cost: "50"), row("3", app: 7, revenue: 9, installs: 4, cost: "-50"),
    ]
    let answer = try await answer("by=campaign_id", rows)
    #expect(answer["total"]?["cost"]?.text == "0")
    #expect(answer["total"]?["roas"]?.text == nil && answer["total"]?["ecpi"]?.text == nil)
  }

  @Test func `are named where a choice of an app leaves them out`() async throws {
    let rows = [row("1", app: 7, revenue: 500, installs: 10, cost: "100"), row("1", app: nil, cost: "300")]
    let chosen = try await answer("by=campaign_id&where=app_id:7", rows)
    #expect(chosen["total"]?["cost"]?.text == "100")
    #expect(notes(chosen).contains { $0.contains("are in no row and no return: 300 USD") })
    let other = try await answer("by=campaign_id&where=campaign_id:1", rows)
    #expect(other["total"]?["cost"]?.text == "400" && !notes(other).contains { $0.contains("in no row") })
  }

  @Test func `are named where a choice leaves them out of the compared period`() async throws {
    let rows = [
      row("1", app: 7, revenue: 500, installs: 10, cost: "100"),
      #""date":"2026-03-01","# + row("1", app: nil, cost: "300"),
    ]
    let periods = "since=2026-03-06&until=2026-03-07&compare_since=2026-03-01&compare_until=2026-03-02"
    let chosen = notes(try await answer("by=campaign_id&where=app_id:7&\(periods)", rows))
    #expect(chosen.filter { $0.contains("in no row and no return") }.count == 1)
    #expect(
      chosen.contains {
        $0.hasPrefix("Costs of the compared period that") && $0.hasSuffix("are in no row and no return: 300 USD.")
      }
    )
    let all = notes(try await answer("by=campaign_id&\(periods)", rows))
    #expect(!all.contains { $0.contains("in no row") })
  }

  /// Campaigns in two countries and apps: 1 has costs of each country, 2 one that is not divided, 3 both, and 4 one of another country
  /// than its installs.
  private static let divided: [String] =
    [
      ("1", "DE", 7, 10, "50"), ("1", "FR", 7, 20, "40"), ("2", "DE", 7, 30, nil), ("2", "DE", 8, 3, nil),
      ("2", nil, 8, 5, nil), ("3", "FR", 8, 6, "6"), ("3", "DE", 8, 7, nil), ("4", "DE", 8, 8, nil),
    ].map { campaign, country, app, installs, cost in
      #""network_name":"a","campaign_id":"\#(campaign)","app_id":\#(app),"installs":\#(installs),"currency":"USD","#
        + #""revenue":\#(installs),"revenue_min":1,"revenue_max_closed":\#(2 * installs)"#
        + (country.map { #","country":"\#($0)""# } ?? "")
        + (cost.map { #","cost":\#($0),"cost_currency":"USD""# } ?? "")
    }
    + [
      #""campaign_id":"2","app_id":7,"cost":200,"cost_level":"parent""#,
      #""campaign_id":"3","country":"FR","cost":3,"cost_level":"parent""#,
      #""campaign_id":"3","cost":90,"cost_level":"parent""#,
      #""campaign_id":"4","app_id":8,"country":"FR","installs":0,"cost":9"#,
    ].map { #""network_name":"a","cost_currency":"USD","# + $0 }

  private static let ratios = ["ecpi", "roas", "roas_min", "roas_max"]

  @Test(arguments: ["country", "app_id", "campaign_id", "network_name"])
  func `have the ratios of a value by a dimension that the total has under the condition`(_ by: String) async throws {
    let dimensions = "\(Self.dimensions);country"
    let answer = try await answer("by=\(by)", Self.divided, dimensions: dimensions)
    let rows = try #require(answer["rows"]?.elements)
    for row in rows {
      let ratios = Self.ratios.map { row[$0]?.text }
      if row["cost_level"]?.text == "parent" {
        #expect(row["cost"]?.text != nil && ratios.allSatisfy { $0 == nil })
        continue
      }
      let value = row[by].flatMap { $0.text ?? $0.integer.map { "\($0)" } } ?? ""
      let chosen = try await self.answer("by=\(by)&where=\(by):\(value)", Self.divided, dimensions: dimensions)["total"]
      #expect(Self.ratios.map { chosen?[$0]?.text } == ratios, "\(by):\(value)")
      #expect(chosen?["cost"]?.text == row["cost"]?.text && chosen?["installs"] == row["installs"])
    }
    // The total sets all costs against all that they brought.
    #expect(answer["total"]?["cost"]?.text == "398" && answer["total"]?["ecpi"]?.text == "4.47191")
  }

  @Test func `leave the campaigns of a cost that is not divided out of the ratios of other rows`() async throws {
    let answer = try await answer("by=country&sort=country", Self.divided, dimensions: "\(Self.dimensions);country")
    let rows = answer["rows"]?.elements ?? []
    #expect(rows.map { $0["country"]?.text } == ["DE", "FR", nil, nil])
    #expect(rows.map { $0["ecpi"]?.text } == ["5", "2.230769", nil, nil])
    #expect(rows.map { $0["installs"]?.integer } == [58, 26, 5, nil])
    #expect(notes(answer).contains { $0.contains("53 of 89 installs are of campaigns whose costs are in other rows") })
  }

  @Test func `are left out by a condition on what they are not divided by, also on rows without a value`() async throws
  {
    for condition in ["country:", "country:!DE", "country:!FR"] {
      let answer = try await answer("where=\(condition)", Self.divided, dimensions: "\(Self.dimensions);country")
      #expect(notes(answer).contains { $0.contains("are in no row and no return: 290 USD") }, "\(condition)")
    }
  }

  @Test func `have ratios that are rounded as those of the table`() async throws {
    let rows = [row("1", app: 7, revenue: 1, installs: 50, cost: "100.000025")]
    #expect(try await answer("by=campaign_id", rows)["total"]?["ecpi"]?.text == "2")
  }
}
