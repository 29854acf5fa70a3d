import CopySettlement
import JSON
import Tables
import TestSupport
import Testing

/// `postback settle` over genuine postbacks, whose conversion value anybody can edit.
@Suite struct SettleTests {
  /// Apple's example of a first postback, with a conversion value of 63.
  static let genuine = String(decoding: Fixtures.lines("postbacks/skadnetwork-4.0.jsonl")[0], as: UTF8.self)

  /// A line of a dump: a copy of the genuine postback.
  func copy(
    _ day: Int,
    forwarder: String? = nil,
    value: Int? = 63,
    country: String? = nil,
    of body: String = SettleTests.genuine
  ) -> String {
    var body = body.replacing("\"conversion-value\":63,", with: value.map { "\"conversion-value\":\($0)," } ?? "")
    if let country { body = body.replacing("{\"version\"", with: "{\"country-code\":\"\(country)\",\"version\"") }
    let channel = forwarder == nil ? "apple_direct" : "network_forwarded"
    let name = forwarder.map { "\"forwarder\":\"\($0)\"," } ?? ""
    let head = "{\"received_at\":\"2026-03-\(day)T00:00:00Z\",\"channel\":\"\(channel)\","
    return "\(head)\(name)\"body\":\(body)}"
  }

  /// The output of a run for each dump, one after the other.
  func run(
    _ dumps: [String]...,
    models: [String] = ["--models", Fixtures.path("models")],
    in folder: TemporaryFolder
  ) async throws {
    for (number, lines) in dumps.enumerated() {
      try folder.makeFile("dump-\(number).jsonl", holding: Array((lines.joined(separator: "\n") + "\n").utf8))
      let arguments = ["run", folder.path("dump-\(number).jsonl"), "--out", folder.path("out")] + models
      #expect(try await BuiltCommand.run(arguments).status == 0)
    }
  }

  func settle(
    _ folder: TemporaryFolder,
    _ further: [String] = [],
    lookups: String? = Fixtures.path("lookups")
  ) async throws -> JSONValue {
    let tables = lookups.map { ["--lookups", $0] } ?? []
    let result = try await BuiltCommand.run(["settle", folder.path("out"), "--json"] + tables + further)
    #expect(result.status == 0, "\(result.errorText)")
    return try JSONValue(parsing: result.output)
  }

  func rows(_ folder: TemporaryFolder, _ table: String = "skan_settled") throws -> [JSONValue] {
    let bytes = try folder.contents(of: "out/\(table)/part-00000001.jsonl")
    return try bytes.split(separator: UInt8(ascii: "\n")).map { try JSONValue(parsing: Array($0)) }
  }

  func party(_ summary: JSONValue) throws -> JSONValue {
    guard case .array(let groups)? = summary["groups"] else { return .null }
    return try #require(groups.first)
  }

  @Test func `a run without models is settled without decoding`() async throws {
    let folder = try TemporaryFolder()
    try await run([copy(20, forwarder: "mmp", value: 35), copy(21, value: 20)], models: [], in: folder)
    _ = try await settle(folder)
    let row = try #require(try rows(folder).first)
    #expect(row["conversion_value_state"]?.text == "conflict")
    #expect(row["effective_conversion_value"]?.integer == 20)
    #expect(row["effective_decode_status"]?.text == "no_model")
  }

  @Test func `a value that a forwarder raised is worth what the device's own copy says`() async throws {
    let folder = try TemporaryFolder()
    try await run([copy(20, forwarder: "mmp", value: 35), copy(21, value: 20)], in: folder)
    let accepted = try #require(try rows(folder, "skan_postbacks").first)
    #expect(accepted["skan_revenue"] == .number("72.5"))
    let summary = try await settle(folder)
    let row = try #require(try rows(folder).first)
    #expect(row["trust_level"]?.integer == 0)
    #expect(row["conversion_value_state"]?.text == "conflict")
    #expect(row["conversion_value_difference"]?.text == "changed")
    #expect(row["conversion_value_direct"]?.text == "20")
    #expect(row["conversion_value_forwarded"]?.text == "35")
    #expect(row["effective_conversion_value"]?.integer == 20)
    // The model counts a value of 20 as 8.50 to 9 dollars, and one of 35 as 70 to 75.
    #expect(row["effective_revenue"] == .number("8.75"))
    #expect(row["effective_min_revenue"] == .number("8.5"))
    #expect(row["first_channel"]?.text == "network_forwarded")
    #expect(row["lag_s"]?.integer == -86_400)
    let counts = try party(summary)
    #expect(counts["network_name"]?.text == "Example Network")
    #expect(counts["week"]?.text == "2026-03-16")
    #expect(counts["revenue_effect"]?["USD"] == .number("63.75"))
    #expect(counts["fields"]?["conversion_value"]?["changed"]?.integer == 1)
    #expect(counts["mean_value_change"] == .number("15"))
    guard case .array(let changes)? = summary["changes"] else { return }
    #expect(changes.count == 1)
    #expect(changes.first?["revenue_before"] == .number("72.5"))
    #expect(changes.first?["revenue_after"] == .number("8.75"))
    let events = try rows(folder, "skan_settled_events")
    #expect(events.map { $0["event_name"]?.text } == ["sign_up", "purchase"])
    #expect(events.last?["skan_revenue"] == .number("8.75"))
  }

