import Foundation
import JSON
import PostbackPipeline
import TestSupport
import Testing

@testable import postback

@Suite struct `A run with other settings than earlier runs` {
  /// Apple's production key under another name.
  private static let key =
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWdp8GPcGqmhgzEFj9Z2nSpQVddayaPe4FMzqM9wib1+aHaaIzoHoLN9zW4K8y4SPykE3YVK3sVqW6Af0lfx3gg=="
  private static let otherKey =
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELeEDzpJEP+/qRSE5hJVC1p1J0ssUnQGMzBBbvnACBok8OVGGLgxL0myrKiy6lvRtSlLRsWit87i+vftD8AEqeQ=="

  /// The options of two runs, and the expected changes.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let first: [String]
    let second: [String]
    let changes: [String]
    var testDescription: String { name }
  }

  private static let cases = [
    Case(
      name: "nothing",
      first: ["--allow-app", "1", "--allow-app", "2"],
      second: ["--allow-app", "2", "--allow-app", "1"],
      changes: []
    ),
    Case(name: "a new key", first: [], second: ["--trust-key", "mine=\(key)"], changes: ["key mine added"]),
    Case(name: "a key less", first: ["--trust-key", "mine=\(key)"], second: [], changes: ["key mine removed"]),
    Case(
      name: "another key of the same name",
      first: ["--trust-key", "mine=\(key)"],
      second: ["--trust-key", "mine=\(otherKey)"],
      changes: ["key mine changed"]
    ),
    Case(
      name: "another environment of a key of Apple's",
      first: ["--apple-key", "apple-cas-identifier/1=\(otherKey),development"],
      second: ["--apple-key", "apple-cas-identifier/1=\(otherKey),production,2026-12-01"],
      changes: [
        "key apple-cas-identifier/1 (development) removed",
        "key apple-cas-identifier/1 (production, from 2026-12-01T00:00:00Z) added",
      ]
    ),
    Case(name: "an app", first: [], second: ["--allow-app", "1"], changes: ["policy allow-app changed"]),
    Case(
      name: "development",
      first: ["--allow-development"],
      second: [],
      changes: ["policy allow-development changed"]
    ),
    Case(
      name: "the largest postback",
      first: [],
      second: ["--max-postback-bytes", "2048"],
      changes: ["policy max-postback-bytes changed"]
    ),
    Case(
      name: "models",
      first: [],
      second: ["--models", Fixtures.path("models/10738027756.json")],
      changes: ["model funnel@1 of app 10738027756 added"]
    ),
  ]

  private func run(
    _ folder: TemporaryFolder,
    _ input: String,
    _ options: [String] = []
  ) async throws -> BuiltCommand.Result {
    try await BuiltCommand.run(["run", Fixtures.path(input), "--out", folder.path("out"), "--json"] + options)
  }

  private func changes(_ result: BuiltCommand.Result) throws -> [String] {
    try #require(try JSONValue(parsing: result.output)["changed_settings"]).array.map { change in
      ["kind", "name", "change"].map { change[$0]?.text ?? "" }.joined(separator: " ")
    }
  }

  @Test(arguments: cases) func `says what changed, and continues`(_ settings: Case) async throws {
    let folder = try TemporaryFolder()
    let first = try await run(folder, "postbacks/skadnetwork-2.0.jsonl", settings.first)
    #expect(first.status == 0)
    #expect(try changes(first).isEmpty)
    #expect(!first.errorText.contains("other settings"))
    let second = try await run(folder, "postbacks/skadnetwork-3.0.jsonl", settings.second)
    #expect(second.status == 0, "\(second.errorText)")
    #expect(try changes(second) == settings.changes)
    #expect(second.errorText.contains("decided with other settings") == !settings.changes.isEmpty)
    let third = try await run(folder, "postbacks/skadnetwork-2.1.jsonl", settings.second)
    #expect(try changes(third).isEmpty)
  }

  @Test func `is visible in the status`() async throws {
    let folder = try TemporaryFolder()
    let options = ["--trust-key", "mine=\(Self.key)", "--models", Fixtures.path("models/10738027756.json")]
    #expect(try await run(folder, "postbacks/skadnetwork-2.0.jsonl", options).status == 0)
    let result = try await BuiltCommand.run(["status", "--state", folder.path("out/_state"), "--json"])
    let status = try JSONValue(parsing: result.output)
    #expect(status["output_id"]?.text == (try folder.words(of: "out/_output_id").first))
    #expect(
      status["settings"]?["key"]?["names"]?.array.compactMap(\.text)
        == ["apple-cas-identifier/0", "apple-skadnetwork-p192", "mine"]
    )
    #expect(status["settings"]?["model"]?["names"]?.array.compactMap(\.text) == ["funnel@1 of app 10738027756"])
    for kind in ["key", "policy", "format", "model"] {
      #expect(status["settings"]?[kind]?["digest"]?.text?.utf8.count == 64)
    }
    let text = try await BuiltCommand.run(["status", "--state", folder.path("out/_state")]).text
    #expect(text.contains("apple-cas-identifier/0, apple-skadnetwork-p192, mine"), "\(text)")
  }

  private static let model = String(decoding: Fixtures.bytes("models/10738027756.json"), as: UTF8.self)

  @Test func `is refused if a model changed under the same name`() async throws {
    let folder = try TemporaryFolder()
    let options = ["--models", try folder.makeFile("model.json", holding: Array(Self.model.utf8))]
    #expect(try await run(folder, "postbacks/skadnetwork-2.0.jsonl", options).status == 0)
    try folder.makeFile("model.json", holding: Array(Self.model.replacing("\"invite_friend\"", with: "\"other\"").utf8))
    let result = try await run(folder, "postbacks/skadnetwork-3.0.jsonl", options)
    #expect(result.status == 65)
    #expect(result.errorText.contains("funnel@1 of app 10738027756"), "\(result.errorText)")
    #expect(result.errorText.matches(of: /[0-9a-f]{64}/).count == 2)
    #expect(result.errorText.contains("Give the changed model a new version"))
    // The same number for another app is another model, and white space is no content.
    let other = Self.model.replacing("10738027756", with: "10738027757").replacing("\"add_card\"", with: "\"other\"")
    try folder.makeFile("model.json", holding: Array("[\(Self.model.replacing("  ", with: "")),\(other)]".utf8))
    #expect(try await run(folder, "postbacks/skadnetwork-3.0.jsonl", options).status == 0)
  }

  @Test func `may end a model when the next one begins`() async throws {
    let folder = try TemporaryFolder()
    let options = ["--models", try folder.makeFile("model.json", holding: Array(Self.model.utf8))]
    #expect(try await run(folder, "postbacks/skadnetwork-2.0.jsonl", options).status == 0)
    let ended = Self.model.replacing(#""effective_to": null"#, with: #""effective_to": "2026-06-01T00:00:00Z""#)
    let next = Self.model.replacing("2026-01-01", with: "2026-06-01").replacing(
      #""version": 1"#,
      with: #""version": 2"#
    )
    try folder.makeFile("model.json", holding: Array("[\(ended),\(next)]".utf8))
    let result = try await run(folder, "postbacks/skadnetwork-3.0.jsonl", options)
    #expect(result.status == 0, "\(result.errorText)")
    let name = "of app 10738027756"
    #expect(try changes(result) == ["model funnel@1 \(name) changed", "model funnel@2 \(name) added"])
  }

  @Test func `keeps the old model if SIGHUP loads a changed one of the same name`() async throws {
    let site = try WatchSite()
    let file = try site.folder.makeFile("model.json", holding: Array(Self.model.utf8))
    let process = try site.start(["--models", file])
    try site.put("a.jsonl", Fixtures.bytes("postbacks/skadnetwork-2.0.jsonl"))
    try await site.waitFor("committed")
    try site.folder.makeFile(
      "model.json",
      holding: Array(Self.model.replacing("\"invite_friend\"", with: "\"x\"").utf8)
    )
    kill(process.processIdentifier, SIGHUP)
    try await site.waitFor("reload_failed")
    let next = Self.model.replacing("10738027756", with: "10738027757")
    try site.folder.makeFile("model.json", holding: Array("[\(Self.model),\(next)]".utf8))
    kill(process.processIdentifier, SIGHUP)
    try await site.waitFor("settings_changed")
    kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let log = try site.log
    #expect(log.contains("the model funnel@1 of app 10738027757 was added"), "\(log)")
  }

  @Test(arguments: [["--format", "csv"], ["--format", "both", "--csv-safe"]])
  func `takes over the format if the option is missing`(_ options: [String]) async throws {
    let folder = try TemporaryFolder()
    #expect(try await run(folder, "postbacks/skadnetwork-2.0.jsonl", options).status == 0)
    let again = try await run(folder, "postbacks/skadnetwork-3.0.jsonl")
    #expect(again.status == 0, "\(again.errorText)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("out/skan_postbacks")).sorted()
    #expect(names.contains("part-00000002.csv"))
    #expect(names.contains("part-00000002.jsonl") == options.contains("both"))
    #expect(try await run(folder, "postbacks/skadnetwork-3.0.jsonl", ["--format", "jsonl"]).status == 65)
  }
}
