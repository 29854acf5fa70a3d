import DerivedTables
import DurableFiles
import JSON
import PostbackLookup
import Tables
import TestSupport
import Testing

@testable import PostbackView

@Suite struct `The rows behind a sum` {
  private static let keys = ["1", "2", "3"].map { String(repeating: "0", count: 31) + $0 }

  /// An output with the lines of some tables.
  private func output(_ tables: [String: String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (table, lines) in tables {
      _ = try DurableFolder(making: folder.path("out/\(table)"))
      try folder.makeFile("out/\(table)/part-00000001.jsonl", holding: Array(lines.utf8))
    }
    return folder
  }

  @Test func `have the values of the copy that decides, also where it has none`() async throws {
    let keys = Self.keys
    let first = """
      "received_at":"2026-03-10T06:00:00Z","conversion_value":12,"coarse_conversion_value":"low",\
      "estimated_install_date":"2026-03-06T18:00:00Z","skan_revenue":5,"currency":"EUR"
      """
    let postbacks = keys.map { #"{"postback_key":"\#($0)",\#(first)}"# + "\n" }.joined()
    let settled = [
      #"{"postback_key":"\#(keys[0])","effective_decode_status":"null"}"#,
      #"{"postback_key":"\#(keys[1])","effective_conversion_value":3,"effective_revenue":1,"effective_currency":"EUR"}"#,
    ].map { $0 + "\n" }.joined()
    let folder = try output(["skan_postbacks": postbacks, "skan_settled": settled])
    let out = folder.path("out")
    let query = try CampaignRows(ViewParameters(""))
    let page = try await query.page(
      of: LookupPart.complete(of: .postbacks, in: out),
      DerivedSnapshot(of: out),
      seesRevenue: true
    )
    let rows = page.rows.map(JSONValue.object)
      .sorted { $0["postback_key"]?.text ?? "" < $1["postback_key"]?.text ?? "" }
    func all(_ name: String) -> [String] { rows.map { $0[name].map { "\($0)" } ?? "" } }
    #expect(all("value") == ["null", "3", "12"])
    #expect(all("coarse_value") == ["null", "null", #""low""#])
    #expect(all("install_date") == ["null", "null", #""2026-03-06""#])
    #expect(all("revenue").first == "null" && all("currency") == ["null", #""EUR""#, #""EUR""#])
  }

  @Test(arguments: ["where=campaign_id:nonsense", "where=country:DE&where=app_id:1"])
  func `are refused under conditions on a table that the output does not have`(_ address: String) throws {
    let folder = try output(["skan_settled": ""])
    let query = try CampaignRows(ViewParameters(address))
    do {
      try query.needTables(of: DerivedSnapshot(of: folder.path("out")), output: "o", options: " --state s")
      Issue.record("The question is not refused.")
    } catch let defect as ViewDefect {
      let command = "postback enrich 'o' --lookups DIR --state s"
      #expect(defect.reason.hasSuffix("has no skan_enriched. Make it with: \(command)"))
    }
  }

  @Test(arguments: [
    ("where=campaign_id:7", ["1"]), ("where=campaign_id:7&where=forwarder:a", ["1"]),
    ("where=forwarder:a", ["1", "2"]),
    ("where=app_id:1", ["1", "3"]), ("", ["1", "2", "3"]),
  ]) func `meet all conditions, also where a derived table is older`(_ address: String, _ found: [String]) async throws
  {
    let keys = Self.keys
    let folder = try output([
      "skan_postbacks": keys.enumerated().map { #"{"postback_key":"\#($1)","app_id":\#($0 % 2 + 1)}"# + "\n" }
        .joined(),
      "skan_settled": keys.prefix(2).map { #"{"postback_key":"\#($0)","effective_forwarder":"a"}"# + "\n" }.joined(),
      "skan_enriched": #"{"postback_key":"\#(keys[0])","campaign_id":"7"}"# + "\n",
    ])
    let (out, query) = (folder.path("out"), try CampaignRows(ViewParameters(address)))
    let snapshot = try DerivedSnapshot(of: out)
    try query.needTables(of: snapshot, output: "o", options: "")
    let page = try await query.page(of: LookupPart.complete(of: .postbacks, in: out), snapshot, seesRevenue: true)
    let shown = page.rows.compactMap { JSONValue.object($0)["postback_key"]?.text }
    #expect(shown.sorted().map { String($0.suffix(1)) } == found)
  }

  @Test func `can be selected by what the tables of the output have`() throws {
    let plain = try CampaignRows.dimensions(with: nil)
    #expect(plain.contains("app_id") && !plain.contains("campaign_id") && !plain.contains("forwarder"))
    let folder = try output(["skan_enriched": "", "skan_settled": ""])
    let all = try CampaignRows.dimensions(with: DerivedSnapshot(of: folder.path("out")))
    #expect(all.count == 22 && plain.allSatisfy(all.contains))
  }
}
