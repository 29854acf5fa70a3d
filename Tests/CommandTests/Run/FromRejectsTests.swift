import Foundation
import JSON
import PostbackPipeline
import TestSupport
import Testing

@testable import postback

@Suite struct `postback run --from-rejects` {
  /// A dump whose keys the first run did not trust, and the result of a run that trusts them.
  private struct Site {
    let folder: TemporaryFolder
    let keys: [String]
    let direct: JSONValue

    init() async throws {
      folder = try TemporaryFolder()
      let shares = ["--forged", "0.05", "--duplicate", "0.1", "--malformed", "0.05", "--count", "600", "--seed", "3"]
      let files = ["--out", folder.path("dump"), "--keys", folder.path("keys")]
      let generated = try await BuiltCommand.run(["generate", "--envelopes"] + shares + files)
      try #require(generated.status == 0, "\(generated.errorText)")
      keys = try folder.words(of: "keys")
      direct = try JSONValue(parsing: try await Self.run(folder, "direct", [folder.path("dump")] + keys).output)
    }

    static func run(
      _ folder: TemporaryFolder,
      _ out: String,
      _ options: [String]
    ) async throws -> BuiltCommand.Result {
      try await BuiltCommand.run(["run", "--json", "--out", folder.path(out), "--part-bytes", "60000"] + options)
    }

    /// Runs over the dump without its keys.
    func rejectAll() async throws -> JSONValue {
      try JSONValue(parsing: try await Self.run(folder, "out", [folder.path("dump")]).output)
    }

    /// Runs over rejects and returns the summary, in which accepted and rejected records must add up.
    func feed(_ options: [String], into out: String = "out") async throws -> JSONValue {
      let result = try await Self.run(folder, out, ["--from-rejects", folder.path("out")] + options)
      try #require(result.status == 0, "\(result.errorText)")
      let summary = try JSONValue(parsing: result.output)
      let counts = ["read", "accepted", "rejected"].compactMap { summary[$0]?.integer }
      #expect(counts.count == 3 && counts[0] == counts[1] + counts[2])
      #expect(summary["from_rejects"]?["taken_up"]?.integer == counts[0])
      return summary
    }

    /// All rows of a table, in the order of its parts.
    func rows(_ out: String, _ table: String) throws -> [UInt8] {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("\(out)/\(table)")).sorted()
      return try names.flatMap { try folder.contents(of: "\(out)/\(table)/\($0)") }
    }

    func rejects(_ options: [String] = []) async throws -> Int64? {
      let arguments = ["rejects", folder.path("out"), "--format", "json"] + options
      return try JSONValue(parsing: try await BuiltCommand.run(arguments).output)["rejects"]?.integer
    }

