import JSON
import TestSupport
import Testing

/// The tests of accepted postbacks and of their copies, on dumps with known frauds.
@Suite struct `Signals of a generated dump` {
  @discardableResult private func run(_ arguments: [String]) async throws -> String {
    try await FraudSite.run(arguments)
  }

  private func signals(_ out: String) async throws -> JSONValue {
    let text = try await run(["rejects", out, "--signals", "--json"])
    return try #require(try JSONValue(parsing: Array(text.utf8))["signals"])
  }

  @Test func `has the same bytes in each of 20 runs, on any number of cores`() async throws {
    let out = try await FraudSite.with(["--versions", "4.0=2,3.0=1,aak=1"], count: 1000).out
    let first = try await run(["rejects", out, "--signals", "--json", "--jobs", "1"])
    #expect(first.contains("campaign_contrast") && first.contains("change_point"))
    for number in 2...20 {
      let text = try await run(["rejects", out, "--signals", "--json", "--jobs", number % 2 == 0 ? "1" : "2"])
      #expect(text == first, "run \(number)")
    }
  }

  @Test(arguments: [
    ("inflate-fine", "raised_values"), ("inflate-coarse", "raised_values"),
    ("steal-signature", "invalid_signatures"), ("self-conflict", "self_conflicts"), ("withhold", "missing_forwarded"),
  ])
  func `finds the fraud and its party`(_ kind: String, _ test: String) async throws {
    let out = try await FraudSite.with(["--fraud", "\(kind),forwarder=adjust,share=0.8"]).out
    let alarms = try #require(try await signals(out)["alarms"]?.array)
    let found = alarms.filter { $0["test"]?.text == test }
    #expect(found.contains { ["adjust", "Network 2"].contains($0["name"]?.text) }, "\(alarms)")
    #expect(!found.contains { ["appsflyer", "Network 3"].contains($0["name"]?.text) })
    let text = try await run(["rejects", out, "--signals"])
    #expect(text.contains(found.first?["summary"]?.text ?? "no summary"))
  }

  @Test func `lists copies that come again late as a difference, and accuses nobody`() async throws {
    let out = try await FraudSite.with(["--fraud", "replay-late,forwarder=adjust,share=0.8"]).out
    let signals = try await signals(out)
    func names(_ key: String) -> [String?] {
      signals[key]?.array.filter { $0["test"]?.text == "late_copies" }.map { $0["name"]?.text } ?? []
    }
    #expect(names("differences") == ["adjust"])
    #expect(names("alarms").isEmpty)
    #expect(try await run(["rejects", out, "--signals"]).contains("again long after its own first copy"))
  }

  @Test func `names the change, the money and the time of raised values`() async throws {
    let out = try await FraudSite.with(["--fraud", "inflate-coarse,forwarder=adjust,share=1,since=2026-03-24"]).out
    let alarms = try #require(try await signals(out)["alarms"]?.array)
    let alarm = try #require(alarms.first { $0["test"]?.text == "raised_values" })
    #expect(alarm["name"]?.text == "adjust")
    #expect(alarm["change"]?["field"]?.text == "coarse_conversion_value")
    #expect(alarm["change"]?["to"]?.text == "high")
    #expect(alarm["revenue_effect"]?["USD"] != nil)
    let summary = try #require(alarm["summary"]?.text)
    #expect(summary.hasPrefix("The forwarder adjust raised the conversion value in "))
    #expect(summary.contains("most often the coarse value from low to high"))
    #expect(summary.contains(" USD in decoded revenue"))
  }

  @Test func `a clean dump raises no alarm, and the test that it is too small for is named`() async throws {
    let signals = try await signals(try await FraudSite.with([]).out)
    #expect(signals["alarms"]?.array.isEmpty == true, "\(signals["alarms"] ?? .null)")
    #expect(signals["tests"]?.integer ?? 0 > 50)
    let omitted = try #require(signals["not_tested"]?.array).compactMap { $0["test"]?.text }
    #expect(omitted.contains("countries"), "\(omitted)")
    #expect(!omitted.contains("raised_values"), "\(omitted)")
    let partly = try #require(signals["partly_tested"]?.array).compactMap { $0["test"]?.text }
    #expect(partly.contains("fine_values"), "\(partly)")
  }

