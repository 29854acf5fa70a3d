import Foundation
import JSON
import TestSupport
import Testing

/// `postback refresh`, over genuine postbacks and with a configuration.
@Suite struct RefreshTests {
  private let folder: TemporaryFolder
  private var configuration: String { folder.path("postback.json") }

  init() throws {
    folder = try TemporaryFolder()
    let text = """
      {"inputs": ["\(Fixtures.path("postbacks"))"], "out": "\(folder.path("out"))",
       "models": ["\(Fixtures.path("models"))"], "lookups": "\(folder.path("lookups"))",
       "report": "\(folder.path("page.html"))"}
      """
    _ = try folder.makeFile("postback.json", holding: Array(text.utf8))
    try FileManager.default.copyItem(atPath: Fixtures.path("lookups"), toPath: folder.path("lookups"))
  }

  /// The state and the note of each step.
  private func refresh(_ options: [String] = []) async throws -> [String: (state: String, note: String)] {
    let result = try await BuiltCommand.run(["refresh", "--config", configuration, "--json"] + options)
    #expect(result.status == 0, "\(result.errorText)")
    guard case .array(let steps)? = try JSONValue(parsing: result.output)["steps"] else { return [:] }
    var found: [String: (state: String, note: String)] = [:]
    for step in steps {
      found[step["step"]?.text ?? ""] = (step["state"]?.text ?? "", step["note"]?.text ?? "")
    }
    return found
  }

  @Test func `does every step once, and nothing when nothing is new`() async throws {
    let first = try await refresh()
    #expect(
      first.mapValues(\.state) == [
        "run": "made", "settle": "made", "enrich": "made", "daily": "made", "report": "made",
      ]
    )
    let tables = try folder.files(below: "out/_derived/current")
    let second = try await refresh()
    #expect(second.mapValues(\.state).filter { $0.value == "current" }.count == 4)
    #expect(try folder.files(below: "out/_derived/current") == tables)
    #expect(try await refresh(["--dry-run"])["report"] == nil)
  }

  @Test func `makes again what other settings concern, and says why`() async throws {
    _ = try await refresh()
    let path = folder.path("lookups/apps.csv")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try (text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    let planned = try await refresh(["--dry-run"])
    #expect(planned["settle"]?.note == "the settings have changed")
    #expect(planned["report"]?.state == "planned")
    #expect(try await refresh()["daily"]?.state == "made")
    #expect(try await refresh()["daily"]?.state == "current")
  }

  @Test func `has the tables that the single commands make`() async throws {
    _ = try await refresh()
    let names = try folder.files(below: "out/_derived/current").filter {
      $0.hasSuffix(".jsonl") && !$0.contains("changes")
    }
    let before = try names.map { try folder.contents(of: "out/_derived/current/\($0)") }
    try FileManager.default.removeItem(atPath: folder.path("out/_derived"))
    for command in ["settle", "enrich", "daily"] {
      let result = try await BuiltCommand.run([command, "--config", configuration])
      #expect(result.status == 0, "\(result.errorText)")
    }
    for (name, bytes) in zip(names, before) {
      #expect(try folder.contents(of: "out/_derived/current/\(name)") == bytes, "\(name)")
    }
  }

  @Test(arguments: [["--only", ""], ["--only", "settle,nothing"], ["one", "two"], ["--config", "/nowhere.json"]])
  func `refuses what it cannot do`(_ words: [String]) async throws {
    let result = try await BuiltCommand.run(["refresh"] + words + (words[0] == "--only" ? [folder.path("out")] : []))
    #expect([64, 65].contains(result.status), "\(result.errorText)")
  }
}