    func status(_ options: [String] = []) async throws -> JSONValue {
      let arguments = ["status", "--state", folder.path("out/_state"), "--json"] + options
      return try JSONValue(parsing: try await BuiltCommand.run(arguments).output)
    }
  }

  private func count(_ summary: JSONValue, _ name: String) -> Int64 { summary["from_rejects"]?[name]?.integer ?? -1 }

  @Test func `makes the rows of a run that trusted the keys, each exactly once`() async throws {
    let site = try await Site()
    let first = try await site.rejectAll()
    let before = try site.rows("out", "skan_rejects")
    let fed = try await site.feed(site.keys)
    #expect(fed["accepted"] == site.direct["accepted"])
    for table in ["skan_postbacks", "skan_events"] {
      #expect(try site.rows("out", table) == site.rows("direct", table))
    }
    // Reject rows never change.
    #expect(try site.rows("out", "skan_rejects").starts(with: before))
    #expect(count(fed, "taken_up") + count(fed, "not_whole") == first["read"]?.integer)
    let rejected = try #require(site.direct["rejected"]?.integer)
    #expect(try await site.rejects() == rejected)
    #expect(try await site.rejects(["--include-fed-back"]) == rejected + count(fed, "taken_up"))
    let status = try await site.status()
    #expect(["read", "accepted", "rejected", "by_code"].allSatisfy { status[$0] == site.direct[$0] })
    #expect(status["fed_back"]?.integer == count(fed, "taken_up"))
    #expect(try await site.status(["--include-fed-back"])["rejected"]?.integer == rejected + count(fed, "taken_up"))
    // The live page does not count them either.
    let view = ["view", site.folder.path("out"), "--get"]
    let totals = try JSONValue(parsing: try await BuiltCommand.run(view + ["/api/overview"]).output)["totals"]
    #expect(["copies", "noise", "suspicious"].reduce(0) { $0 + (totals?[$1]?.integer ?? -1) } == rejected)
    let listed = try await BuiltCommand.run(view + ["/api/rejects.csv"]).text.split(whereSeparator: \.isNewline)
    #expect(listed.count - 1 == rejected)
    let again = try await site.feed(site.keys)
    #expect(again["read"]?.integer == 0)
    #expect(count(again, "taken_up_before") == count(fed, "taken_up"))
    let check = ["state", "check", "--state", site.folder.path("out/_state"), "--out", site.folder.path("out")]
    #expect(try await BuiltCommand.run(check).text == "sound\n")
  }

  @Test func `accepts rejects once the key is right, and rejects them again before`() async throws {
    let site = try await Site()
    _ = try await site.rejectAll()
    let wrong = try await site.feed([])
    #expect(wrong["accepted"]?.integer == 0)
    #expect(count(wrong, "taken_up") > 500)
    let same = try await site.feed([])
    #expect(same["read"]?.integer == 0)
    #expect(count(same, "decided_before") == count(wrong, "taken_up"))
    #expect(try await site.rejects() == count(wrong, "taken_up") + count(wrong, "not_whole"))
    let right = try await site.feed(site.keys)
    #expect(right["accepted"] == site.direct["accepted"])
    #expect(count(right, "taken_up") == count(wrong, "taken_up"))
    #expect(try site.rows("out", "skan_postbacks") == site.rows("direct", "skan_postbacks"))
    #expect(try await site.rejects() == site.direct["rejected"]?.integer)
  }

  @Test func `skips copies, and reads only rejects that meet the conditions`() async throws {
    let site = try await Site()
    _ = try await Site.run(site.folder, "out", [site.folder.path("dump")] + site.keys)
    let copies = ["duplicate_identical", "duplicate_conflict", "duplicate_transaction"]
    let expected = copies.reduce(0) { $0 + (site.direct["by_code"]?[$1]?.integer ?? 0) }
    let fed = try await site.feed(["--where", "stage=dedup", "--trust-key", "none=\(Self.key)"], into: "other")
    #expect(fed["read"]?.integer == 0)
    #expect(count(fed, "duplicates") == expected && expected > 0)
    let some = try await site.feed(["--where", "reject_code=signature_invalid"] + site.keys, into: "other")
    #expect(count(some, "taken_up") == site.direct["by_code"]?["signature_invalid"]?.integer)
    #expect(some["by_code"]?["signature_invalid"] == some["read"])
    // Another output's ledger does not tell this one's rejects.
    #expect(try await site.rejects() == site.direct["rejected"]?.integer)
    #expect(
      try await site.feed(["--where", "reject_code=signature_invalid"] + site.keys, into: "other")["read"]?.integer == 0
    )
  }

  private static let key =
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWdp8GPcGqmhgzEFj9Z2nSpQVddayaPe4FMzqM9wib1+aHaaIzoHoLN9zW4K8y4SPykE3YVK3sVqW6Af0lfx3gg=="

  @Test func `keeps the time of receipt of bare postbacks, and warns of truncated bytes`() async throws {
    let folder = try TemporaryFolder()
    let large = #"{"version":"4.0","padding":""# + String(repeating: "x", count: 2000) + "\"}\n"
    let input = RealPostback.adAttributionKit.bytes + Array("\n".utf8) + Array(large.utf8) + [0x7B, 0xFF, 0x00, 0x7D]
    let path = try folder.makeFile("in.jsonl", holding: input)
    let out = ["--json", "--out", folder.path("out"), "--max-postback-bytes", "1500"]
    let time = ["--received-at", "2026-03-10T00:00:00Z"]
    #expect(try await BuiltCommand.run(["run", path] + out + time).status == 0)
    let result = try await BuiltCommand.run(
      ["run", "--from-rejects", folder.path("out"), "--allow-development", "--received-at", "2026-09-09T00:00:00Z"]
        + out
    )
    let summary = try JSONValue(parsing: result.output)
    #expect([count(summary, "taken_up"), count(summary, "not_whole")] == [2, 1])
    #expect(summary["accepted"]?.integer == 1)
    let rows = try JSONObject.lines(try folder.contents(of: "out/skan_postbacks/part-00000002.jsonl"))
    let row = try #require(rows.first)
    #expect(row["received_at"] == .string("2026-03-10T00:00:00Z"))
    #expect(row["source_file"] == .string(path) && row.integer("source_line") == 1)
    #expect(row["received_at_source"] == .string("option"))
    // What is no text comes back as it was.
    let rejects = try (1...2).map {
      try JSONObject.lines(try folder.contents(of: "out/skan_rejects/part-0000000\($0).jsonl"))
    }
    #expect(rejects[1].first?["raw_sha256"] == rejects[0].last?["raw_sha256"])
  }

  @Test func `reads the rejects of an earlier version of the program`() async throws {
    let folder = try TemporaryFolder()
    let tar = ["tar", "-xzf", Fixtures.path("states/version-1.tar.gz"), "-C", folder.path("")]
    try #require(try await BuiltCommand.run(executable: "/usr/bin/env", tar).status == 0)
    let feed = ["run", "--json", "--from-rejects", folder.path("out"), "--allow-development", "--out"]
    let refused = try await BuiltCommand.run(feed + [folder.path("other")])
    #expect(refused.status == 65)
    #expect(refused.errorText.contains("has no file _output_id"), "\(refused.errorText)")
    // The parts that were open are complete only at the end of a run.
    #expect(
      try await BuiltCommand.run(["run", Fixtures.path("postbacks/skadnetwork-1.0.jsonl"), "--out", folder.path("out")])
        .status == 0
    )
    let result = try await BuiltCommand.run(feed + [folder.path("out")])
    #expect(result.status == 0, "\(result.errorText)")
    let summary = try JSONValue(parsing: result.output)
    #expect(summary["accepted"]?.integer == 1)
    #expect(count(summary, "duplicates") == 3)
    let row = try JSONObject.lines(try folder.contents(of: "out/skan_postbacks/part-00000002.jsonl")).first
    #expect(row?["received_at"] == .string("2026-03-10T00:00:00Z"))
    #expect(row?["received_at_source"] == .string("file_mtime"))
  }

  @Test(arguments: [
    (["--from-rejects", "OUT", "in.jsonl"], 64), (["--where", "stage=dedup", "in.jsonl"], 64),
    (["--from-rejects", "OUT", "--where", "nothing=1"], 64), (["--from-rejects", "missing"], 66),
  ]) func `says what makes no sense`(_ options: [String], _ status: Int) async throws {
    let folder = try TemporaryFolder()
    let options = options.map { ["OUT", "missing"].contains($0) ? folder.path($0) : $0 }
    let result = try await BuiltCommand.run(["run", "--out", folder.path("out")] + options)
    #expect(result.status == Int32(status), "\(result.errorText)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("out")))
  }
}