  @Test func `tests on older tables are named, with the share that these have`() async throws {
    let folder = try TemporaryFolder()
    let (dump, out, files) = (folder.path("dump"), folder.path("out"), folder.path("files"))
    try await run(
      ["generate", "--count", "1000", "--seed", "5", "--campaigns", "4", "--reporting", files, "--out", dump]
        + ["--keys", folder.path("keys")]
    )
    let lines = try folder.contents(of: "dump").split(separator: UInt8(ascii: "\n"))
    for (place, half) in [lines.prefix(500), lines.suffix(500)].enumerated() {
      try folder.makeFile("part\(place)", holding: Array(half.joined(separator: [10])))
      try await run(["run", folder.path("part\(place)"), "--out", out] + folder.words(of: "keys"))
      if place == 0 { try await run(["enrich", out, "--lookups", "\(files)/lookups"]) }
    }
    let partly = try #require(try await signals(out)["partly_tested"]?.array)
    let reason = partly.first { $0["test"]?.text == "unknown_campaigns" }?["reason"]?.text ?? ""
    #expect(reason.hasPrefix("skan_enriched has ") && reason.contains("postback refresh"), "\(partly)")
  }

  /// A forwarded postback of a campaign: its fields, of which those that Apple does not sign may change, and who forwards it.
  private struct Forwarded {
    let place: Int
    var fields: [JSONValue.Member]
    var forwarder = ""
    /// Another sender of the same postback; nil for none.
    var other: String?

    subscript(key: String) -> JSONValue? {
      get { fields.first { $0.key == key }?.value }
      set {
        fields.removeAll { $0.key == key }
        if let newValue { fields.append(.init(key, newValue)) }
      }
    }

    /// Raises the fine value, if there is one.
    mutating func raise() {
      if let value = self["conversion-value"]?.integer { self["conversion-value"] = .integer(min(63, value + 20)) }
    }
  }

