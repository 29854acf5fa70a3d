import JSON
import TestSupport
import Testing

/// `postback daily` over postbacks of campaigns whose true revenue is known, with and without a value.
struct ModelledTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What the generator knows of a postback.
  private struct Truth {
    let revenue: Double
    let network: String
  }

  /// Runs a dump of campaigns of one app, without the copies that forwarders edited, and reports on it. Returns the truth
  /// by transaction and window.
  private func report(seed: Int, _ options: [String] = []) async throws -> [String: Truth] {
    let dump = try await GeneratedDump(
      count: 5000,
      seed: seed,
      options: [
        "--campaigns", "40", "--days", "20", "--app", "525463029", "--versions", "4.0=1", "--valid-only",
        "--tiers", "0=2,1=4,2=3,3=1", "--reporting", folder.path("reporting"),
      ]
    )
    let lines = dump.bytes.split(separator: UInt8(ascii: "\n"))
    let unedited = zip(lines, dump.truth).filter { $0.1["forwarder_edit"] == .null }
    _ = try folder.makeFile("dump", holding: Array(unedited.map(\.0).joined(separator: [UInt8(ascii: "\n")])))
    try await expectSuccess(
      [
        "run", folder.path("dump"), "--models", folder.path("reporting/models"), "--out", folder.path("out"),
        "--format", "both",
      ] + dump.keys
    )
    try await expectSuccess(
      [
        "daily", folder.path("out"), "--lookups", folder.path("reporting/lookups"), "--environment", "custom",
        "--dimensions", "app_id,network_name", "--format", "both",
      ] + options
    )
    let campaigns = String(decoding: try folder.contents(of: "reporting/lookups/campaigns.csv"), as: UTF8.self)
      .split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    let networks = Dictionary(campaigns.map { ($0[4], $0[0]) }) { first, _ in first }
    let truth = dump.truth.compactMap { row in
      row.number("true_revenue").map { revenue in
        (row.transaction, Truth(revenue: revenue, network: networks[row.text("campaign_id") ?? ""] ?? ""))
      }
    }
    return Dictionary(truth) { first, _ in first }
  }

  private func expectSuccess(_ arguments: [String]) async throws {
    let result = try await BuiltCommand.run(arguments)
    #expect(result.status == 0, "\(result.errorText)")
  }

  private func rows(_ table: String) throws -> [JSONObject] {
    try JSONObject.lines(try folder.contents(of: "out/\(table)/part-00000001.jsonl"))
  }

  @Test func `the interval holds the true revenue of the postbacks that Apple sends without a value`() async throws {
    let truth = try await report(seed: 1)
    let rows = try rows("skan_modelled").filter { $0.integer("postback_sequence_index") == 0 }
    let refused = rows.filter { $0["scope"] == .string("stratum") && $0["modelled_revenue"] == .null }
    #expect(refused.allSatisfy { $0["model_status"] == .string("not_modelled:zero_may_be_null") })
    let networks = Set(refused.compactMap { $0.text("network_name") })
    let nulls = try self.rows("skan_postbacks")
      .filter {
        $0["decode_status"] == .string("null") && $0["did_win"] == .bool(true)
          && $0.integer("postback_sequence_index") == 0
      }
      .compactMap { truth[$0.transaction] }.filter { !networks.contains($0.network) }
    let total = try #require(rows.first { $0["scope"] == .string("total") && $0["modelled_revenue"] != .null })
    #expect(total.integer("nulls") == nulls.count)
    #expect(nulls.count > 300)
    let revenue = nulls.reduce(0) { $0 + $1.revenue }
    #expect(revenue > 0)
    let low = try #require(total.number("null_revenue_low"))
    let high = try #require(total.number("null_revenue_high"))
    #expect((low...high).contains(revenue), "\(low) to \(high), truth \(revenue)")
    #expect(total["assumption"] == .string("missing_at_random_within_campaign"))
    // The rows of the days add up to the total, apart from roundings.
    for type in ["received", "install"] {
      let days = try self.rows("skan_daily").filter {
        $0["date_type"] == .string(type) && $0.integer("postback_sequence_index") == 0
      }
      let sum = days.reduce(0) { $0 + ($1.number("modelled_revenue") ?? 0) }
      #expect(abs(sum - (total.number("modelled_revenue") ?? 0)) < 0.01)
    }
  }

  @Test func `the periods have all postbacks, and the rows are as their schema says`() async throws {
    _ = try await report(seed: 2, ["--model-period", "week", "--model-level", "0.8"])
    let rows = try rows("skan_modelled")
    #expect(Set(rows.compactMap { $0.text("period_start") }).count > 3)
    #expect(rows.allSatisfy { $0.number("level") == 0.8 })
    let daily = try self.rows("skan_daily").filter { $0["date_type"] == .string("install") }
    for (scope, column) in [("stratum", "nulls"), ("total", "nulls"), ("stratum", "values"), ("total", "values")] {
      let found = rows.filter { $0["scope"] == .string(scope) && $0.integer("postback_sequence_index") == 0 }
      let expected = daily.filter { $0.integer("postback_sequence_index") == 0 }
      #expect(
        found.reduce(0) { $0 + ($1.integer(column) ?? 0) } == expected.reduce(0) { $0 + ($1.integer(column) ?? 0) }
      )
    }
    let arguments = [Fixtures.path("../Tests/validate.py"), folder.path("out")]
    var result = try await BuiltCommand.run(executable: "/usr/bin/env", ["python3"] + arguments)
    if result.status == 77 { result = try await BuiltCommand.run(executable: "/usr/bin/python3", arguments) }
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
  }

  @Test(arguments: [["--model-period", "day"], ["--model-level", "1"], ["--model-level", "95"]])
  func `a period or a level that does not exist is refused`(_ options: [String]) async throws {
    let result = try await BuiltCommand.run(["daily", "out"] + options)
    #expect(result.status == 64)
    #expect(result.errorText.contains(options[0]))
  }
}

extension JSONObject {
  /// The number of a member as binary floating point.
  fileprivate func number(_ name: String) -> Double? {
    if case .number(let text) = self[name] { Double(text) } else { nil }
  }

  fileprivate func text(_ name: String) -> String? { if case .string(let text) = self[name] { text } else { nil } }

  /// The transaction and the window of a postback.
  fileprivate var transaction: String {
    "\(text("transaction_id") ?? "") \(integer("postback_sequence_index") ?? 0)"
  }
}
