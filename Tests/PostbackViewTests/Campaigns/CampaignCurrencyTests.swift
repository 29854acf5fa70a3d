import JSON
import Testing

@testable import PostbackView

@Suite struct `Sums of campaigns in several currencies` {
  /// The answer to a question about rows of `skan_daily` in the first window.
  private func answer(_ by: String, _ rows: [String], settings: String, dimensions: String) async throws -> JSONValue {
    let store = try await DailyStore.holding(rows, settings: settings, dimensions: dimensions)
    let query = try CampaignQuery(ViewParameters("by=\(by)"), store.dimensions, limit: nil)
    return .object(try CampaignAnswer(query, store, seesRevenue: true).members)
  }

  private func texts(_ name: String, _ answer: JSONValue) -> [String?] {
    guard case .array(let rows)? = answer["rows"] else { return [] }
    return rows.map { $0[name]?.text } + [answer["total"]?[name]?.text]
  }

  private func notes(_ answer: JSONValue) -> [String] {
    guard case .array(let notes)? = answer["notes"] else { return [] }
    return notes.compactMap(\.text)
  }

  @Test func `with an amount that has no exchange rate is not known`() async throws {
    let usual = #""currency":"USD","cost":10,"cost_currency":"USD","installs":"#
    let rows = [
      #""network_name":"a","revenue":5,"revenue_min":4,"revenue_max_closed":6,"modelled_revenue":6,\#(usual)3"#,
      #""network_name":"b","revenue":5,"revenue_min":4,"revenue_max_closed":6,\#(usual)2"#,
      #""network_name":"b","unconverted_rows":4,"revenue_by_currency":{"EUR":0.125,"USD":1},\#(usual)0"#,
      #""network_name":"c","decoded":0,"unconverted_rows":0,\#(usual)1"#,
      #""network_name":"d","installs":0,"cost_by_currency":{"CHF":7}"#,
    ]
    let answer = try await answer("network_name", rows, settings: "currency=USD", dimensions: "network_name")
    #expect(texts("revenue", answer) == ["5", nil, nil, nil, nil])
    #expect(texts("revenue_max", answer) == ["6", nil, nil, nil, nil])
    #expect(texts("modelled_revenue", answer) == ["6", nil, nil, nil, nil])
    #expect(texts("roas", answer) == ["0.5", nil, nil, nil, nil])
    #expect(texts("cost", answer) == ["10", "20", "10", nil, nil])
    #expect(texts("ecpi", answer) == ["3.333333", "10", "10", nil, nil])
    #expect(answer["total"]?["unconverted_rows"] == .integer(4))
    #expect(notes(answer).count == 2)
    #expect(notes(answer).first?.hasPrefix("Revenue of 0.125 EUR (1 row of skan_daily) has no exchange rate") == true)
    #expect(notes(answer).last?.hasPrefix("Cost of 7 CHF (1 row of skan_daily) has no exchange rate") == true)
  }

  @Test func `says how many nulls have no estimate`() async throws {
    let rows = [
      #""network_name":"a","currency":"USD","revenue":5,"modelled_revenue":6,"nulls":3"#,
      #""network_name":"b","currency":"USD","revenue":5,"nulls":4"#,
    ]
    let answer = try await answer("network_name", rows, settings: "currency=USD", dimensions: "network_name")
    #expect(answer["total"]?["modelled_revenue"] == .string("11"))
    #expect(notes(answer).map { $0.contains("no estimate for 4 of 7 nulls") } == [true])
  }

  @Test func `is the same by more dimensions as by one`() async throws {
    let apart = [
      #""network_name":"a","app_id":1,"currency":"USD","revenue":5,"decoded":2,"cost":2,"cost_currency":"USD""#,
      #""network_name":"a","app_id":2,"currency":"EUR","revenue":3,"decoded":1,"cost":1,"cost_currency":"EUR""#,
      #""network_name":"b","app_id":1,"currency":"USD","revenue":2,"decoded":1"#,
    ]
    let together = [
      #""network_name":"a","revenue_by_currency":{"EUR":3,"USD":5},"decoded":3,"cost_by_currency":{"EUR":1,"USD":2}"#,
      apart[2].replacing(#""app_id":1,"#, with: ""),
    ]
    let fine = try await answer(
      "network_name",
      apart,
      settings: "currency=",
      dimensions: "app_id;network_name"
    )
    let coarse = try await answer("network_name", together, settings: "currency=", dimensions: "network_name")
    for answer in [fine, coarse] {
      #expect(answer["currency"] == .string("USD"))
      #expect(texts("revenue", answer).map { $0 ?? "" }.sorted() == ["2", "5", "7"])
      #expect(texts("cost", answer).compactMap(\.self) == ["2", "2"])
      // The limits are not known by currency, and a ratio would be of a part.
      #expect(texts("roas", answer).compactMap(\.self).isEmpty)
      #expect(notes(answer).first?.hasPrefix("Revenue of 3 EUR (1 row of skan_daily) is left out") == true)
      #expect(notes(answer).last?.hasPrefix("Cost of 1 EUR (1 row of skan_daily) is left out") == true)
    }
    #expect(texts("revenue_min", coarse).compactMap(\.self).isEmpty)
  }

  @Test func `have ratios to the cost of the campaigns with a cost alone`() async throws {
    let money = #""currency":"USD","revenue_min":4,"revenue_max_closed":8,"revenue":"#
    let rows = [
      #""network_name":"a","campaign_id":"1","installs":4,\#(money)5,"cost":10,"cost_currency":"USD""#,
      #""network_name":"a","campaign_id":"1","installs":1,\#(money)5,"date":"2026-03-07""#,
      #""network_name":"a","campaign_id":"2","installs":90,\#(money)500"#,
      #""network_name":"b","campaign_id":"1","installs":5,\#(money)500,"cost":0,"cost_currency":"USD""#,
    ]
    func answer(_ by: String) async throws -> JSONValue {
      try await self.answer(by, rows, settings: "currency=USD", dimensions: "network_name;campaign_id")
    }
    for by in ["network_name", "network_name,campaign_id", "campaign_id", "date"] {
      let answer = try await answer(by)
      #expect(texts("roas", answer).last == "1" && texts("ecpi", answer).last == "2")
      #expect(texts("roas_min", answer).last == "0.8" && texts("roas_max", answer).last == "1.6")
      #expect(answer["total"]?["installs"]?.integer == 100 && answer["total"]?["revenue"]?.text == "1010")
      #expect(notes(answer).contains { $0.contains("95 of 100 installs are of campaigns without one") })
    }
    #expect(try await texts("roas", answer("network_name")) == ["1", nil, "1"])
    #expect(try await texts("ecpi", answer("network_name,campaign_id")) == [nil, "2", nil, "2"])
    // A day has a ratio if it has a cost: of the campaigns that have one on any of the days.
    #expect(try await texts("ecpi", answer("date")).sorted { $0 ?? "" < $1 ?? "" } == [nil, "2", "2.5"])
  }

  @Test func `have counts beyond 32 bits`() async throws {
    let rows = [#""network_name":"a","impressions":5000000000"#, #""network_name":"a","impressions":10"#]
    let answer = try await answer("network_name", rows, settings: "currency=", dimensions: "network_name")
    #expect(answer["total"]?["impressions"]?.integer == 5_000_000_010)
  }
}
