import JSON
import Testing

@testable import PostbackView

@Suite struct `The revenue of all windows of campaigns` {
  /// Campaigns with rows of several windows; that of b has no row of window 0.
  private let rows: [String] = [
    #""network_name":"a","country":"DE","postbacks":3,"revenue":5,"currency":"USD","revenue_all_windows":7"#,
    #""network_name":"a","country":"DE","postback_sequence_index":1,"postbacks":1,"revenue":2,"currency":"USD""#,
    #""network_name":"a","postback_sequence_index":1,"postbacks":1,"revenue":3,"currency":"USD","revenue_all_windows":3"#,
    #""network_name":"b","postback_sequence_index":2,"postbacks":1,"revenue":2,"currency":"USD","revenue_all_windows":2"#,
    #""network_name":"b","postback_sequence_index":2,"date":"2026-03-01","postbacks":1,"currency":"USD","revenue_all_windows":4"#,
    #""network_name":"c","postback_sequence_index":1,"postbacks":2"#,
    #""network_name":"a","date_type":"received","postback_sequence_index":2,"postbacks":6"#,
  ]

  private func answer(_ query: String, _ rows: [String], seesRevenue: Bool = true) async throws -> CampaignAnswer {
    let store = try await DailyStore.holding(rows, settings: "currency=USD", dimensions: "network_name;country")
    let query = try CampaignQuery(ViewParameters(query), store.dimensions, limit: nil)
    return try CampaignAnswer(query, store, seesRevenue: seesRevenue)
  }

  private func texts(_ name: String, _ answer: CampaignAnswer) -> [String?] {
    let members = JSONValue.object(answer.members)
    return ((members["rows"]?.elements ?? []) + [members["total"] ?? .null]).map { $0[name]?.text }
  }

  @Test(arguments: [
    ("0", ["a", "b"], ["5", nil, "5"], true), ("1", ["a", "b", "c"], ["5", nil, nil, "5"], true),
    ("2", ["a", "b"], [nil, "2", "2"], true), ("all", ["a", "b", "c"], ["10", "2", nil, "12"], false),
  ]) func `are the same whatever window the other columns are of`(
    _ window: String,
    _ networks: [String?],
    _ revenue: [String?],
    _ isNoted: Bool
  ) async throws {
    let answer = try await answer("by=network_name&sort=network_name&since=2026-03-02&window=\(window)", rows)
    #expect(texts("network_name", answer).dropLast() == networks[...])
    #expect(texts("revenue", answer) == revenue)
    #expect(texts("revenue_all_windows", answer) == ["10", "2"] + networks.dropFirst(2).map { _ in nil } + ["12"])
    let notes = JSONValue.object(answer.members)["notes"]?.elements ?? []
    #expect(notes.contains { $0.text?.contains("nothing but revenue_all_windows") == true } == isNoted)
  }

  @Test func `follow the filters, and are compared with those of the other period`() async throws {
    let filtered = try await answer("by=network_name&where=country:DE", rows)
    #expect(texts("revenue_all_windows", filtered) == ["7", "7"])
    let periods = "since=2026-03-06&until=2026-03-07&compare_since=2026-03-01&compare_until=2026-03-02"
    let answer = try await answer("by=network_name&sort=-revenue_all_windows&\(periods)", rows)
    #expect(texts("network_name", answer) == ["a", "b", nil])
    #expect(texts("revenue_all_windows", answer) == ["10", "2", "12"])
    let total = JSONValue.object(answer.members)["total"]
    #expect(total?["before"]?["revenue_all_windows"]?.text == "4")
  }

  @Test func `are not known if those of a later window are in several currencies`() async throws {
    let several =
      #""network_name":"a","postback_sequence_index":2,"revenue_by_currency":{"EUR":1,"USD":1},"revenue_basis":"sum""#
    let answer = try await answer("by=network_name&since=2026-03-02", rows + [several])
    #expect(texts("revenue_all_windows", answer) == [nil, "2", nil])
    #expect(texts("revenue", answer) == ["5", nil, "5"])
  }

  @Test func `are no rows for those who may not see revenue`() async throws {
    let answer = try await answer("by=network_name", rows, seesRevenue: false)
    #expect(texts("network_name", answer) == ["a", nil])
  }
}
