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

  @Test func `makes the page of the counts of parts that report makes without them`() async throws {
    _ = try await refresh()
    let page = try folder.contents(of: "page.html")
    #expect(try folder.files(below: "out/_derived/page").count > 1)
    for isRemoved in [false, true] {
      if isRemoved { try FileManager.default.removeItem(atPath: folder.path("out/_derived/page")) }
      let again = folder.path("again.html")
      let result = try await BuiltCommand.run(["report", folder.path("out"), "--html", again, "--force"])
      #expect(result.status == 0, "\(result.errorText)")
      #expect(try folder.contents(of: "again.html") == page)
    }
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

  @Test func `keeps the options of all steps for later commands`() async throws {
    let text = String(decoding: try folder.contents(of: "postback.json"), as: UTF8.self)
    try text.replacing("{\"inputs\"", with: "{\"grace_hours\": 12, \"environment\": [\"custom\"], \"inputs\"")
      .write(toFile: configuration, atomically: true, encoding: .utf8)
    _ = try await refresh()
    let settled = try await BuiltCommand.run(["settle", folder.path("out")])
    #expect(settled.status == 0 && settled.errorText.contains("--grace-hours 12"), "\(settled.errorText)")
    let daily = try await BuiltCommand.run(["daily", folder.path("out")])
    #expect(daily.status == 0 && daily.errorText.contains("--environment custom"), "\(daily.errorText)")
    let again = try await BuiltCommand.run(["refresh", folder.path("out"), "--dry-run"])
    #expect(!again.text.contains("planned"), "\(again.text)")
  }

  @Test func `makes a page again that was removed, and plans it`() async throws {
    _ = try await refresh()
    try FileManager.default.removeItem(atPath: folder.path("page.html"))
    #expect(try await refresh(["--dry-run"])["report"]?.state == "planned")
    let again = try await refresh()
    #expect(again["report"]?.state == "made" && again["daily"]?.state == "current")
  }

  @Test(arguments: [["--only", ""], ["--only", "settle,nothing"], ["one", "two"], ["--config", "/nowhere.json"]])
  func `refuses what it cannot do`(_ words: [String]) async throws {
    let result = try await BuiltCommand.run(["refresh"] + words + (words[0] == "--only" ? [folder.path("out")] : []))
    #expect([64, 65].contains(result.status), "\(result.errorText)")
  }
}
