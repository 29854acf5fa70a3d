import JSON
import TestSupport
import Testing

/// The derived tables of the same dump in another order, and divided into runs.
@Suite struct ReportOrderTests {
  private static let tables = [
    "skan_settled", "skan_settled_events", "skan_enriched", "skan_daily", "skan_daily_events", "skan_daily_values",
    "skan_modelled",
  ]
  private static let dimensions =
    "app_id,network_name,campaign_id,adgroup_id,source_app_id,country,channel,forwarder,trust_level,model_id"

  /// The rows of all derived tables of dumps that are run one after the other, sorted.
  private func rows(of dumps: [[[UInt8]]], _ options: [String], _ folder: TemporaryFolder) async throws -> [String:
    [String]]
  {
    let out = try TemporaryFolder()
    func expectSuccess(_ arguments: [String]) async throws {
      let result = try await BuiltCommand.run(arguments)
      #expect(result.status == 0, "\(result.errorText)")
    }
    for (number, lines) in dumps.enumerated() {
      let dump = try out.makeFile("\(number).jsonl", holding: lines.flatMap { $0 + [UInt8(ascii: "\n")] })
      try await expectSuccess(
        ["run", dump, "--out", out.path("out"), "--models", folder.path("campaigns/models")] + options
      )
    }
    let lookups = ["--lookups", folder.path("campaigns/lookups")]
    try await expectSuccess(["settle", out.path("out")] + lookups)
    try await expectSuccess(["enrich", out.path("out")] + lookups)
    let daily = ["--environment", "custom", "--histogram", "--dimensions", Self.dimensions]
    try await expectSuccess(
      ["daily", out.path("out")] + lookups + daily + ["--cost", folder.path("campaigns/cost.csv")]
    )
    var rows: [String: [String]] = [:]
    for table in Self.tables {
      for file in try out.files(below: "out/\(table)") where file.hasSuffix(".jsonl") {
        let text = String(decoding: try out.contents(of: "out/\(table)/\(file)"), as: UTF8.self)
        rows[table, default: []] += text.split(separator: "\n").map(String.init)
      }
      rows[table]?.sort()
    }
    return rows
  }

  /// A copy of a line with other unsigned values, another sender and time, and the keys of a campaign; nil for a line that has no
  /// envelope. The forwarder a sends the highest values.
  private func copy(of line: JSONValue, using random: inout SplitMix) -> JSONValue? {
    guard case .object(var envelope) = line, case .object(var body)? = line["body"],
      case .string(let time)? = line["received_at"]
    else { return nil }
    func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }
    func set(_ key: String, _ value: JSONValue, in members: inout [JSONValue.Member]) {
      members.removeAll { $0.key == key }
      members.append(.init(key, value))
    }
    let isDirect = chance(50)
    let forwarder = isDirect || chance(20) ? nil : ["a", "b", "c"][Int(random.next() % 3)]
    let isRaised = forwarder == "a"
    let values: [(String, UInt64, [JSONValue])] = [
      ("conversion-value", isRaised ? 100 : 5, isRaised ? [.integer(63)] : [.integer(0), .integer(5), .integer(20)]),
      (
        "coarse-conversion-value", isRaised ? 100 : 5, isRaised ? [.string("high")] : [.string("low"), .string("high")]
      ),
      ("ad-interaction-type", 50, [.string("click"), .string("view")]),
    ]
    for (key, percent, choices) in values where line["body"]?[key] != nil && chance(percent) {
      set(key, choices[Int(random.next() % UInt64(choices.count))], in: &body)
    }
    if chance(30) { set("country-code", .string(chance(50) ? "US" : "DE"), in: &body) }
    if chance(30) { set("adjust-campaign-id", .string(chance(50) ? "x" : "y"), in: &body) }
    if chance(30) { set("adjust-adgroup-id", .string(chance(50) ? "g" : "h"), in: &body) }
    if chance(3) { set("test", .bool(true), in: &body) }
    envelope.removeAll { $0.key == "forwarder" }
    set("channel", .string(isDirect ? "apple_direct" : "network_forwarded"), in: &envelope)
    if let forwarder { set("forwarder", .string(forwarder), in: &envelope) }
    let day = 10 + Int(random.next() % 19)
    set("received_at", .string(time.prefix(8) + "\(day)" + time.dropFirst(10)), in: &envelope)
    set("body", .object(body), in: &envelope)
    return .object(envelope)
  }

  @Test(arguments: [1, 2]) func `the order of a dump and its division into runs change no row`(seed: Int) async throws {
    let folder = try TemporaryFolder()
    let generate = [
      "generate", "--count", "700", "--seed", "\(seed)", "--campaigns", "8", "--days", "10", "--valid-only", "--cost",
      "--reporting", folder.path("campaigns"), "--out", folder.path("dump"), "--keys", folder.path("keys"),
    ]
    #expect(try await BuiltCommand.run(generate).status == 0)
    var random = SplitMix(seed: UInt64(seed))
    var lines = try folder.contents(of: "dump").split(separator: UInt8(ascii: "\n")).map { Array($0) }
    for line in lines {
      for _ in 0..<random.next() % 4 {
        if let copy = copy(of: try JSONValue(parsing: line), using: &random) {
          lines.append(Array(copy.description.utf8))
        }
      }
    }
    let keys = try folder.words(of: "keys")
    let expected = try await rows(of: [lines], keys, folder)
    #expect(Self.tables.allSatisfy { expected[$0]?.isEmpty == false })
    #expect(expected["skan_daily"]?.contains { $0.contains("raised_values of forwarder a") } == true)
    for parts in [1, 3] {
      lines.shuffle(using: &random)
      let share = (lines.count + parts - 1) / parts
      let dumps = (0..<parts).map { Array(lines[$0 * share..<min(lines.count, ($0 + 1) * share)]) }
      let found = try await rows(of: dumps, keys, folder)
      for table in Self.tables { #expect(found[table] == expected[table], "\(table)") }
    }
  }
}
