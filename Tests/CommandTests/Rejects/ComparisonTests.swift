import JSON
import TestSupport
import Testing

/// `postback rejects --compare` and `--sort`, on rejects made by hand: ten of one kind each day, and more of another from a
/// Tuesday on.
@Suite struct `postback rejects --compare` {
  private static func rows() throws -> (folder: TemporaryFolder, path: String) {
    let folder = try TemporaryFolder()
    var lines: [String] = []
    func add(_ day: Int, _ code: String, _ forwarder: String, _ source: String, _ count: Int) {
      let body = #"{\"source-identifier\":\"\#(source)\"}"#
      let row = """
        {"stage":"signature","reject_code":"\(code)","forwarder":"\(forwarder)","ad_network_id":"n.skadnetwork",\
        "app_id":"1","received_at":"2026-03-\(day < 10 ? "0" : "")\(day)T00:00:00Z","received_at_source":"envelope",\
        "raw_body":"\(body)"}
        """
      lines += [String](repeating: row, count: count)
    }
    for day in 16...29 {
      add(day, "signature_invalid", "honest", "012", 10)
      add(day, "duplicate_identical", "honest", "012", day)
      // 2026-03-24 was a Tuesday.
      add(day, "signature_invalid", "network-1", day < 24 ? "038" : "045", day < 24 ? 5 : 20)
    }
    return (folder, try folder.makeFile("rows.jsonl", holding: Array((lines.joined(separator: "\n") + "\n").utf8)))
  }

  @Test func `names the group that changed, its size, its day, and the new source identifier`() async throws {
    let (folder, path) = try Self.rows()
    defer { withExtendedLifetime(folder) {} }
    let periods = ["--compare", "2026-03-16/2026-03-22,2026-03-23/2026-03-29"]
    let result = try await BuiltCommand.run(["rejects", path, "--json"] + periods)
    #expect(result.status == 0, "\(result.errorText)")
    let found = try #require(try JSONValue(parsing: result.output)["comparison"])
    let changes = found["changes"]?.array ?? []
    // The honest forwarder sends as many, and the harmless copies are no change.
    #expect(changes.count == 1)
    let first = try #require(changes.first)
    #expect(first["forwarder"]?.text == "network-1" && first["changed_on"]?.text == "2026-03-24")
    #expect(first["before"]?.integer == 35 && first["after"]?.integer == 125 && first["is_clear"] == .bool(true))
    #expect(first["per_day_before"] == .number("5.0") && first["per_day_after"] == .number("20.0"))
    #expect(first["source_identifier_before"]?.text == "038" && first["source_identifier_after"]?.text == "045")
    #expect(first["share_of_change"] == .number("1.0"))
    #expect(found["before"]?["rejects_by_class"]?["copies"]?.integer == Int64((16...22).reduce(0, +)))
    let text = try await BuiltCommand.run(["rejects", path] + periods).text
    #expect(text.contains("5.0 → 20.0  Tuesday 2026-03-24  038 → 045"), "\(text)")
  }

  @Test func `a change over many networks is one group, and one that a network has most of is of that network`()
    async throws
  {
    let folder = try TemporaryFolder()
    var lines: [String] = []
    func add(_ day: Int, _ forwarder: String, _ network: Int, _ count: Int) {
      let row = """
        {"reject_code":"signature_invalid","forwarder":"\(forwarder)","ad_network_id":"n\(network)","app_id":"1",\
        "received_at":"2026-03-0\(day)T00:00:00Z","received_at_source":"envelope"}
        """
      lines += [String](repeating: row, count: count)
    }
    for network in 0..<8 {
      add(2, "spread", network, 5)
      add(2, "one", network, network == 3 ? 40 : 2)
    }
    let rows = try folder.makeFile("rows.jsonl", holding: Array((lines.joined(separator: "\n") + "\n").utf8))
    let result = try await BuiltCommand.run(["rejects", rows, "--json", "--compare", "2026-03-01,2026-03-02"])
    let changes = try JSONValue(parsing: result.output)["comparison"]?["changes"]?.array ?? []
    let found = changes.map { change in
      "\(change["forwarder"]?.text ?? "") \(change["ad_network_id"]?.text ?? "-") \(change["ad_networks"]?.integer ?? 0) "
        + "\(change["after"]?.integer ?? 0)"
    }
    #expect(Set(found) == ["spread - 8 40", "one n3 1 40", "one - 7 14"])
  }

  @Test func `periods of other lengths are compared by their days`() async throws {
    let (folder, path) = try Self.rows()
    defer { withExtendedLifetime(folder) {} }
    let result = try await BuiltCommand.run([
      "rejects", path, "--json", "--compare", "2026-03-16/2026-03-18,2026-03-19",
    ])
    #expect(try JSONValue(parsing: result.output)["comparison"]?["changes"] == .array([]))
  }

  @Test func `sorts groups by day`() async throws {
    let (folder, path) = try Self.rows()
    defer { withExtendedLifetime(folder) {} }
    let grouping = ["--group-by", "reject_code,received_day", "--sort", "day", "--json"]
    let result = try await BuiltCommand.run(["rejects", path] + grouping)
    let days = try JSONValue(parsing: result.output)["groups"]?.array.compactMap { $0["values"]?["received_day"]?.text }
    #expect(days?.count == 28 && days == days?.sorted())
  }

  @Test(arguments: [
    ["--compare", "2026-03-08/2026-03-14,2026-03-01/2026-03-07"], ["--compare", "2026-03-01"],
    ["--compare", "2026-3-1,2026-03-02"], ["--sort", "day"], ["--sort", "day", "--group-by", "forwarder"],
  ])
  func `exits with 64 for what is no pair of periods, or has no day`(_ arguments: [String]) async throws {
    let (folder, path) = try Self.rows()
    defer { withExtendedLifetime(folder) {} }
    #expect(try await BuiltCommand.run(["rejects", path] + arguments).status == 64)
  }
}