  @Test func `a forwarder that sends one value does not contradict itself beside one that does`() async throws {
    let folder = try TemporaryFolder()
    try await run(
      [copy(20, forwarder: "alpha", value: 20), copy(21, forwarder: "alpha", value: 35)]
        + [copy(22, forwarder: "beta", value: 20)],
      in: folder
    )
    let summary = try await settle(folder, lookups: nil)
    #expect(try rows(folder).first?["conversion_value_difference"]?.text == "self_conflict")
    let group = try party(summary)
    let parties = Dictionary(
      uniqueKeysWithValues: (group["forwarders"]?.array ?? []).map {
        ($0["forwarder"]?.text ?? "", $0["self_conflict"]?.integer)
      }
    )
    #expect(group["self_conflict"]?.integer == 1)
    #expect(parties == ["alpha": 1, "beta": 0], "\(group)")
  }

  @Test func `without the date of copies in apps the forwarder's value counts`() async throws {
    let folder = try TemporaryFolder()
    try await run([copy(20, value: 20), copy(21, forwarder: "mmp", value: 35)], in: folder)
    let summary = try await settle(folder, lookups: nil)
    guard case .array(let apps)? = summary["apps_without_direct_copies_since"] else { return }
    #expect(apps.map { $0["app_id"]?.integer } == [525_463_029])
    #expect(apps.first?["postbacks"]?.integer == 1)
    let row = try #require(try rows(folder).first)
    #expect(row["trust_level"]?.integer == 0)
    #expect(row["effective_decided_by"]?.text == "forwarded")
    #expect(row["effective_revenue"] == .number("72.5"))
  }

  @Test func `the letter case of a country is no conflict`() async throws {
    let folder = try TemporaryFolder()
    try await run([copy(20, country: "us"), copy(21, forwarder: "mmp", country: "US")], in: folder)
    _ = try await settle(folder)
    let row = try #require(try rows(folder).first)
    #expect(row["country_code_state"]?.text == "confirmed")
    #expect(row["effective_country_code"]?.text == "US")
    #expect(row["trust_level"]?.integer == 4)
  }

  @Test func `devices' copies that contradict each other decode to nothing`() async throws {
    let folder = try TemporaryFolder()
    try await run([copy(20, value: 20), copy(21, value: 35)], in: folder)
    _ = try await settle(folder)
    let row = try #require(try rows(folder).first)
    #expect(row["effective_decode_status"]?.text == SettledStatus.conflict)
    #expect(row["effective_revenue"] == .null && row["effective_received_at"] == .null)
    // The install is counted on the day of the first of them.
    #expect(row["effective_estimated_install_date"]?.text == "2026-03-16T12:00:00Z")
    #expect(row["conversion_value_direct"]?.text == "20;35")
    #expect(try rows(folder, "skan_settled_events").isEmpty)
  }