  /// Writes the tables of the forwarded postbacks of two campaigns, each edited, and returns the alarms and the differences.
  private func signals(isAmbiguous: Bool? = nil, _ edit: (inout Forwarded) -> Void) async throws -> (
    alarms: [JSONValue], differences: [JSONValue]
  ) {
    let folder = try TemporaryFolder()
    let (dump, out, files) = (folder.path("dump"), folder.path("out"), folder.path("files"))
    try await run(
      ["generate", "--count", "6000", "--seed", "5", "--campaigns", "2", "--days", "7", "--reporting", files]
        + ["--out", dump, "--keys", folder.path("keys"), "--forged", "0", "--edited", "0", "--malformed", "0"]
    )
    var lines: [String] = []
    for (place, line) in try folder.contents(of: "dump").split(separator: UInt8(ascii: "\n")).enumerated() {
      guard let record = try? JSONValue(parsing: Array(line)), record["channel"]?.text == "network_forwarded",
        case .object(var members) = record, case .object(let fields)? = record["body"]
      else { continue }
      var postback = Forwarded(place: place, fields: fields)
      edit(&postback)
      members.removeAll { $0.key == "forwarder" || $0.key == "body" }
      for forwarder in [postback.forwarder] + (postback.other.map { [$0] } ?? []) {
        let own = [JSONValue.Member("forwarder", .string(forwarder)), .init("body", .object(postback.fields))]
        lines.append(JSONValue.object(members + own).description + "\n")
      }
    }
    try folder.makeFile("lines", holding: Array(lines.joined().utf8))
    try await run(
      ["run", folder.path("lines"), "--models", "\(files)/models", "--out", out] + folder.words(of: "keys")
    )
    if let isAmbiguous {
      let rows = String(decoding: try folder.contents(of: "files/lookups/campaigns.csv"), as: UTF8.self)
      // A second campaign for each one, whose identifier has the same last digits.
      let others = rows.split(separator: "\n").filter { $0.contains(",source_identifier,") }.map { row in
        var cells = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        (cells[2], cells[4]) = ("9" + cells[2].dropFirst(), "2" + cells[4].dropFirst())
        return cells.joined(separator: ",") + "\n"
      }
      try folder.makeFile(
        "files/lookups/campaigns.csv",
        holding: Array((isAmbiguous ? rows + others.joined() : rows).utf8)
      )
      try await run(["enrich", out, "--lookups", "\(files)/lookups"])
    }
    let answer = try await signals(out)
    return (try #require(answer["alarms"]?.array), try #require(answer["differences"]?.array))
  }

  private func names(_ tests: [JSONValue], _ test: String) -> [String] {
    tests.filter { $0["test"]?.text == test && $0["basis"]?.text == "same_campaign" }.compactMap { $0["name"]?.text }
  }

  @Test(arguments: ["invented_nulls", "fine_values"], [2, 3])
  func `values that differ from those of two others of one campaign are suspicious`(
    _ test: String,
    _ forwarders: Int
  ) async throws {
    let found = try await signals { postback in
      postback.forwarder = ["cheat", "honest", "third"][postback.place % forwarders]
      guard postback.forwarder == "cheat" else { return }
      if test == "fine_values" {
        postback.raise()
      } else if postback.place / forwarders % 2 == 0 {
        postback["conversion-value"] = nil
      }
    }
    // Of two, either may have changed its values.
    #expect(names(found.alarms, test) == (forwarders == 3 ? ["cheat"] : []), "\(found)")
    #expect(forwarders == 3 || names(found.differences, test) == ["cheat"], "\(found)")
    #expect(!found.alarms.contains { $0["name"]?.text != "cheat" }, "\(found)")
  }

  @Test func `an honest forwarder is not accused beside one that lowers values`() async throws {
    let found = try await signals { postback in
      postback.forwarder = ["cheat", "honest", "third"][postback.place % 3]
      guard postback.forwarder == "cheat", postback["conversion-value"] != nil else { return }
      postback["conversion-value"] = .integer(0)
    }
    #expect(!found.alarms.contains { $0["name"]?.text != "cheat" }, "\(found)")
  }

  @Test func `a partner that gets the postbacks of payers alone differs in nothing`() async throws {
    let found = try await signals { postback in
      postback.forwarder = "network"
      if postback["conversion-value"]?.integer ?? 0 > 20 { postback.other = "partner" }
    }
    #expect(names(found.alarms + found.differences, "fine_values").isEmpty, "\(found)")
  }

  @Test(arguments: ["country-code", "fidelity-type", "redownload"])
  func `forwarders that have other people of one campaign are not accused`(_ field: String) async throws {
    let found = try await signals { postback in
      let isFirst =
        switch field {
        case "country-code": postback.place % 2 == 0
        case "fidelity-type": ["0"].contains(postback[field]?.description)
        default: postback[field]?.description == "true"
        }
      if field == "country-code" { postback[field] = .string(isFirst ? "US" : "DE") }
      if isFirst { postback.raise() }
      // Each has some of the other's people.
      postback.forwarder = isFirst == (postback.place % 5 > 0) ? "first" : "second"
    }
    #expect(names(found.alarms + found.differences, "fine_values").isEmpty, "\(found)")
  }

  @Test(arguments: [false, true])
  func `digits that two campaigns share are no campaign, if the lookup tables say so`(_ isAmbiguous: Bool) async throws
  {
    let found = try await signals(isAmbiguous: isAmbiguous) { postback in
      let isFirst = postback.place % 3 == 0
      postback.forwarder = ["first", "second", "third"][postback.place % 3]
      if isFirst, let digits = postback["source-identifier"]?.text, digits.count < 4 { postback.raise() }
    }
    #expect(names(found.alarms, "fine_values") == (isAmbiguous ? [] : ["first"]), "\(found)")
  }

  @Test func `tests that need derived tables say so without them`() async throws {
    let signals = try await signals(try await FraudSite.with([], count: 1000, isDerived: false).out)
    let reasons = try #require(signals["not_tested"]?.array)
    let names = Set(reasons.compactMap { $0["test"]?.text })
    #expect(names.isSuperset(of: ["unknown_campaigns", "inactive_campaigns"]))
    // Copies are compared without derived tables.
    #expect(names.isDisjoint(with: ["missing_forwarded", "raised_values", "raised_revenue", "lowered_values"]))
    #expect(reasons.allSatisfy { $0["reason"]?.text?.hasSuffix(".") == true })
  }
}
