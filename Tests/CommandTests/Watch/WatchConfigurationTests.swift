import Foundation
import JSON
import TestSupport
import Testing

@Suite struct `A consumer with a configuration` {
  private static let postbacks = "postbacks/skadnetwork-4.0.jsonl"

  /// Runs `watch --once` with a configuration in which `FOLDER` stands for the site's folder.
  private func watch(
    _ configuration: String,
    _ options: [String] = [],
    at site: WatchSite
  ) async throws -> BuiltCommand.Result {
    let text = configuration.replacing("FOLDER", with: site.folder.path(""))
    let file = try site.folder.makeFile("server.json", holding: Array(text.utf8))
    return try await BuiltCommand.run(["watch", "--config", file, "--once"] + options)
  }

  @Test func `takes the spool, the tables and the state from the file of the receiver`() async throws {
    let site = try WatchSite()
    try site.put("a.jsonl", Fixtures.bytes(Self.postbacks))
    let result = try await watch(
      """
      {"listen":":80","spool":"FOLDER/spool","out":"FOLDER/tables","state":"FOLDER/state","models":[],
       "forwarders":[{"name":"a","bearer_token_file":"FOLDER/missing"}],"limits":{"postback_bytes":1024}}
      """,
      at: site
    )
    #expect(result.status == 0, "\(result.errorText)")
    let done = try FileManager.default.subpathsOfDirectory(atPath: site.folder.path("spool/done"))
    #expect(done.contains { $0.hasSuffix("/a.jsonl") })
    #expect(FileManager.default.fileExists(atPath: site.folder.path("state/ledger.sqlite")))
    #expect(FileManager.default.fileExists(atPath: site.folder.path("tables/skan_postbacks")))
  }

  @Test func `is overridden by the options`() async throws {
    let site = try WatchSite()
    try site.put("a.jsonl", Fixtures.bytes(Self.postbacks))
    let options = [site.folder.path("spool"), "--out", site.folder.path("other")]
    let result = try await watch(#"{"spool":"/nowhere","out":"/nowhere"}"#, options, at: site)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(FileManager.default.fileExists(atPath: site.folder.path("other/_state/ledger.sqlite")))
  }

  @Test func `trusts the keys of the file, whose rows have the environment custom`() async throws {
    let dump = try await GeneratedDump(count: 40, seed: 3)
    let keys = zip(dump.keys, dump.keys.dropFirst()).filter { $0.0 == "--trust-key" }.map { _, key in
      let parts = key.split(separator: "=", maxSplits: 1)
      return #"{"id":"\#(parts[0])","key":"\#(parts[1])"}"#
    }
    try #require(!keys.isEmpty)
    let site = try WatchSite()
    try site.put("a.jsonl", dump.bytes)
    let folders = #""spool":"FOLDER/spool","out":"FOLDER/out""#
    let result = try await watch("{\(folders),\"trusted_keys\":[\(keys.joined(separator: ","))]}", at: site)
    #expect(result.status == 0, "\(result.errorText)")
    let folder = site.folder.path("out/skan_postbacks")
    let rows = try FileManager.default.contentsOfDirectory(atPath: folder).flatMap { name in
      try JSONObject.lines(try site.folder.contents(of: "out/skan_postbacks/\(name)"))
    }
    #expect(!rows.isEmpty && rows.contains { $0["environment"] == .string("custom") })
    #expect(!rows.contains { $0["environment"] == .string("production") })
  }

  @Test func `must name the spool and the tables, or the options do`() async throws {
    let site = try WatchSite()
    let noSpool = try await watch("{}", ["--out", site.folder.path("out")], at: site)
    #expect(noSpool.status == 64 && noSpool.errorText.contains("spool"))
    let noTables = try await watch(#"{"spool":"FOLDER/spool"}"#, at: site)
    #expect(noTables.status == 64 && noTables.errorText.contains("--out"))
    let wrong = try await watch(#"{"spool":"FOLDER/spool","out":"FOLDER/out","listen":7}"#, at: site)
    #expect(wrong.status == 65 && wrong.errorText.contains("/listen"))
  }
}
