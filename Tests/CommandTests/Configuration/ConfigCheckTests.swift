import Foundation
import JSON
import TestSupport
import Testing

@testable import postback

@Suite struct `The check of a configuration` {
  private struct Site {
    let folder: TemporaryFolder

    /// A site with a configuration that `postback init` wrote.
    init() async throws {
      folder = try TemporaryFolder()
      let result = try await BuiltCommand.run(["init", folder.path("skan")])
      #expect(result.status == 0, "\(result.errorText)")
    }

    /// Writes another configuration beside the one of `init`, and returns its path.
    func write(_ text: String) throws -> String {
      let path = folder.path("other.json")
      try Data(text.replacing("DIR", with: folder.path("skan")).utf8).write(to: URL(filePath: path))
      return path
    }
  }

  private func json(_ path: String) async throws -> (status: Int32, JSONNode) {
    let result = try await BuiltCommand.run(["config", "check", path, "--json"])
    return (result.status, JSONNode(value: try JSONValue(parsing: result.output), pointer: ""))
  }

  private func summaries(_ check: JSONNode) -> [String: String] {
    var found: [String: String] = [:]
    for part in check["parts"].elements ?? [] {
      found[part["part"].value?.text ?? ""] = part["summary"].value?.text
    }
    return found
  }

  private func problems(_ check: JSONNode) -> [String] { words(check["problems"]) }

  private func words(_ node: JSONNode) -> [String] { node.elements?.compactMap { $0.value?.text } ?? [] }

  @Test func `of what init writes finds nothing wrong, and the commands work with it`() async throws {
    let site = try await Site()
    let file = site.folder.path("skan/postback.json")
    let (status, check) = try await json(file)
    #expect(status == 0 && problems(check).isEmpty)
    let found = summaries(check)
    let run = "1 input (1 folder), with 1 model and 0 keys besides Apple's; not while watch or serve --watch runs"
    #expect(found["run"] == run)
    #expect(found["enrich"] == "1 network, 1 app, 1 campaign" && found["load"] == "no postgres")
    #expect(found["daily"] == "environment production; by app_id, network_name, campaign_id, country")
    for name in ["skadnetwork-4.0.jsonl", "adattributionkit.jsonl"] {
      try Data(Fixtures.bytes("postbacks/\(name)")).write(to: URL(filePath: site.folder.path("skan/dumps/\(name)")))
    }
    for command in ["run", "settle", "enrich", "daily", "report", "refresh"] {
      let result = try await BuiltCommand.run([command, "--config", file])
      #expect(result.status == 0, "\(result.errorText)")
      #expect(!result.errorText.contains("warning"), "\(result.errorText)")
    }
    // The example campaign of the lookup tables is that of a postback.
    let enriched = try String(
      contentsOfFile: site.folder.path("skan/out/skan_enriched/part-00000001.jsonl"),
      encoding: .utf8
    )
    #expect(enriched.contains(#""campaign_name":"Launch""#) && enriched.contains(#""enrich_status":"exact""#))
    #expect(FileManager.default.fileExists(atPath: site.folder.path("skan/report.html")))
  }

  @Test func `lists every problem once, with its place`() async throws {
    let site = try await Site()
    let file = try site.write(
      """
      {"spool":"/nowhere/spool","out":"DIR/out","models":["DIR/lookups"],"inputs":["/nowhere/dump"],
       "lookups":"DIR/lookups","costs":"DIR/lookups/apps.csv","report":"page.html",
       "postgres":{"connection":"postgresql://loader:hidden@db.example/reports"},"partners":"/nowhere/partners.json"}
      """
    )
    try Data("ad_network_id,network_name\n,x\n".utf8)
      .write(to: URL(filePath: site.folder.path("skan/lookups/networks.csv")))
    let (status, check) = try await json(file)
    #expect(status == 65)
    let found = problems(check)
    #expect(Set(found).count == found.count)
    for part in ["/nowhere/spool", "/nowhere/dump", "networks.csv: line 2", "PGPASSWORD", "/nowhere/partners.json"] {
      #expect(found.contains { $0.contains(part) }, "\(part) is not in \(found)")
    }
    #expect(!found.joined().contains("hidden"))
    #expect(found.allSatisfy { $0.contains("/") && $0.contains(": ") })
    let text = try await BuiltCommand.run(["config", "check", file])
    #expect(text.status == 65 && text.errorText.contains("\(file) has \(found.count) problems."))
    #expect(found.allSatisfy(text.errorText.contains) && text.text.contains("there are problems, see below"))
  }

