import JSON
import TestSupport
import Testing

/// Dumps of worlds.
struct WorldTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func dump(_ world: String, count: Int = 3000, _ further: [String] = []) async throws -> GeneratedDump {
    let options = ["--world", world, "--days", "28", "--valid-only", "--reporting", folder.path(world)] + further
    return try await GeneratedDump(count: count, seed: 6, options: options)
  }

  /// The names in the help text.
  private func names() async throws -> [String] {
    let lines = try await BuiltCommand.run(["generate", "--help"]).text.split(separator: "\n")
    let list = lines.drop { !$0.contains("NAME is") }.dropFirst().prefix { !$0.contains("--reporting") }
    return list.compactMap { $0.split(separator: ":").first?.trimmingPrefix(while: { $0 == " " }).description }
  }

  @Test func `run reproduces the truth of all worlds line by line`() async throws {
    let names = try await names()
    #expect(names.count > 25)
    for name in names {
      let dump = try await dump(name, count: 300)
      let rows = try await dump.rows()
      #expect(rows.count == 300)
      for truth in dump.truth {
        let line = try #require(truth.integer("line"))
        #expect(rows[line]?["reject_code"] ?? .null == truth["reject_code"], "\(name), line \(line)")
      }
    }
  }

  private func text(_ row: JSONObject, _ name: String) -> String {
    if case .string(let text) = row[name] { text } else { "" }
  }

  /// The names of the forwarders of a dump, with the days on which their copies came.
  private func days(_ dump: GeneratedDump) async throws -> [String: Set<String>] {
    var days: [String: Set<String>] = [:]
    for row in try await dump.rows().values {
      guard case .string(let forwarder)? = row["forwarder"], case .string(let time)? = row["received_at"] else {
        continue
      }
      days[forwarder, default: []].insert(String(time.prefix(10)))
    }
    return days
  }

  @Test func `a forwarder is silent in its outage, and sends late or never`() async throws {
    // The first install day is 2026-03-04.
    let outage = Set((18...19).map { "2026-03-\($0)" })
    for world in ["outage-2-days-lost", "outage-2-days-late"] {
      let days = try await days(dump(world))
      #expect(days["adjust"]?.isDisjoint(with: outage) ?? false)
      #expect(days["appsflyer"]?.isSuperset(of: outage) ?? false)
    }
    let late = try await days(dump("late-start"))
    #expect(late["adjust"]?.min() ?? "" >= "2026-03-14")
    #expect(late["appsflyer"]?.min() ?? "" < "2026-03-10")
  }

  @Test func `a network and a partner both forward a postback`() async throws {
    let rows = try await dump("two-forwarders").rows()
    var senders: [String: Set<String>] = [:]
    for row in rows.values { senders[text(row, "transaction_id"), default: []].insert(text(row, "forwarder")) }
    #expect(senders.values.count { $0 == ["", "network-1", "appsflyer"] } > 100)
  }

  @Test func `one network has most of the traffic`() async throws {
    let dump = try await dump("dominant-network")
    let rows = try await dump.rows().values
    let share =
      Double(rows.count { $0["forwarder"] == .string("network-1") }) / Double(rows.count { $0["forwarder"] != .null })
    #expect(abs(share - 0.8) < 0.06)
  }

  @Test func `few users pay, and each an amount of its own`() async throws {
    let dump = try await dump("rare-payers", count: 12_000, ["--forwarder-edits", "0"])
    let first = dump.truth.filter {
      $0["outcome"] == .string("accepted") && $0.integer("postback_sequence_index") ?? 0 == 0
    }
    let paying = first.filter { ![.null, .number("0")].contains($0["true_revenue"] ?? .null) }
    let share = Double(paying.count) / Double(first.count)
    #expect(abs(share - 0.015) < 0.006)
    // The amounts of one value differ.
    let amounts = Dictionary(grouping: paying) { $0.integer("true_conversion_value") ?? 0 }
      .mapValues { Set($0.map { "\($0["true_revenue"] ?? .null)" }).count }
    #expect(amounts.values.contains { $0 > 3 })
  }

  @Test(arguments: [
    (["--world", "plian"], "Did you mean plain?"),
    (["--world", "model-change", "--models", Fixtures.path("models")], "makes its models"),
  ])
  func `a world that cannot be is refused`(_ options: [String], _ message: String) async throws {
    let arguments = ["generate", "--count", "9", "--reporting", folder.path("none")] + options
    let result = try await BuiltCommand.run(arguments)
    #expect(result.status == 64)
    #expect(result.errorText.contains(message))
  }
}
