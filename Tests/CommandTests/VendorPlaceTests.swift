import JSON
import TestSupport
import Testing

/// The columns and the frameworks by which exports of vendors are compared.
@Suite struct `Places of exports` {
  private let folder: TemporaryFolder
  private var out: String { folder.path("out") }

  init() throws { folder = try TemporaryFolder() }

  private func compared(
    _ text: String,
    _ options: [String] = []
  ) async throws -> (rows: [[String]], report: JSONValue) {
    let path = try folder.makeFile("house.csv", holding: Array(text.utf8))
    let imported = try await BuiltCommand.run(["import", path, "--vendor", "house", "--out", out])
    #expect(imported.status == 0, "\(imported.errorText)")
    let result = try await BuiltCommand.run(["daily", out, "--json"] + options)
    #expect(result.status == 0, "\(result.errorText)")
    let rows = Object.lines(try folder.contents(of: "out/skan_vendor_daily/part-00000001.jsonl"))
    return (
      rows.map { row in ["campaign_id", "source_identifier", "imported", "verified"].map { row[$0] ?? "" } },
      try JSONValue(parsing: result.output)["vendors"]?.elements?.first ?? .null
    )
  }

  @Test func `are those of the campaign, or of the source identifier, or of both, as the vendor has them`() async throws
  {
    let postbacks = try folder.makeFile(
      "dump.jsonl",
      holding: Array([RealPostback.v3, .v4].map(\.object.text).joined(separator: "\n").utf8)
    )
    let words = ["run", postbacks, "--received-at", "2026-03-05T10:00:00Z", "--out", out]
    #expect(try await BuiltCommand.run(words).status == 0)
    let accepted = Object.lines(try folder.contents(of: "out/skan_postbacks/part-00000001.jsonl"))
    #expect(accepted.count == 2)
    let lines = accepted.map { row in
      [
        "2026-03-05", row["app_id"], row.string("ad_network_id"), row.string("campaign_id") ?? row["campaign_id"],
        row.string("source_identifier"),
      ].map { $0 == nil || $0 == "null" ? "" : $0 ?? "" }
    }
    func text(_ places: [Int], _ names: String) -> String {
      "\(names)\n" + lines.map { line in places.map { line[$0] }.joined(separator: ",") + ",1\n" }.joined()
    }
    let campaigns = try await compared(text([0, 1, 2, 3], "date,app,ad_network_id,campaign_id,count"))
    #expect(campaigns.rows.allSatisfy { $0[1] == "null" && $0[2] == $0[3] }, "\(campaigns.rows)")
    let columns = campaigns.report["compared_by"]?.elements?.compactMap(\.text)
    #expect(columns == ["date", "app_id", "ad_network_id", "campaign_id"], "\(campaigns.report)")
    let sources = try await compared(text([0, 1, 2, 4], "date,app,ad_network_id,source_identifier,count"))
    #expect(sources.rows.allSatisfy { $0[0] == "null" && $0[2] == $0[3] }, "\(sources.rows)")
    let both = try await compared(text([0, 1, 2, 3, 4], "date,app,ad_network_id,campaign_id,source_identifier,count"))
    #expect(both.rows.allSatisfy { $0[2] == $0[3] } && both.rows.count >= sources.rows.count, "\(both.rows)")
  }

  @Test func `are of SKAdNetwork alone if each row has a version of it`() async throws {
    let reporting = folder.path("reporting")
    let dump = try await GeneratedDump(
      count: 1500,
      seed: 4,
      options: ["--campaigns", "6", "--days", "9", "--reporting", reporting]
    )
    let path = try folder.makeFile("dump", holding: dump.bytes)
    let words = ["run", path, "--format", "both", "--out", out, "--models", "\(reporting)/models"] + dump.keys
    #expect(try await BuiltCommand.run(words).status == 0)
    let text = String(decoding: try folder.contents(of: "out/skan_postbacks/part-00000001.csv"), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    let names = try #require(lines.first).split(separator: ",").map(String.init)
    let (framework, version) = (names.firstIndex(of: "framework"), names.firstIndex(of: "version"))
    let rows = lines.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    var skan = rows.filter { $0[framework ?? 0] == "skadnetwork" }
    #expect(!skan.isEmpty && skan.count < rows.count)
    func difference() async throws -> Int64? {
      let export = ([names] + skan).map { $0.joined(separator: ",") }.joined(separator: "\n")
      let report = try await compared(export + "\n", ["--environment", "custom"]).report
      #expect((report["imported"]?.integer ?? 0) > 0)
      return report["difference"]?.integer
    }
    #expect(try await difference() == 0)
    skan[0][version ?? 0] = ""
    #expect(try await difference() ?? 0 < 0)
  }
}