  @Test func `a lost postback whose device copies contradict each other is in conflict too`() async throws {
    let folder = try TemporaryFolder()
    let lost = Fixtures.lines("postbacks/skadnetwork-3.0.jsonl").map { String(decoding: $0, as: UTF8.self) }
      .first { $0.contains("\"did-win\":false") }
    let other = try #require(lost).replacing("{\"", with: "{\"country-code\":\"US\",\"", maxReplacements: 1)
    try await run([copy(20, of: try #require(lost)), copy(21, of: other)], in: folder)
    _ = try await settle(folder)
    let row = try #require(try rows(folder).first)
    #expect(row["country_code_difference"]?.text == "direct_conflict")
    #expect(row["effective_decode_status"]?.text == SettledStatus.conflict)
    #expect(row["effective_decided_by"] == .null)
  }

  @Test func `a missing copy is final after ten days, and none is expected of a lost postback`() async throws {
    let folder = try TemporaryFolder()
    let lost = Fixtures.lines("postbacks/skadnetwork-3.0.jsonl").map { String(decoding: $0, as: UTF8.self) }
      .first { $0.contains("\"did-win\":false") }
    let lines = [copy(10, forwarder: "mmp"), copy(10, forwarder: "mmp", of: try #require(lost))]
    let newer = Fixtures.lines("postbacks/skadnetwork-4.0.jsonl").prefix(2).map { String(decoding: $0, as: UTF8.self) }
    try await run(lines + [copy(21, forwarder: "mmp", of: newer[1])], in: folder)
    let summary = try await settle(folder)
    guard case .array(let groups)? = summary["groups"] else { return }
    let missing = groups.reduce(0) { $0 + ($1["missing_direct"]?.integer ?? 0) }
    let pending = groups.reduce(0) { $0 + ($1["pending"]?.integer ?? 0) }
    #expect((missing, pending) == (1, 1))
    let early = try await settle(folder, ["--until", "2026-03-20"])
    #expect(try party(early)["missing_direct"]?.integer == 0)
  }

  @Test func `the order of a dump and its division into runs change nothing`() async throws {
    let bodies = ["skadnetwork-4.0", "adattributionkit", "skadnetwork-3.0"]
      .flatMap { Fixtures.lines("postbacks/\($0).jsonl") }.map { String(decoding: $0, as: UTF8.self) }
    let lines = bodies.enumerated().flatMap { number, body in
      [
        copy(20, of: body), copy(20 + number % 3, forwarder: "a", country: number % 2 == 0 ? "DE" : nil, of: body),
        copy(21, forwarder: "b", value: 12, of: body), copy(21, forwarder: "b", value: 12, of: body),
      ]
    }
    var results: Set<[String]> = []
    var random = SplitMix(seed: 4)
    for order in 0..<4 {
      let folder = try TemporaryFolder()
      let lines = order == 0 ? lines : lines.shuffled(using: &random)
      if order == 3 {
        try await run(Array(lines.prefix(9)), Array(lines.dropFirst(9)), in: folder)
      } else {
        try await run(lines, in: folder)
      }
      let summary = try await settle(folder)
      var sorted: [String] = []
      for table in ["skan_settled", "skan_settled_events"] {
        sorted += try DurableRows.lines(of: table, in: folder).sorted()
      }
      // The accepted copy may be another one, and so may be the changes against it.
      results.insert(sorted + [summary["groups"]?.description ?? ""])
    }
    #expect(results.count == 1)
  }

  @Test func `the rows and the summary are as their schemas say`() async throws {
    let folder = try TemporaryFolder()
    try await run(
      [copy(10, value: 20), copy(12, forwarder: "a;b", value: nil), copy(12, value: 21)]
        + Fixtures.lines("postbacks/adattributionkit.jsonl").map { copy(20, of: String(decoding: $0, as: UTF8.self)) },
      in: folder
    )
    _ = try await settle(folder, ["--format", "both"])
    let (out, summary) = (folder.path("out"), folder.path("out/skan_settled/_summary.json"))
    let arguments = [Fixtures.path("../Tests/validate.py"), out, "--settle", summary]
    var result = try await BuiltCommand.run(executable: "/usr/bin/env", ["python3"] + arguments)
    if result.status == 77 { result = try await BuiltCommand.run(executable: "/usr/bin/python3", arguments) }
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
    #expect(result.text.contains("rows valid"))
  }

  @Test(
    arguments: [
      (["settle"], 64), (["settle", "a", "b"], 64), (["settle", "out", "--grace-hours", "-1"], 64),
      (["settle", "out", "--since", "2026-03-02", "--until", "2026-03-02"], 64),
      (["settle", "/nonexistent"], 66), (["settle", "/nonexistent", "--models", "/nonexistent.json"], 66),
    ] as [([String], Int32)]
  )
  func `wrong arguments have the usual exit statuses`(_ arguments: [String], _ status: Int32) async throws {
    #expect(try await BuiltCommand.run(arguments).status == status)
  }

  @Test func `a run without a state needs models`() async throws {
    let folder = try TemporaryFolder()
    try await run([copy(20)], in: folder)
    let state = folder.path("elsewhere")
    let moved = try await BuiltCommand.run(executable: "/usr/bin/env", ["mv", folder.path("out/_state"), state])
    #expect(moved.status == 0)
    let result = try await BuiltCommand.run(["settle", folder.path("out")])
    #expect(result.status == 66)
    #expect(result.errorText.contains("--state"))
    #expect(try await settle(folder, ["--state", state])["rows"]?.integer == 1)
    #expect(try await settle(folder, ["--models", Fixtures.path("models")])["rows"]?.integer == 1)
  }
}

/// The rows of a table of a run.
private enum DurableRows {
  static func lines(of table: String, in folder: TemporaryFolder) throws -> [String] {
    try folder.contents(of: "out/\(table)/part-00000001.jsonl").split(separator: UInt8(ascii: "\n"))
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
