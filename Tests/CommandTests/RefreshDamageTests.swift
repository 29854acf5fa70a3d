import Foundation
import JSON
import TestSupport
import Testing

/// Derived tables of which somebody has removed or changed files.
@Suite struct RefreshDamageTests {
  private let folder: TemporaryFolder
  private let keys: [String]
  private var out: String { folder.path("out") }
  private var current: String { "out/_derived/current" }

  /// Makes the tables of a run whose rows were received at two times.
  init() async throws {
    folder = try TemporaryFolder()
    let made = try await BuiltCommand.run([
      "generate", "--count", "600", "--seed", "7", "--out", folder.path("dump"), "--keys", folder.path("keys"), "-q",
    ])
    #expect(made.status == 0, "\(made.errorText)")
    keys = try folder.words(of: "keys")
    let dump = String(decoding: try folder.contents(of: "dump"), as: UTF8.self).split(separator: "\n").map { "\($0)\n" }
    try await add(dump.prefix(300), at: "2024-02-03T10:00:00Z")
    try await add(dump.suffix(300), at: "2026-11-01T10:00:00Z")
    for command in ["settle", "daily --environment custom"] {
      let result = try await BuiltCommand.run(command.split(separator: " ").map(String.init) + [out, "-q"])
      #expect(result.status == 0, "\(result.errorText)")
    }
  }

  private func add(_ lines: some Sequence<String>, at time: String) async throws {
    try folder.makeFile("lines", holding: Array(lines.joined().utf8))
    let ran = try await BuiltCommand.run(
      ["run", folder.path("lines"), "--out", out, "--received-at", time, "-q"] + keys
    )
    #expect(ran.status == 0, "\(ran.errorText)")
  }

  /// Leaves the last row of a table out.
  private func cut(_ table: String) throws {
    let path = "\(current)/\(table)/part-00000001.jsonl"
    let lines = try folder.contents(of: path).split(separator: UInt8(ascii: "\n"))
    try folder.makeFile(path, holding: Array(lines.dropLast().joined(separator: [UInt8(ascii: "\n")])) + [0x0A, 0x0A])
  }

  @Test func `are refused by the search for a postback, with the command that makes them again`() async throws {
    let rows = try Object.lines(folder.contents(of: "out/skan_postbacks/part-00000001.jsonl"))
    let key = try #require(rows.first?.string("postback_key"))
    #expect(try await BuiltCommand.run(["find", out, key]).status == 0)
    try cut("skan_settled")
    let found = try await BuiltCommand.run(["find", out, key])
    #expect(found.status == 65 && found.errorText.contains("postback refresh"), "\(found.errorText)")
    #expect(found.text.isEmpty)
  }

  @Test(arguments: ["skan_daily", "skan_modelled"])
  func `are refused by the report, with the command that makes them again`(_ table: String) async throws {
    try cut(table)
    let page = try await BuiltCommand.run(["report", out, "--html", "-"])
    #expect(page.status == 65 && page.errorText.contains("postback refresh"), "\(page.errorText)")
    #expect(page.text.isEmpty)
  }

  private func refresh(_ options: [String] = []) async throws -> (status: Int32, text: String) {
    let result = try await BuiltCommand.run(["refresh", out] + options)
    return (result.status, result.text + result.errorText)
  }

  private func check() async throws -> String { try await BuiltCommand.run(["state", "check", out]).text }

  /// The rows of all derived tables but the history of changes.
  private func rows() throws -> [String: [UInt8]] {
    let names = try folder.files(below: current).filter { $0.hasSuffix(".jsonl") && !$0.contains("changes") }
    return Dictionary(uniqueKeysWithValues: try names.map { ($0, try folder.contents(of: "\(current)/\($0)")) })
  }

  /// Changes a byte in the middle of a file, which stays as long as it was.
  private func flip(_ name: String) throws {
    let file = try #require(FileHandle(forUpdatingAtPath: folder.path("\(current)/\(name)")))
    let middle = try file.seekToEnd() / 2
    try file.seek(toOffset: middle)
    let byte = try #require(try file.read(upToCount: 1)?.first)
    try file.seek(toOffset: middle)
    try file.write(contentsOf: Data([byte ^ 1]))
    try file.close()
  }

  @Test(arguments: ["skan_settled", "skan_settled_events", "skan_daily", "skan_modelled"])
  func `are written again if a file is missing or has another length`(_ table: String) async throws {
    let (before, name) = (try rows(), "\(table)/part-00000001.jsonl")
    #expect(try await check() == "sound\n")
    for isCompressed in [true, false] {
      let place = folder.path("\(current)/\(name)")
      if isCompressed {
        try FileManager.default.moveItem(atPath: place, toPath: "\(place).gz")
      } else {
        try folder.makeFile("\(current)/\(name)", holding: Array("{}\n".utf8))
      }
      let problem = "problem: \(out)/\(name): The file \(isCompressed ? "is missing" : "has 3 bytes, and ")"
      #expect(try await check().contains(problem))
      let again = try await refresh()
      #expect(again.status == 0 && again.text.contains("\(name): The file "), "\(again.text)")
      #expect(try rows() == before)
      #expect(try await check() == "sound\n")
      #expect(try await refresh().text.contains("made") == false)
    }
  }