  @Test func `refuses places of the wrong kind, or among the files of the spool`() async throws {
    let site = try await Site()
    for (output, part) in [
      ("DIR/spool/new", "is in"), ("DIR/spool/done/out", "is in"), ("DIR/postback.json", "no folder"),
    ] {
      let file = try site.write(
        #"{"spool":"DIR/spool","out":"\#(output)","events":"DIR/spool","report":"DIR/lookups"}"#
      )
      #expect(try await json(file).status == 65)
      let one = try site.write(#"{"spool":"DIR/spool","out":"\#(output)","report":"DIR/lookups"}"#)
      let (status, check) = try await json(one)
      let found = problems(check)
      #expect(status == 65 && found.contains { $0.contains(part) }, "\(found)")
      #expect(found.contains { $0.contains("lookups: This is a folder") }, "\(found)")
    }
    for (events, part) in [("DIR/lookups/../spool", "the same folder"), ("DIR/spool/new/events", "is in")] {
      let (status, check) = try await json(try site.write(#"{"spool":"DIR/spool","events":"\#(events)"}"#))
      let found = problems(check)
      #expect(status == 65 && found.contains { $0.contains(part) }, "\(found)")
    }
    let out = site.folder.path("skan/spool/new")
    let result = try await BuiltCommand.run(["watch", site.folder.path("skan/spool"), "--out", out, "--once"])
    #expect(result.status == 64 && result.errorText.contains("Give a folder outside of the spool"))
  }

  @Test func `prints control characters of paths escaped`() async throws {
    let site = try await Site()
    let file = site.folder.path("a\nb.json")
    try Data(#"{"out":7}"#.utf8).write(to: URL(filePath: file))
    let result = try await BuiltCommand.run(["config", "check", file])
    let shown = file.replacing("\n", with: "\\u{a}")
    #expect(result.status == 65)
    #expect(result.errorText.contains("\n\(shown): /out: The value must be"), "\(result.errorText)")
  }

  @Test func `exits with 66 if files are missing and nothing else is wrong`() async throws {
    let site = try await Site()
    let missing = try site.write(#"{"out":"DIR/out","inputs":["/nowhere/dump"],"lookups":"DIR/lookups"}"#)
    #expect(try await json(missing).status == 66)
    let wrong = try site.write(#"{"out":"DIR/out","report":7}"#)
    let (status, check) = try await json(wrong)
    #expect(status == 65 && check["parts"].elements?.isEmpty == true)
    #expect(problems(check).count == 1 && problems(check)[0].contains("/report: The value must be"))
  }

  @Test func `prints JSON that is valid by its schema`() async throws {
    let site = try await Site()
    let schema = JSONNode(value: try Schema("config_check").value, pointer: "")
    let (_, check) = try await json(site.folder.path("skan/postback.json"))
    let described = schema["properties"]["parts"]["items"]
    #expect(words(schema["required"]) == check.members?.map(\.key))
    #expect(words(described["required"]) == check["parts"].elements?.first?.members?.map(\.key))
    #expect(words(described["properties"]["part"]["enum"]) == ConfiguredParts.names)
  }

  @Test func `init prints commands that a shell reads as they are`() async throws {
    let folder = try TemporaryFolder()
    let result = try await BuiltCommand.run(["init", folder.path("my folder")])
    let file = "'\(folder.path("my folder"))/postback.json'"
    #expect(result.text.contains("postback config check \(file)\n"), "\(result.text)")
    #expect(result.text.contains("postback serve --config \(file) --watch"))
  }

  @Test func `init overwrites nothing`() async throws {
    let folder = try TemporaryFolder()
    let lookups = folder.path("skan/lookups")
    try FileManager.default.createDirectory(atPath: lookups, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: URL(filePath: "\(lookups)/apps.csv"))
    let result = try await BuiltCommand.run(["init", folder.path("skan")])
    #expect(result.status == 73 && result.errorText.contains("apps.csv exists already"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("skan")) == ["lookups"])
    #expect(try String(contentsOfFile: "\(lookups)/apps.csv", encoding: .utf8) == "mine")
    #expect(try await BuiltCommand.run(["init"]).status == 64)
  }
}
