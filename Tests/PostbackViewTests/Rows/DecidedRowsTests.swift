import DerivedTables
import DurableFiles
import JSON
import PostbackLookup
import Tables
import TestSupport
import Testing

@testable import PostbackView

@Suite struct `The rows behind a sum` {
  @Test func `have the values of the copy that decides, also where it has none`() async throws {
    let folder = try TemporaryFolder()
    let keys = ["1", "2", "3"].map { String(repeating: "0", count: 31) + $0 }
    let first = """
      "received_at":"2026-03-10T06:00:00Z","conversion_value":12,"coarse_conversion_value":"low",\
      "estimated_install_date":"2026-03-06T18:00:00Z","skan_revenue":5,"currency":"EUR"
      """
    let postbacks = keys.map { #"{"postback_key":"\#($0)",\#(first)}"# + "\n" }.joined()
    let settled = [
      #"{"postback_key":"\#(keys[0])","effective_decode_status":"null"}"#,
      #"{"postback_key":"\#(keys[1])","effective_conversion_value":3,"effective_revenue":1,"effective_currency":"EUR"}"#,
    ].map { $0 + "\n" }.joined()
    for (table, lines) in [("skan_postbacks", postbacks), ("skan_settled", settled)] {
      _ = try DurableFolder(making: folder.path("out/\(table)"))
      try folder.makeFile("out/\(table)/part-00000001.jsonl", holding: Array(lines.utf8))
    }
    let out = folder.path("out")
    let query = try CampaignRows(ViewParameters(""), limit: 10, most: 10)
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
}
