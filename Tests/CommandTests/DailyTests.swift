import JSON
import TestSupport
import Testing

/// `postback daily` over the tables of genuine and of synthetic postbacks.
@Suite struct DailyCommandTests {
  private static let lookups = ["--lookups", Fixtures.path("lookups")]

  /// The folder of a run over genuine postbacks.
  private func run(receivedAt time: String = "2026-03-10T06:00:00Z") async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let arguments = ["run", Fixtures.path("postbacks"), "--models", Fixtures.path("models"), "--received-at", time]
    #expect(try await BuiltCommand.run(arguments + ["--out", folder.path("out")]).status == 0)
    return folder
  }

  /// The folder of a run over synthetic postbacks with times, channels and forwarders.
  private func runSynthetic(_ count: Int) async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let (dump, keys) = (folder.path("dump.jsonl"), folder.path("keys"))
    var arguments = ["generate", "--count", "\(count)", "--seed", "5", "--envelopes", "--out", dump, "--keys", keys]
    #expect(try await BuiltCommand.run(arguments).status == 0)
    arguments = ["run", dump, "--models", Fixtures.path("models"), "--out", folder.path("out")]
    #expect(try await BuiltCommand.run(arguments + (try folder.words(of: "keys"))).status == 0)
    return folder
  }

  private func python(_ script: String, _ arguments: [String]) async throws -> BuiltCommand.Result {
    let words = [Fixtures.path("../Tests/\(script)")] + arguments
    let result = try await BuiltCommand.run(executable: "/usr/bin/env", ["python3"] + words)
    guard result.status == 77 else { return result }
    return try await BuiltCommand.run(executable: "/usr/bin/python3", words)
  }

  private func rows(_ folder: TemporaryFolder) throws -> [JSONValue] {
    try folder.contents(of: "out/skan_daily/part-00000001.jsonl").split(separator: UInt8(ascii: "\n"))
      .map { try JSONValue(parsing: Array($0)) }
  }

  @Test(arguments: [
    nil, "", "framework,version,conversion_type", "channel,forwarder,environment,model_id,model_version",
    "adgroup_id,creative_id,source_app_id,country", "fidelity_type,ad_interaction_type,redownload",
    "marketplace_identifier,source_identifier,source_domain",
  ])
  func `the tables are those of an independent calculation`(_ dimensions: String?) async throws {
    let folder = try await runSynthetic(1200)
    let out = folder.path("out")
    #expect(try await BuiltCommand.run(["enrich", out] + Self.lookups).status == 0)
    let options =
      ["--environment", "production,custom", "--histogram"] + (dimensions.map { ["--dimensions", $0] } ?? [])
    let report = try await BuiltCommand.run(["daily", out] + Self.lookups + options)
    #expect(report.status == 0, "\(report.errorText)")
    let arguments = [out, "--environment", "production,custom"] + Self.lookups
    let result = try await python("daily.py", arguments)
    #expect(result.status == 0, "\(result.errorText.prefix(2000))")
    #expect(result.text.hasSuffix(" compared\n"))
  }

  @Test func `the rows and the summary are as their schemas say`() async throws {
    let folder = try await run()
    let out = folder.path("out")
    let report = try await BuiltCommand.run(["daily", out, "--histogram", "--format", "both", "--json"] + Self.lookups)
    #expect(report.status == 0, "\(report.errorText)")
    #expect(try folder.contents(of: "out/skan_daily/_summary.json") == report.output)
    let result = try await python("validate.py", [out, "--daily", folder.path("out/skan_daily/_summary.json")])
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
  }

  @Test func `a first postback of SKAdNetwork 4 is of an install three and a half days before`() async throws {
    let folder = try await run()
    #expect(try await BuiltCommand.run(["daily", folder.path("out"), "--dimensions", "version"]).status == 0)
    let dates = try rows(folder).filter { $0["version"]?.text == "4.0" && $0["date_type"]?.text == "install" }
      .map { $0["date"]?.text }
    #expect(dates == ["2026-03-06"])
  }

  @Test func `without lookup tables a network has its id, and a forwarder's campaign is known`() async throws {
    let folder = try await run()
    #expect(try await BuiltCommand.run(["daily", folder.path("out")]).status == 0)
    let row = try #require(try rows(folder).first { $0["campaign_id"]?.text == "112233445566" })
    #expect(row["network_name"]?.text == "mj797d8u6f.skadnetwork")
    #expect(row["network_status"]?.text == "unmapped")
    #expect(row["campaign_name"]?.text == "a_campaign")
  }

  @Test func `a table is replaced by an empty one only where that is said`() async throws {
    let folder = try await runSynthetic(300)
    let daily = ["daily", folder.path("out")]
    let empty = try await BuiltCommand.run(daily)
    #expect(empty.status == 0 && empty.errorText.contains("are of the environment custom"))
    #expect(try rows(folder).isEmpty)
    #expect(try await BuiltCommand.run(daily + ["--environment", "custom"]).status == 0)
    let count = try rows(folder).count
    let remembered = try await BuiltCommand.run(daily)
    #expect(remembered.status == 0 && remembered.errorText.contains("--environment custom"))
    #expect(try rows(folder).count == count)
    let refused = try await BuiltCommand.run(daily + ["--reset"])
    #expect(refused.status == 65 && refused.errorText.contains("--replace"), "\(refused.errorText)")
    #expect(try rows(folder).count == count)
    #expect(try await BuiltCommand.run(daily + ["--reset", "--replace"]).status == 0)
    #expect(try rows(folder).isEmpty)
    let page = folder.path("page.html")
    #expect(try await BuiltCommand.run(["report", folder.path("out"), "--html", page]).status == 0)
    let html = String(decoding: try folder.contents(of: "page.html"), as: UTF8.self)
    #expect(html.contains("No postback is counted: ") && !html.contains(" bought 0 installs"))
  }

  @Test(arguments: [
    ["run", "dump.jsonl", "--out", "out/skan_postbacks"], ["run", "dump.jsonl", "--out", "out/skan_rejects/a/../b"],
    ["run", "dump.jsonl", "--out", "out/_state"], ["daily", "out", "--out", "out/skan_postbacks/.."],
    ["settle", "out", "--out", "out/skan_events/"],
  ]) func `an output in a table or a state of another one is refused`(_ arguments: [String]) async throws {
    let folder = try await runSynthetic(100)
    let isInside = arguments.last?.hasSuffix("..") == false
    let before = try await BuiltCommand.run(executable: "/usr/bin/env", ["ls", "-R", folder.path("out")]).text
    let words = arguments.map { $0.hasPrefix("out") || $0.hasPrefix("dump") ? folder.path($0) : $0 }
    let result = try await BuiltCommand.run(words)
    #expect(result.status == (isInside ? 64 : 0), "\(result.errorText)")
    guard isInside else { return }
    #expect(result.errorText.contains("of another output"))
    #expect(try await BuiltCommand.run(executable: "/usr/bin/env", ["ls", "-R", folder.path("out")]).text == before)
  }

  @Test func `an output without received postbacks gives empty tables`() async throws {
    let folder = try TemporaryFolder()
    try folder.makeFile("dump.jsonl")
    let out = folder.path("out")
    #expect(try await BuiltCommand.run(["run", folder.path("dump.jsonl"), "--out", out]).status == 0)
    let report = try await BuiltCommand.run(["daily", out, "--json"])
    #expect(report.status == 0, "\(report.errorText)")
    #expect(try JSONValue(parsing: report.output)["as_of"] == .null)
    #expect(try rows(folder).isEmpty)
  }

  @Test(
    arguments: [
      (["daily"], 64), (["daily", "a", "b"], 64), (["daily", "out", "--dimensions", "app"], 64),
      (["daily", "out", "--environment", "test"], 64), (["daily", "out", "--environment", ""], 64),
      (["daily", "out", "--as-of", "now"], 64),
      (["daily", "out", "--since", "2026-03-02", "--until", "2026-03-02"], 64),
      (["daily", "out", "--since", "2026-03-02T00:00:00Z"], 64), (["daily", "/nonexistent"], 66),
      (["daily", "/nonexistent", "--lookups", "/nonexistent"], 66),
    ] as [([String], Int32)]
  )
  func `wrong arguments have the usual exit statuses`(_ arguments: [String], _ status: Int32) async throws {
    #expect(try await BuiltCommand.run(arguments).status == status)
  }
}
