import JSON
import TestSupport
import Testing

/// Dumps of campaigns, with the files for reporting.
struct CampaignTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func options(_ name: String = "reporting", _ further: [String] = []) -> [String] {
    ["--campaigns", "12", "--days", "5", "--reporting", folder.path(name), "--cost"] + further
  }

  private func file(_ name: String) throws -> String { String(decoding: try folder.contents(of: name), as: UTF8.self) }

  @Test func `run, enrich and the totals agree with the truth`() async throws {
    let arguments = ["--program", try BuiltCommand.path, "--count", "1500", "--seed", "3"]
    let script = Fixtures.path("../Tests/Reporting/compare.py")
    let result = try await BuiltCommand.run(executable: "/usr/bin/env", ["python3", script] + arguments)
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
  }

  @Test func `run reproduces the truth of campaigns line by line`() async throws {
    let dump = try await GeneratedDump(count: 4000, seed: 7, options: GenerateTests.everything + options())
    let rows = try await dump.rows()
    #expect(rows.count == 4000)
    for truth in dump.truth {
      let line = try #require(truth.integer("line"))
      #expect(rows[line]?["reject_code"] ?? .null == truth["reject_code"], "line \(line)")
      if truth["kind"] == .string("valid") { #expect(rows[line]?["tier_flags"] == .null, "line \(line)") }
    }
    #expect(dump.values(of: "kind").isSuperset(of: Self.kinds))
    #expect(dump.values(of: "forwarder_edit") == ["changed", "dropped", "added", "zero_for_null"])
    #expect(dump.values(of: "conversion") == ["install", "redownload", "re-engagement"])
  }

  private static let kinds: Set<String> = [
    "valid", "zero_filled", "forged", "edited", "forwarder_edited", "duplicate_identical", "duplicate_conflict",
    "duplicate_transaction", "malformed:too_deep",
  ]

  @Test func `a seed gives the same campaigns for any number of jobs`() async throws {
    let one = try await GeneratedDump(count: 9000, seed: 11, options: options("one", ["--jobs", "1"]))
    let three = try await GeneratedDump(count: 9000, seed: 11, options: options("three", ["--jobs", "3"]))
    #expect(one.bytes == three.bytes)
    #expect(one.truth == three.truth)
    for name in ["truth_daily.csv", "cost.csv", "rates.csv", "lookups/campaigns.csv", "models/models.json"] {
      #expect(try file("one/\(name)") == file("three/\(name)"))
    }
  }

  @Test(arguments: [0, 1, 6, 8192, 8193])
  func `a dump of campaigns has the requested number of lines`(_ count: Int) async throws {
    let dump = try await GeneratedDump(count: count, seed: 5, options: options())
    #expect(dump.bytes.count { $0 == UInt8(ascii: "\n") } == count)
    #expect(dump.truth.count == count)
  }

  @Test func `the data tiers have the requested shares`() async throws {
    let dump = try await GeneratedDump(
      count: 16_000,
      seed: 2,
      options: options() + ["--valid-only", "--tiers", "0=1,2=3"]
    )
    // A user of tier 0 has the postback of window 0 only.
    let tiers = dump.truth.filter {
      $0["outcome"] == .string("accepted") && $0.integer("postback_sequence_index") ?? 0 == 0
    }
    .map { $0.integer("data_tier") }
    #expect(Set(tiers) == [0, 2])
    let share = Double(tiers.count { $0 == 0 }) / Double(tiers.count)
    #expect(abs(share - 0.25) < 0.02)
  }

  @Test func `without forwarders' edits all values are those of Apple`() async throws {
    let dump = try await GeneratedDump(count: 2000, seed: 7, options: options() + ["--forwarder-edits", "0"])
    #expect(dump.values(of: "forwarder_edit") == ["zero_for_null"])
    let edited = try await GeneratedDump(count: 3000, seed: 7, options: options("one", ["--forwarder-edits", "1"]))
    let forwarded = edited.truth.filter { $0["forwarder_edit"] ?? .null != .null }
    #expect(forwarded.count > 1000)
  }

  @Test(arguments: ["4.0", "3.0", "2.0", "1.0", "aak"])
  func `campaigns may have postbacks of a single version`(_ version: String) async throws {
    let dump = try await GeneratedDump(count: 300, seed: 2, options: options() + ["--versions", version])
    #expect(dump.truth.count == 300)
    #expect(dump.values(of: "version") == [version])
  }

  @Test func `an app without a model for the days is refused`() async throws {
    let arguments = ["generate", "--count", "9", "--until", "2020-01-01", "--models", Fixtures.path("models")]
    let result = try await BuiltCommand.run(arguments + options())
    #expect(result.status == 64)
    #expect(result.errorText.contains("--models has no model of the app"))
    #expect(try folder.names.isEmpty)
  }

  @Test func `existing files for reporting are not changed`() async throws {
    _ = try await GeneratedDump(count: 10, seed: 2, options: options())
    let before = try file("reporting/truth_daily.csv")
    let result = try await BuiltCommand.run(["generate", "--count", "20"] + options())
    #expect(result.status == 73)
    #expect(try file("reporting/truth_daily.csv") == before)
  }
}
