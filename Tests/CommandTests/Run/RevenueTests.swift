@testable import ConversionModel
@testable import PostbackPipeline
import Foundation
import JSON
import TestSupport
import Testing

@testable import postback

/// Decoded revenue of windows that include the windows before, and of those that do not.
@Suite struct `Revenue of several windows` {
  /// The windows after the first that are cumulative, and whether the highest coarse value has an upper limit.
  struct Models: CustomTestStringConvertible {
    let cumulative: Set<Int>
    let isOpen: Bool

    var testDescription: String { "\(cumulative.sorted()) cumulative, \(isOpen ? "open" : "closed")" }

    static let all = [Set<Int>(), [1], [2], [1, 2]].flatMap { windows in
      [false, true].map { Models(cumulative: windows, isOpen: $0) }
    }

    /// A model of an app, whose fine value n is revenue from n to n + 1.
    func text(app: Int, currency: String) -> String {
      func event(_ least: Int, _ most: String, _ more: String = "") -> String {
        #"[{"event":"purchase","min_revenue":\#(least),"max_revenue":\#(most)\#(more)}]"#
      }
      let high = isOpen ? event(40, "null", #","value":60"#) : event(40, "80")
      let coarse = #"{"low":\#(event(2, "4")),"medium":\#(event(4, "40")),"high":\#(high)}"#
      let fine = (0...63).map { "\"\($0)\":\(event($0, "\($0 + 1)"))" }.joined(separator: ",")
      let windows = (0...2).map { window in
        #"{"postback_sequence_index":\#(window),"cumulative":\#(cumulative.contains(window)),"#
          + (window == 0 ? #""fine":{\#(fine)},"# : "") + #""coarse":\#(coarse)}"#
      }
      return """
        {"app_id":\(app),"model_id":"revenue","version":1,"effective_from":null,"effective_to":null,\
        "currency":"\(currency)","windows":[\(windows.joined(separator: ","))]}
        """
    }
  }

  /// A run over postbacks of two apps, whose models are in two currencies.
  private struct Site {
    let folder: TemporaryFolder
    let out: String
    let keys: [String]

    init(_ models: Models) async throws {
      folder = try TemporaryFolder()
      out = folder.path("out")
      let model = [models.text(app: 1001, currency: "USD"), models.text(app: 1002, currency: "EUR")]
      let file = try folder.makeFile("models.json", holding: Array("[\(model.joined(separator: ","))]".utf8))
      let generated = try await BuiltCommand.run([
        "generate", "--count", "600", "--seed", "11", "--envelopes", "--valid-only", "--versions", "4.0=3,aak=1,3.0=1",
        "--windows", "0=1,1=1,2=1", "--tiers", "1=1,3=3", "--app", "1001", "--app", "1002",
        "--out", folder.path("dump"), "--keys", folder.path("keys"),
      ])
      #expect(generated.status == 0, "\(generated.errorText)")
      keys = try folder.words(of: "keys")
      let run = try await BuiltCommand.run(
        ["run", folder.path("dump"), "--models", file, "--format", "both", "--out", out] + keys
      )
      #expect(run.status == 0, "\(run.errorText)")
    }

    func rows(_ table: String) throws -> [JSONObject] {
      try JSONObject.lines(try folder.contents(of: "out/\(table)/part-00000001.jsonl"))
    }
  }

  @Test(arguments: Models.all) func `is never added to the revenue of earlier windows that it includes`(
    _ models: Models
  ) async throws {
    let site = try await Site(models)
    let rows = try site.rows("skan_postbacks")
    for row in rows {
      let window = row.integer("postback_sequence_index") ?? 0
      let isDecoded = row.cell("decode_status") == "decoded"
      #expect(row["cumulative"] == (isDecoded ? .bool(models.cumulative.contains(window)) : .null))
    }
    for event in try site.rows("skan_events") {
      #expect(event["cumulative"] == .bool(models.cumulative.contains(event.integer("postback_sequence_index") ?? 0)))
    }

    let page = try await BuiltCommand.run(["report", site.out, "--html", "-"]).text
    let reported = try #require(ReportedTable("Decoded revenue by app", in: page)).rows
    #expect(Set(reported.map { $0[1] }) == ["USD", "EUR"])
    for cells in reported {
      let own = rows.filter { $0.cell("app_id") == cells[0] && $0.cell("currency") == cells[1] }
      #expect(cells[2] == "\(own.count)" && own.count > 100)
      let isOpen = own.contains { $0["max_revenue"] == .null }
      #expect(isOpen == models.isOpen)
      #expect(Double(cells[4]) == sum("skan_revenue", of: own))
      #expect(Double(cells[5]) == sum("min_revenue", of: own))
      #expect(cells[6] == "open" ? isOpen : Double(cells[6]) == sum("max_revenue", of: own))
      #expect(Double(cells[5]) ?? 1 <= Double(cells[4]) ?? 0)
    }
    #expect(page.contains("of both sums the larger is taken") == !models.cumulative.isEmpty)
  }

  /// The sum of a column over windows, by groups of users, in a simple reference implementation.
  private func sum(_ column: String, of rows: [JSONObject]) -> Double {
    let groups = Dictionary(grouping: rows) { [$0.cell("ad_network_id"), $0.cell("conversion_type")] }
    return groups.values.reduce(0) { total, rows in
      var sum = 0.0
      for window in 0...2 {
        let own = rows.filter { ($0.integer("postback_sequence_index") ?? 0) == window }
        let amount = own.reduce(0) { $0 + (Double($1.cell(column) ?? "") ?? 0) }
        sum = own.contains { $0["cumulative"] == .bool(true) } ? max(sum, amount) : sum + amount
      }
      return total + sum
    }
  }

  @Test func `has its column in CSV and in explanations too`() async throws {
    let site = try await Site(Models(cumulative: [1], isOpen: false))
    let header = "currency,cumulative,"
    for table in ["skan_postbacks", "skan_events"] {
      let text = String(decoding: try site.folder.contents(of: "out/\(table)/part-00000001.csv"), as: UTF8.self)
      #expect(text.contains(header) && text.contains(",USD,true,") && text.contains(",EUR,false,"))
    }
    let row = try #require(try site.rows("skan_postbacks").first { $0["cumulative"] == .bool(true) })
    let line = try #require(row.cell("source_line"))
    let explained = try await BuiltCommand.run(
      ["explain", site.folder.path("dump"), "--line", line, "--models", site.folder.path("models.json"), "--json"]
        + site.keys
    )
    #expect(try JSONValue(parsing: explained.output)["conversion"]?["cumulative"]?.text == "true")
  }

  @Test func `is ambiguous if models agree on the value but not on its window being cumulative`() async throws {
    let folder = try TemporaryFolder()
    func model(_ version: Int, _ span: String, _ isCumulative: Bool) -> String {
      """
      {"app_id":525463029,"model_id":"revenue","version":\(version),\(span),"currency":"USD","windows":[\
      {"postback_sequence_index":0,"cumulative":\(isCumulative),"coarse":{"high":[{"event":"purchase","min_revenue":5,\
      "max_revenue":10}],"medium":[],"low":[]},"fine":{"20":[{"event":"purchase","min_revenue":5,"max_revenue":10}]}}]}
      """
    }
    for (isCumulative, status) in [(false, "decoded"), (true, "ambiguous")] {
      let time = "2026-03-06T12:00:00Z"
      let models = [
        model(1, #""effective_from":null,"effective_to":"\#(time)""#, false),
        model(2, #""effective_from":"\#(time)","effective_to":null"#, isCumulative),
      ]
      let file = try folder.makeFile("models.json", holding: Array("[\(models.joined(separator: ","))]".utf8))
      let result = try await BuiltCommand.run(
        ["explain", "--models", file, "--received-at", "2026-03-10T00:00:00Z", "--json"],
        input: Fixtures.lines("postbacks/skadnetwork-4.0.jsonl")[1]
      )
      let conversion = try JSONValue(parsing: result.output)["conversion"]
      #expect(conversion?["decode_status"]?.text == status, "\(result.text)")
    }
  }
}
