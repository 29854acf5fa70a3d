import Foundation
import AppIntegrationCheck
import JSON
import TestSupport
import Testing

@Suite struct ValidateImplementationTests {
  private func run(_ arguments: [String]) async throws -> BuiltCommand.Result {
    try await BuiltCommand.run(["validate-implementation"] + arguments)
  }

  private static let rules = ImplementationRule.allCases.filter { $0 != .postbackCrossCheck }
  private static let files = rules.map { Fixtures.path("implementation/\($0.rawValue).jsonl") }

  @Test func `the answer is as its schema says`() async throws {
    let folder = try TemporaryFolder()
    let (out, bad) = (folder.path("out"), try folder.makeFile("bad.jsonl", holding: Array("{}\n".utf8)))
    let dump = Fixtures.path("postbacks/skadnetwork-4.0.jsonl")
    #expect(try await BuiltCommand.run(["run", dump, "--out", out]).status == 0)
    let models = Fixtures.path("implementation/models")
    let result = try await run(Self.files + [bad, "--models", models, "--postbacks", out, "--json"])
    #expect(result.status == 65)
    #expect(result.errorText.contains("line 1 of \(bad)"))
    let answer = try folder.makeFile("answer.json", holding: result.output)
    let arguments = [Fixtures.path("../Tests/validate.py"), "--implementation", answer]
    var check = try await BuiltCommand.run(executable: "/usr/bin/env", ["python3"] + arguments)
    if check.status == 77 { check = try await BuiltCommand.run(executable: "/usr/bin/python3", arguments) }
    #expect(check.status == 0 || check.status == 77, "\(check.text)\(check.errorText)")
    let schema = try JSONValue(parsing: Fixtures.bytes("../schemas/implementation.schema.json"))
    let words = schema["properties"]?["findings"]?["items"]?["properties"]?["rule"]?["enum"]
    #expect(words == .array(ImplementationRule.allCases.map { .string($0.rawValue) }))
    let json = try JSONValue(parsing: result.output)
    guard case .object(let members) = json, case .object(let properties)? = schema["properties"] else {
      Issue.record("the answer or the schema has no members")
      return
    }
    #expect(members.map(\.key) == properties.map(\.key))
  }

  @Test func `devices are hashed unless they are asked for`() async throws {
    let path = Fixtures.path("implementation/fine_range.jsonl")
    let hidden = try await run([path])
    #expect(hidden.status == 0)
    #expect(hidden.text.contains("fine_range"))
    #expect(!hidden.text.lowercased().contains("6d92078a"))
    #expect(try await run([path, "--show-devices"]).text.contains("6d92078a-8246-4ba4-ae5b-76104861e7dc"))
  }

  @Test func `a warning counts the rows that no model is for`() async throws {
    let result = try await run([
      Fixtures.path("implementation/value_vs_model.jsonl"), "--models", Fixtures.path("models"),
    ])
    #expect(result.status == 0)
    #expect(result.errorText.contains("3 rows were compared with no model"))
  }

  @Test(arguments: ["", "/s2s_events"])
  func `of a folder, hidden files and folders are not read`(_ place: String) async throws {
    let folder = try TemporaryFolder()
    let events = "out/s2s_events"
    try FileManager.default.createDirectory(atPath: folder.path("\(events)/.kept"), withIntermediateDirectories: true)
    let pass = Fixtures.bytes("implementation/pass.jsonl")
    try folder.makeFile("\(events)/part-00000001.jsonl", holding: pass)
    for name in [".lock", ".damaged-1", ".kept/part-00000002.jsonl"] {
      try folder.makeFile("\(events)/\(name)", holding: Array("no row\n".utf8))
    }
    let result = try await run([folder.path("out") + place])
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.text.hasPrefix("5 rows of 1 devices, 0 not checked"), "\(result.text)")
  }

  @Test func `the report on a run includes the findings`() async throws {
    let folder = try TemporaryFolder()
    let out = folder.path("out")
    let dump = Fixtures.path("postbacks/skadnetwork-4.0.jsonl")
    #expect(try await BuiltCommand.run(["run", dump, "--out", out]).status == 0)
    let answer = try await run(Self.files + ["--json"]).text.replacing("\"3.1\"", with: "\"<b>3.1\"")
    let file = try folder.makeFile("answer.json", holding: Array(answer.utf8))
    let page = try await BuiltCommand.run(["report", out, "--html", "-", "--implementation", file])
    #expect(page.status == 0, "\(page.errorText)")
    #expect(page.text.contains("<h2 id=\"implementation\">"))
    #expect(page.text.contains("fine_range"))
    #expect(page.text.contains("&lt;b&gt;3.1"))
    let wrong = try await BuiltCommand.run(["report", out, "--html", "-", "--implementation", dump])
    #expect(wrong.status == 65)
    let plain = try await BuiltCommand.run(["report", out, "--html", "-"])
    #expect(!plain.text.contains("id=\"implementation\""))
  }

  @Test(
    arguments: [
      ([], 64), (["/nonexistent"], 66), (["x", "--show", "-1"], 64), (["x", "--models", "/nonexistent"], 65),
      (["/dev/null", "--temporary", "/nonexistent"], 65), (["/dev/null", "--postbacks", "/nonexistent"], 66),
    ] as [([String], Int32)]
  )
  func `wrong arguments have the usual exit statuses`(_ arguments: [String], _ status: Int32) async throws {
    let result = try await run(arguments)
    #expect(result.status == status, "\(result.errorText)")
  }
}
