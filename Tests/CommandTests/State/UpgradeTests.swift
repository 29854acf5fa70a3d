import Foundation
import JSON
import TestSupport
import Testing

/// `Fixtures/states/version-4.tar.gz` is a consumer that was killed by the program of ledger version 4: the postbacks of three
/// files are in open parts, and two files wait in the spool.
@Suite struct `A consumer of an earlier version that was killed` {
  private static let options = [
    "--models", Fixtures.path("models"), "--received-at", "2026-03-10T00:00:00Z", "--out", "out",
  ]

  /// Runs the command in a folder, because the fixture has relative paths.
  private func run(_ arguments: [String], in folder: TemporaryFolder) async throws -> BuiltCommand.Result {
    try await BuiltCommand.run(
      executable: "/bin/sh",
      ["-c", "cd \"$0\" && exec \"$@\"", folder.path(""), try BuiltCommand.path] + arguments
    )
  }

  /// The keys of the accepted postbacks, or the raw bodies of the rejects, in order.
  private func rows(_ table: String, _ column: String, _ folder: TemporaryFolder) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("out/\(table)")).sorted()
    return try names.flatMap { name in
      try folder.contents(of: "out/\(table)/\(name)").split(separator: UInt8(ascii: "\n"))
        .map { try #require(try JSONValue(parsing: Array($0))[column]?.text) }
    }
  }

  @Test func `continues with this version, and has the rows of a consumer that was never interrupted`() async throws {
    let folder = try TemporaryFolder()
    let tar = ["tar", "-xzf", Fixtures.path("states/version-4.tar.gz"), "-C", folder.path("")]
    try #require(try await BuiltCommand.run(executable: "/usr/bin/env", tar).status == 0)
    let status = try await run(["status", "out", "--json"], in: folder)
    #expect(status.status == 0, "\(status.errorText)")
    #expect(status.text.contains(#""accepted":5"#), "\(status.text)")
    let upgraded = try await run(["watch", "spool", "--once"] + Self.options, in: folder)
    #expect(upgraded.status == 0, "\(upgraded.errorText)")
    let check = try await run(["state", "check", "out"], in: folder)
    #expect(check.text == "sound\n", "\(check.text)")

    let other = try TemporaryFolder()
    for name in ["spool", "spool/tmp", "spool/new"] {
      try FileManager.default.createDirectory(atPath: other.path(name), withIntermediateDirectories: false)
    }
    for name in ["2.0", "2.1", "2.2", "3.0", "4.0"] {
      let file = "skadnetwork-\(name).jsonl"
      try other.makeFile("spool/new/\(file)", holding: Fixtures.bytes("postbacks/\(file)"))
    }
    #expect(try await run(["watch", "spool", "--once"] + Self.options, in: other).status == 0)
    for (table, column) in [
      ("skan_postbacks", "postback_key"), ("skan_events", "postback_key"), ("skan_rejects", "raw_body"),
    ] {
      let rows = try rows(table, column, folder)
      #expect(!rows.isEmpty)
      #expect(try rows == self.rows(table, column, other))
    }

    // What the earlier version accepted is known: a copy in another file is a copy.
    try folder.makeFile(
      "spool/new/again.jsonl",
      holding: Fixtures.bytes("postbacks/skadnetwork-3.0.jsonl") + Fixtures.bytes("postbacks/skadnetwork-2.1.jsonl")
    )
    let before = try rows("skan_postbacks", "postback_key", folder)
    #expect(try await run(["watch", "spool", "--once"] + Self.options, in: folder).status == 0)
    #expect(try rows("skan_postbacks", "postback_key", folder) == before)
  }
}
