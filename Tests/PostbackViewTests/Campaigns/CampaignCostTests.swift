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

  private func answer(_ parameters: String, _ rows: [String]) async throws -> JSONValue {
    let store = try await DailyStore.holding(rows, settings: Self.settings, dimensions: Self.dimensions)
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

  @Test func `have ratios that are rounded as those of the table`() async throws {
    let rows = [row("1", app: 7, revenue: 1, installs: 50, cost: "100.000025")]
    #expect(try await answer("by=campaign_id", rows)["total"]?["ecpi"]?.text == "2")
  }
}
