import DurableFiles
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
    #expect(try await refresh(["--dry-run"])["report"]?.state == "current")
  }

  @Test func `makes again what other settings concern, and says why`() async throws {
    _ = try await refresh()
    let path = folder.path("lookups/apps.csv")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try (text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    let planned = try await refresh(["--dry-run"])
    let reason = "the settings, the rules of calculation, or files or tables that it reads, have changed"
    #expect(planned["settle"]?.note == reason)
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

  @Test func `names the table of a step that the configuration no longer has`() async throws {
    _ = try await refresh()
    let text = String(decoding: try folder.contents(of: "postback.json"), as: UTF8.self)
    let lookups = "\"lookups\": \"\(folder.path("lookups"))\","
    try Data(text.replacing(lookups, with: "").utf8).write(to: URL(fileURLWithPath: configuration))
    let result = try await BuiltCommand.run(["refresh", "--config", configuration])
    #expect(result.status == 0 && result.errorText.contains("skan_enriched stays as it is"), "\(result.errorText)")
  }

  @Test func `overwrites no file that is no page`() async throws {
    let file = try folder.makeFile("page.html", holding: Array("a model".utf8))
    let check = try await BuiltCommand.run(["config", "check", configuration])
    #expect(check.status == 65 && check.errorText.contains("page.html: The file is no HTML page"), "\(check.errorText)")
    let result = try await BuiltCommand.run(["refresh", "--config", configuration])
    #expect(result.status == 73 && result.errorText.contains("The file is no HTML page"), "\(result.errorText)")
    #expect(try folder.contents(of: "page.html") == Array("a model".utf8))
    try FileManager.default.removeItem(atPath: file)
    for _ in 0..<2 { #expect(try await refresh(["--only", "report"])["report"]?.state != nil) }
  }

  @Test func `says where relative paths of the configuration begin`() async throws {
    try Data(#"{"out": "no-such-output"}"#.utf8).write(to: URL(fileURLWithPath: configuration))
    let result = try await BuiltCommand.run(["refresh", "--config", configuration])
    #expect(result.status == 66, "\(result.errorText)")
    #expect(
      result.errorText.contains("Relative paths in \(configuration) begin in the working directory"),
      "\(result.errorText)"
    )
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

  @Test func `keeps the lookup tables where only the order of their dates is given`() async throws {
    let (out, lookups) = (folder.path("out"), folder.path("lookups"))
    for words in [
      ["run", Fixtures.path("postbacks"), "--models", Fixtures.path("models"), "--out", out],
      ["daily", out, "--lookups", lookups, "--allow-overlap"],
    ] { #expect(try await BuiltCommand.run(words).status == 0) }
    let told = try await BuiltCommand.run(["daily", out, "--date-format", "MDY"])
    #expect(told.status == 0 && told.errorText.contains("--lookups \(lookups) --allow-overlap"), "\(told.errorText)")
    let anew = try await BuiltCommand.run(["daily", out, "--lookups", lookups])
    #expect(anew.errorText.contains("--date-format changes from MDY to nothing."), "\(anew.errorText)")
  }

  @Test func `keeps the formats of earlier commands until others are given`() async throws {
    let out = folder.path("out")
    func call(_ words: [String]) async throws -> String {
      let result = try await BuiltCommand.run(words)
      #expect(result.status == 0, "\(result.errorText)")
      return result.errorText
    }
    func names(_ table: String) -> Set<String> {
      Set((try? FileManager.default.contentsOfDirectory(atPath: "\(out)/\(table)")) ?? [])
    }
    let both: Set = ["part-00000001.csv", "part-00000001.jsonl", "_csv_safe"]
    _ = try await call(["run", Fixtures.path("postbacks"), "--models", Fixtures.path("models"), "--out", out])
    _ = try await call(["daily", out, "--format", "both", "--csv-safe"])
    let told = try await call(["refresh", out])
    #expect(told.contains("--format both --csv-safe"), "\(told)")
    for table in ["skan_settled", "skan_daily"] { #expect(names(table).isSuperset(of: both), "\(table)") }
    _ = try await call(["enrich", out, "--lookups", folder.path("lookups")])
    #expect(names("skan_enriched").isSuperset(of: both))
    let changed = try await call(["settle", out, "--format", "jsonl"])
    #expect(changed.contains("--format changes from both to jsonl."), "\(changed)")
    _ = try await call(["daily", out])
    for table in ["skan_settled", "skan_daily"] {
      #expect(names(table).isDisjoint(with: both.subtracting(["part-00000001.jsonl"])))
    }
    // CSV alone would stop the commands that read the table.
    _ = try await call(["daily", out, "--format", "csv"])
    #expect(names("skan_daily").isSuperset(of: both.subtracting(["_csv_safe"])))
    _ = try await call(["daily", out, "--reset"])
    #expect(names("skan_daily").isDisjoint(with: ["part-00000001.csv"]))
  }

  @Test func `makes a page again that was removed, and plans it`() async throws {
    _ = try await refresh()
    try FileManager.default.removeItem(atPath: folder.path("page.html"))
    #expect(try await refresh(["--dry-run"])["report"]?.state == "planned")
    let again = try await refresh()
    #expect(again["report"]?.state == "made" && again["daily"]?.state == "current")
  }

  @Test func `does its work once where another one begins at the same time`() async throws {
    let run = try await BuiltCommand.run(["run", "--config", configuration])
    #expect(run.status == 0, "\(run.errorText)")
    async let others = [refreshTables(), refreshTables(), refreshTables()]
    let statuses = try await others
    #expect(statuses.contains(0) && statuses.allSatisfy { [0, 75].contains($0) }, "\(statuses)")
    let current = folder.path("out/_derived/current")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: current) == "1")
  }

  private func refreshTables() async throws -> Int32 {
    try await BuiltCommand.run(["refresh", "--config", configuration, "--only", "settle,enrich,daily"]).status
  }

  @Test func `ends with 75 and names the process while another one writes the tables`() async throws {
    _ = try await refresh(["--only", "run"])
    try FileManager.default.createDirectory(atPath: folder.path("out/_derived"), withIntermediateDirectories: false)
    let lock = try LockFile(folder.path("out/_derived/.lock")) { FileFailure(.locked, "", $0) }
    let result = try await BuiltCommand.run(["refresh", "--config", configuration, "--only", "settle"])
    withExtendedLifetime(lock) {}
    #expect(result.status == 75)
    #expect(result.errorText.contains("being written by process \(getpid())"), "\(result.errorText)")
  }

  @Test func `puts a lost link back without making the tables again`() async throws {
    _ = try await refresh()
    try FileManager.default.removeItem(atPath: folder.path("out/skan_daily"))
    let plan = try await refresh(["--dry-run", "--only", "daily,report"])
    #expect(plan["daily"]?.state == "planned" && plan["report"]?.state == "current", "\(plan)")
    let again = try await refresh(["--only", "settle,enrich,daily"])
    #expect(again["daily"]?.state == "current")
    #expect(again["daily"]?.note.contains("a table is not in its place") == true)
    #expect(FileManager.default.fileExists(atPath: folder.path("out/skan_daily/_summary.json")))
  }

  @Test func `takes the tables that are there if the link to them is lost`() async throws {
    _ = try await refresh()
    let link = folder.path("out/_derived/current")
    try FileManager.default.removeItem(atPath: link)
    let again = try await refresh(["--only", "settle,enrich,daily"])
    #expect(again["daily"]?.state == "current", "\(again)")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "1")
  }

  @Test func `tells of parts that are gone, and refuses those that have lost rows`() async throws {
    _ = try await refresh()
    let path = folder.path("out/skan_rejects/part-00000001.jsonl")
    let rows = try Data(contentsOf: URL(filePath: path))
    try FileManager.default.removeItem(atPath: path)
    let gone = try await BuiltCommand.run(["refresh", "--config", configuration, "--only", "settle"])
    let remark = "1 complete part of 5 rows in all is not in place"
    #expect(gone.status == 0 && gone.errorText.contains(remark), "\(gone.errorText)")
    // A whole row is gone from the end.
    let end = try #require(rows.dropLast().lastIndex(of: UInt8(ascii: "\n")))
    try rows[...end].write(to: URL(filePath: path))
    let cut = try await BuiltCommand.run(["refresh", "--config", configuration, "--only", "settle"])
    #expect(cut.status == 65 && cut.errorText.contains("bytes that were committed"), "\(cut.errorText)")
    try rows.write(to: URL(filePath: path))
    #expect(try await BuiltCommand.run(["refresh", "--config", configuration, "--only", "settle"]).status == 0)
  }

  @Test(arguments: ["_derived", "_derived/current"]) func `follows no link that leads elsewhere`(_ name: String)
    async throws
  {
    _ = try await refresh()
    let files = FileManager.default
    let (link, elsewhere) = (folder.path("out/\(name)"), folder.path("elsewhere"))
    try files.copyItem(atPath: folder.path("out/_derived"), toPath: elsewhere)
    try files.removeItem(atPath: link)
    try files.createSymbolicLink(atPath: link, withDestinationPath: name == "_derived" ? elsewhere : "\(elsewhere)/1")
    let before = try folder.files(below: "elsewhere")
    for command in [
      ["refresh", "--config", configuration], ["settle", folder.path("out")],
      ["report", folder.path("out"), "--html", folder.path("p")],
    ] {
      let result = try await BuiltCommand.run(command)
      #expect(result.status == 65 && result.errorText.contains("symbolic link"), "\(command): \(result.errorText)")
    }
    #expect(try folder.files(below: "elsewhere") == before)
  }

  @Test func `says which earlier steps --only leaves out, and which it cannot do`() async throws {
    _ = try await refresh()
    let path = folder.path("lookups/apps.csv")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try (text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    for words in [["--only", "report"], ["--only", "daily", "--dry-run"]] {
      let result = try await BuiltCommand.run(["refresh", "--config", configuration] + words)
      #expect(result.status == 0)
      let reason = "the settings, the rules of calculation, or files or tables that it reads, have changed"
      #expect(result.errorText.contains("--only leaves them out: settle (\(reason)), enrich ("))
    }
    let settled = try await BuiltCommand.run(["refresh", "--config", configuration, "--only", "settle"])
    #expect(settled.status == 0 && !settled.errorText.contains("leaves them out"), "\(settled.errorText)")
    #expect(try await refresh(["--only", "report", "--dry-run"])["report"]?.note == "the tables have changed")
    let load = try await BuiltCommand.run(["refresh", "--config", configuration, "--only", "load"])
    #expect(load.status == 64 && load.errorText.contains("needs the key postgres"), "\(load.errorText)")
    let page = try await BuiltCommand.run(["refresh", folder.path("out"), "--only", "report"])
    #expect(page.status == 64 && page.errorText.contains("--config"), "\(page.errorText)")
  }

  @Test func `does nothing if the address of the database holds a password`() async throws {
    let text = try String(contentsOfFile: configuration, encoding: .utf8)
    let postgres = #""postgres": {"connection": "dbname=reports password=secret"}, "report""#
    try Data(text.replacing(#""report""#, with: postgres).utf8).write(to: URL(fileURLWithPath: configuration))
    let result = try await BuiltCommand.run(["refresh", "--config", configuration])
    #expect(result.status == 65 && result.errorText.contains("PGPASSWORD"), "\(result.errorText)")
    #expect(result.errorText.contains("\(configuration): load: ") && !result.errorText.contains("secret"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("out")))
  }

  @Test(arguments: ["campaigns", "networks", "apps", "source_apps"], [true, false])
  func `changes nothing if a lookup table is gone or has no rows, unless that is meant`(
    _ name: String,
    _ isGone: Bool
  ) async throws {
    _ = try await refresh()
    let tables = try folder.files(below: "out/_derived/current")
    let path = folder.path("lookups/\(name).csv")
    let header = try String(contentsOfFile: path, encoding: .utf8).prefix { $0 != "\n" && $0 != "\r\n" }
    try FileManager.default.removeItem(atPath: path)
    if !isGone { try folder.makeFile("lookups/\(name).csv", holding: Array("\(header)\n".utf8)) }
    for command in [["refresh", "--config", configuration], ["enrich", folder.path("out")]] {
      let result = try await BuiltCommand.run(command)
      #expect(result.status == (isGone ? 66 : 65), "\(command): \(result.errorText)")
      let reason = "\(path): The file \(isGone ? "is missing" : "has no rows"), and the derived tables were made with "
      #expect(result.errorText.contains(reason) && result.errorText.contains("--replace"), "\(result.errorText)")
    }
    #expect(try folder.files(below: "out/_derived/current") == tables)
    #expect(try await refresh(["--replace"])["enrich"]?.state == "made")
    #expect(try await refresh()["enrich"]?.state == "current")
  }

  @Test func `reads lookup tables once for all steps, and warns of them once`() async throws {
    try folder.makeFile("lookups/campaign.csv")
    let result = try await BuiltCommand.run(["refresh", "--config", configuration])
    #expect(result.status == 0)
    #expect(result.errorText.components(separatedBy: "Did you mean campaigns?").count == 2, "\(result.errorText)")
  }

  @Test(arguments: [["--only", ""], ["--only", "settle,nothing"], ["one", "two"], ["--config", "/nowhere.json"]])
  func `refuses what it cannot do`(_ words: [String]) async throws {
    let result = try await BuiltCommand.run(["refresh"] + words + (words[0] == "--only" ? [folder.path("out")] : []))
    #expect([64, 65].contains(result.status), "\(result.errorText)")
  }
}
