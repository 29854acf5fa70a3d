import CampaignEnrichment
import JSON
import LookupTables
import Tables
import TestSupport
import Testing

/// `postback enrich` over the tables of the genuine postbacks.
@Suite struct EnrichTests {
  /// The folder of a run over genuine postbacks, and the arguments that enrich it.
  private func run(_ further: [String] = []) async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let arguments = ["run", Fixtures.path("postbacks"), "--received-at", "2026-03-10", "--out", folder.path("out")]
    #expect(try await BuiltCommand.run(arguments + further).status == 0)
    return folder
  }

  private func enrich(_ folder: TemporaryFolder, _ further: [String] = []) async throws -> BuiltCommand.Result {
    let lookups = Fixtures.path("lookups")
    return try await BuiltCommand.run(["enrich", folder.path("out"), "--lookups", lookups, "--json"] + further)
  }

  private func rows(_ folder: TemporaryFolder, _ table: String) throws -> [JSONValue] {
    let bytes = try folder.contents(of: "out/\(table)/part-00000001.jsonl")
    return try bytes.split(separator: UInt8(ascii: "\n")).map { try JSONValue(parsing: Array($0)) }
  }

  @Test func `each accepted postback has a row, in the same order`() async throws {
    let folder = try await run()
    let result = try await enrich(folder)
    #expect(result.status == 0, "\(result.errorText)")
    let (accepted, enriched) = (try rows(folder, "skan_postbacks"), try rows(folder, "skan_enriched"))
    #expect(enriched.map { $0["postback_key"] } == accepted.map { $0["postback_key"] })
    let summary = try JSONValue(parsing: result.output)
    #expect(summary["rows"]?.integer == Int64(accepted.count))
    for status in EnrichStatus.allCases {
      let count = enriched.count { $0["enrich_status"]?.text == status.rawValue }
      #expect(count > 0)
      #expect(summary["by_status"]?[status.rawValue]?.integer == Int64(count))
    }
    #expect(try folder.contents(of: "out/skan_enriched/_summary.json") == result.output)
  }

  @Test func `the rows and the summary are as their schemas say`() async throws {
    let folder = try await run(["--format", "both"])
    #expect(try await enrich(folder, ["--format", "both"]).status == 0)
    let (out, summary) = (folder.path("out"), folder.path("out/skan_enriched/_summary.json"))
    let arguments = [Fixtures.path("../Tests/validate.py"), out, "--enrich", summary]
    var result = try await BuiltCommand.run(executable: "/usr/bin/env", ["python3"] + arguments)
    if result.status == 77 { result = try await BuiltCommand.run(executable: "/usr/bin/python3", arguments) }
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    #expect(result.text.contains("rows valid"))
  }

  @Test func `the genuine postback of a forwarder has its campaign`() async throws {
    let folder = try await run()
    _ = try await enrich(folder)
    let row = try #require(try rows(folder, "skan_enriched").first { $0["network_name"]?.text == "TikTok" })
    let expected = [
      "campaign_id": "112233445566", "campaign_name": "a_campaign", "adgroup_name": "a_group_uid",
      "forwarded_at": "2021-06-04T08:17:43Z", "enrich_status": "unmapped", "enrich_source": "inline",
      "app_name": "Recipes",
    ]
    for (column, text) in expected { #expect(row[column]?.text == text, "\(column)") }
  }

  @Test func `a copy that a forwarder sends later names the campaign of a device's own copy`() async throws {
    let folder = try TemporaryFolder()
    let line = String(decoding: Fixtures.lines("postbacks/skadnetwork-2.1.jsonl")[2], as: UTF8.self)
    let plain = line.prefix(upTo: try #require(line.firstRange(of: ",\"adjust-campaign\"")).lowerBound)
    let direct = #"{"received_at":"2026-03-10T00:00:00Z","channel":"apple_direct","body":\#(plain)}}"#
    let later = #"{"received_at":"2026-03-11T00:00:00Z","channel":"network_forwarded","body":\#(line)}"#
    try folder.makeFile("dump.jsonl", holding: Array("\(direct)\n\(later)\n".utf8))
    let arguments = ["run", folder.path("dump.jsonl"), "--out", folder.path("out")]
    #expect(try await BuiltCommand.run(arguments).status == 0)
    let result = try await enrich(folder)
    let summary = try JSONValue(parsing: result.output)
    #expect(summary["copies_read"]?.integer == 1)
    #expect(try rows(folder, "skan_enriched").map { $0["campaign_id"]?.text } == ["112233445566"])
  }

  @Test func `the same input gives the same bytes, on any number of cores`() async throws {
    let folder = try await run()
    var outputs: Set<[UInt8]> = []
    for jobs in ["1", "2", "7"] {
      #expect(try await enrich(folder, ["--jobs", jobs, "--format", "both"]).status == 0)
      let files = ["part-00000001.jsonl", "part-00000001.csv", "_summary.json"]
      outputs.insert(try files.flatMap { try folder.contents(of: "out/skan_enriched/\($0)") })
    }
    #expect(outputs.count == 1)
    let csv = String(decoding: try folder.contents(of: "out/skan_enriched/part-00000001.csv"), as: UTF8.self)
    #expect(csv.hasPrefix(Table.enriched.columnNames.joined(separator: ",") + "\r\n"))
  }

  @Test func `another folder's own skan_settled is read before that of the output`() async throws {
    let folder = try await run()
    let (out, other) = (folder.path("out"), folder.path("other"))
    #expect(try await BuiltCommand.run(["settle", out]).status == 0)
    let first = try await enrich(folder, ["--out", other])
    #expect(first.errorText.contains("skan_settled is that of \(out), because \(other) has none."))
    #expect(try await BuiltCommand.run(["settle", out, "--out", other]).status == 0)
    #expect(try await enrich(folder, ["--out", other]).errorText.contains("skan_settled is that of \(other)."))
    let daily = try await BuiltCommand.run(["daily", out, "--out", other])
    #expect(daily.errorText.contains("skan_enriched is that of \(other)."))
  }

  @Test func `wrong lookup tables leave the table as it was`() async throws {
    let folder = try await run()
    _ = try await enrich(folder)
    let before = try folder.contents(of: "out/skan_enriched/part-00000001.jsonl")
    try folder.makeFile("campaigns.csv", holding: Array("network_name,campaign_key\nA,0\nA,x\n".utf8))
    let result = try await BuiltCommand.run(["enrich", folder.path("out"), "--lookups", folder.path("")])
    #expect(result.status == 65)
    #expect(result.errorText.contains("campaigns.csv: line 2, column campaign_key: "))
    #expect(result.errorText.contains("campaigns.csv: line 3, column campaign_key: "))
    #expect(try folder.contents(of: "out/skan_enriched/part-00000001.jsonl") == before)
  }

  @Test(
    arguments: [
      (["enrich"], 64), (["enrich", "out"], 64), (["enrich", "a", "b", "--lookups", "c"], 64),
      (["enrich", "out", "--lookups", "x", "--date-format", "DMY"], 64),
      (["enrich", "/nonexistent", "--lookups", "/nonexistent"], 66),
    ] as [([String], Int32)]
  )
  func `wrong arguments have the usual exit statuses`(_ arguments: [String], _ status: Int32) async throws {
    #expect(try await BuiltCommand.run(arguments).status == status)
  }
}