  @Test(arguments: ["skan_settled", "skan_daily"])
  func `are written again if the summary has other bytes`(_ table: String) async throws {
    let (before, name) = (try rows(), "\(table)/_summary.json")
    try flip(name)
    let page = try await BuiltCommand.run(["report", out, "--html", "-"])
    #expect(page.status == 65 && page.errorText.contains(name), "\(page.errorText)")
    let again = try await refresh()
    #expect(again.status == 0 && again.text.contains("\(name): The file "), "\(again.text)")
    #expect(try rows() == before)
    #expect(try await check() == "sound\n")
  }

  @Test func `are checked byte for byte, and not taken from results that share the damaged bytes`() async throws {
    let (before, name) = (try rows(), "skan_settled/part-00000001.jsonl")
    try flip(name)
    #expect(try await refresh().text.contains("made") == false)
    let found = try await check()
    #expect(found.contains("problem: \(out)/\(name): The file does not have the checksum"), "\(found)")
    #expect(found.contains("Remove the file, and give postback refresh"), "\(found)")
    try FileManager.default.removeItem(atPath: folder.path("\(current)/\(name)"))
    #expect(try await refresh().status == 0)
    #expect(try rows() == before)
    #expect(try await check() == "sound\n")
  }

  @Test func `are not read by other steps while they are damaged`() async throws {
    let name = "skan_settled/part-00000001.jsonl"
    try FileManager.default.removeItem(atPath: folder.path("\(current)/\(name)"))
    let daily = try await BuiltCommand.run(["daily", out])
    #expect(daily.status == 65 && daily.errorText.contains("\(name): The file is missing. Give postback refresh"))
  }

  @Test(arguments: [nil, "", #"{"options": {"#, "{}\n{}\n"])
  func `are written again if the file about them is damaged`(_ content: String?) async throws {
    try folder.makeFile("c.json", holding: Array(#"{"out": "\#(out)", "environment": ["custom"]}"#.utf8))
    let (before, changes) = (try rows(), "\(current)/skan_daily_changes/part-00000001.jsonl")
    let history = try folder.contents(of: changes)
    func damage() throws {
      try FileManager.default.removeItem(atPath: folder.path("\(current)/_store.json"))
      if let content { try folder.makeFile("\(current)/_store.json", holding: Array(content.utf8)) }
    }
    try damage()
    for (command, advice) in [
      (["state", "check", out], "not sound"), (["report", out, "--html", "-"], "give postback refresh, which makes"),
      (["refresh", out], "--config FILE"), (["daily", out, "--environment", "custom", "--reset"], "give postback ref"),
    ] {
      let result = try await BuiltCommand.run(command)
      #expect(result.status == 65 && result.errorText.contains(advice), "\(command): \(result.errorText)")
    }
    let again = try await refresh(["--config", folder.path("c.json")])
    #expect(again.status == 0 && again.text.contains("_store.json: The file is "), "\(again.text)")
    #expect(try rows() == before && folder.contents(of: changes) == history)
    #expect(try await check() == "sound\n")
    #expect(try await refresh(["--config", folder.path("c.json")]).text.contains("made") == false)
    // Days whose rows were removed cannot be made again.
    let retained = try await BuiltCommand.run(["retain", "--out", out, "--older-than", "400d", "--yes-remove-all"])
    #expect(retained.status == 0, "\(retained.errorText)")
    try damage()
    let refused = try await refresh(["--config", folder.path("c.json")])
    #expect(refused.status == 65 && refused.text.contains("refresh --replace, which writes"), "\(refused.text)")
    #expect(try await refresh(["--config", folder.path("c.json"), "--replace"]).status == 0)
    #expect(try await check() == "sound\n")
  }

  @Test func `stay as they are where they cannot be made again, but for --replace`() async throws {
    // The changes of earlier reports follow from nothing else.
    try FileManager.default.removeItem(atPath: folder.path("\(current)/skan_daily_changes/part-00000001.jsonl"))
    #expect(try await refresh().status == 65)
    #expect(try await refresh(["--replace"]).status == 0)
    let retained = try await BuiltCommand.run(["retain", "--out", out, "--older-than", "400d", "--yes-remove-all"])
    #expect(retained.status == 0, "\(retained.errorText)")
    #expect(try await refresh().status == 0)
    let name = "skan_daily/part-00000001.jsonl"
    let before = try folder.contents(of: "\(current)/\(name)")
    #expect(String(decoding: before, as: UTF8.self).contains("\"2024-"))
    try FileManager.default.removeItem(atPath: folder.path("\(current)/\(name)"))
    let refused = try await refresh()
    #expect(refused.status == 65 && refused.text.contains("\(out)/\(name): The file is missing. Restore the file"))
    #expect(try await check().contains("\(name): The file is missing. Restore the file from a copy; or give postback"))
    try folder.makeFile("\(current)/\(name)", holding: before)
    #expect(try await refresh().text.contains("made") == false)
    // Rows that are kept are compared with their checksum before they are copied.
    try flip(name)
    let more = String(decoding: try folder.contents(of: "dump"), as: UTF8.self).split(separator: "\n").prefix(2)
    try await add(more.map { "\($0)\n" }, at: "2026-11-02T10:00:00Z")
    let damaged = try await refresh()
    #expect(damaged.status == 65 && damaged.text.contains("\(name): The file does not have the checksum"))
    #expect(try await refresh(["--replace"]).status == 0)
    #expect(try String(decoding: folder.contents(of: "\(current)/\(name)"), as: UTF8.self).contains("\"2024-") == false)
    #expect(try await check() == "sound\n")
  }
}
