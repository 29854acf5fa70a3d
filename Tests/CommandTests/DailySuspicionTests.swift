import JSON
import TestSupport
import Testing

/// The marks of `postback daily` on values that a suspicion concerns, on a dump in which one forwarder raises coarse values.
@Suite(.serialized) struct `Suspicions in the daily report` {
  private static let site = Task {
    let folder = try TemporaryFolder()
    let (dump, out, files) = (folder.path("dump"), folder.path("out"), folder.path("files"))
    func call(_ arguments: [String]) async throws {
      let result = try await BuiltCommand.run(arguments)
      #expect(result.status == 0, "\(result.errorText)")
    }
    try await call([
      "generate", "--count", "6000", "--seed", "1", "--campaigns", "20", "--days", "14", "--reporting", files,
      "--cost",
      "--forged", "0", "--edited", "0", "--malformed", "0", "--fraud", "inflate-coarse,forwarder=adjust,share=0.7",
      "--out", dump, "--keys", folder.path("keys"),
    ])
    let keys = String(decoding: try folder.contents(of: "keys"), as: UTF8.self).split { " \n".contains($0) }.map(
      String.init
    )
    try await call(["run", dump, "--models", "\(files)/models", "--out", out] + keys)
    try await call(["enrich", out, "--lookups", "\(files)/lookups"])
    try await call(["settle", out, "--lookups", "\(files)/lookups", "--models", "\(files)/models"])
    return folder
  }

  private func daily(_ options: [String]) async throws -> (folder: TemporaryFolder, result: BuiltCommand.Result) {
    let folder = try await Self.site.value
    let arguments = ["daily", folder.path("out"), "--environment", "custom", "--lookups", folder.path("files/lookups")]
    let result = try await BuiltCommand.run(arguments + options)
    try #require(result.status == 0, "\(result.errorText)")
    return (folder, result)
  }

  private func rows(_ table: String, _ folder: TemporaryFolder) throws -> [JSONObject] {
    try JSONObject.lines(try folder.contents(of: "out/\(table)/part-00000001.jsonl"))
  }

  @Test func `marks the rows of a forwarder that raises values, and no row without its values`() async throws {
    let (folder, result) = try await daily(["--dimensions", "forwarder,trust_level", "--json"])
    let found = try JSONValue(parsing: result.output)["value_suspicions"]?.array.compactMap(\.text) ?? []
    #expect(found.contains("raised_values of forwarder adjust"), "\(found)")
    let rows = try rows("skan_daily", folder)
    let (own, others) = (rows.filter { $0.cell("forwarder") == "adjust" }, rows.filter { $0.cell("forwarder") == nil })
    #expect(own.contains { $0.cell("value_suspicions")?.contains("raised_values of forwarder adjust") == true })
    // What devices sent is marked by no suspicion, also if the network has one.
    #expect(!others.isEmpty && others.allSatisfy { $0.cell("value_suspicions") == nil })
    #expect(own.filter { $0.cell("trust_level") == "4" }.allSatisfy { $0.cell("value_suspicions") == nil })
  }

  @Test func `has the revenue that devices confirm beside all of it`() async throws {
    let (folder, _) = try await daily(["--dimensions", "campaign_id"])
    let days = try rows("skan_daily", folder).filter { $0.cell("date_type") == "received" }
    let settled = try rows("skan_settled", folder)
    func sum(_ rows: [JSONObject], _ column: String) -> Double {
      rows.reduce(0) { $0 + (Double($1.cell(column) ?? "") ?? 0) }
    }
    let confirmed = settled.filter { $0.cell("trust_level") == "4" || $0.cell("effective_decided_by") == "direct" }
    #expect(abs(sum(days, "confirmed_revenue") - sum(confirmed, "effective_revenue")) < 0.001)
    #expect(sum(days, "confirmed_revenue") > 0 && sum(days, "confirmed_revenue") < sum(days, "revenue"))
  }

  @Test func `its answer names the suspected parties beside the return of a campaign`() async throws {
    let costs = ["--cost", "cost.csv", "--rates", "rates.csv"]
    let folder = try await Self.site.value
    let files = costs.map { $0.hasPrefix("--") ? $0 : folder.path("files/\($0)") }
    let text = try await daily(files + ["--currency", "USD"]).result.text
    #expect(text.contains("confirmed  suspicions") && text.contains("forwarder adjust"))
    #expect(text.contains("campaigns have values that a suspicion concerns."))
    let page = try await BuiltCommand.run(["report", folder.path("out"), "--html", "-"])
    #expect(page.status == 0)
    let lines = try #require(ReportedTable("Campaigns, the largest cost first", in: page.text)).rows
    #expect(lines.contains { $0[0].hasPrefix("⚠ ") && $0[13].contains("of forwarder adjust") })
    #expect(lines.contains { !$0[0].hasPrefix("⚠ ") && $0[13].isEmpty })
  }
}
