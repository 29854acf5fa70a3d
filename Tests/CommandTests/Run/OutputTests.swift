import Foundation
import TestSupport
import Testing

@Suite struct `The state of an output` {
  private static let tables = ["skan_events", "skan_postbacks", "skan_rejects"]

  /// Writes an input to the place where the command expects it, and runs the command.
  private func run(
    _ command: String,
    _ folder: TemporaryFolder,
    out: String,
    state: String? = nil,
    input: String = "postbacks/skadnetwork-2.0.jsonl"
  ) async throws -> BuiltCommand.Result {
    let options = ["--out", folder.path(out)] + (state.map { ["--state", folder.path($0)] } ?? [])
    if command == "run" { return try await BuiltCommand.run(["run", Fixtures.path(input)] + options) }
    let spool = "spool-\(UUID().uuidString)"
    for name in ["", "/tmp", "/new"] {
      try FileManager.default.createDirectory(atPath: folder.path(spool + name), withIntermediateDirectories: false)
    }
    try folder.makeFile("\(spool)/new/a.jsonl", holding: Fixtures.bytes(input))
    return try await BuiltCommand.run(["watch", folder.path(spool), "--once"] + options)
  }

  private func id(_ folder: TemporaryFolder, _ out: String) throws -> String {
    try #require(try folder.words(of: "\(out)/_output_id").first)
  }

  private func files(_ folder: TemporaryFolder, _ out: String) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for table in Self.tables {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path("\(out)/\(table)"))) ?? [] {
        files["\(table)/\(name)"] = try folder.contents(of: "\(out)/\(table)/\(name)")
      }
    }
    return files
  }

  @Test(arguments: ["run", "watch"], [true, false]) func `is refused for another output, and both are named`(
    _ command: String,
    isThere: Bool
  ) async throws {
    let folder = try TemporaryFolder()
    #expect(try await run("run", folder, out: "a").status == 0)
    if isThere { #expect(try await run("run", folder, out: "b").status == 0) }
    let before = try files(folder, "b")
    let result = try await run(command, folder, out: "b", state: "a/_state", input: "postbacks/skadnetwork-3.0.jsonl")
    #expect(result.status == 65)
    let names =
      [folder.path("b"), folder.path("a/_state"), try id(folder, "a")] + (isThere ? [try id(folder, "b")] : [])
    for name in names { #expect(result.errorText.contains(name), "\(result.errorText)") }
    #expect(try files(folder, "b") == before)
    #expect(FileManager.default.fileExists(atPath: folder.path("b")) == isThere)
  }

  @Test func `is still valid after the output was moved`() async throws {
    let folder = try TemporaryFolder()
    #expect(try await run("run", folder, out: "a").status == 0)
    try FileManager.default.moveItem(atPath: folder.path("a"), toPath: folder.path("b"))
    let again = try await run("run", folder, out: "b")
    #expect(again.status == 0)
    #expect(again.text.contains("skipped 1 input"))
    #expect(try await run("run", folder, out: "b", input: "postbacks/skadnetwork-3.0.jsonl").status == 0)
    let check = try await BuiltCommand.run([
      "state", "check", "--state", folder.path("b/_state"), "--out", folder.path("b"),
    ])
    #expect(check.text == "sound\n")
  }

  @Test func `is refused if the output was emptied, and the message says how to continue`() async throws {
    let folder = try TemporaryFolder()
    #expect(try await run("run", folder, out: "a", state: "s").status == 0)
    let id = try id(folder, "a")
    try FileManager.default.removeItem(atPath: folder.path("a"))
    try FileManager.default.createDirectory(atPath: folder.path("a"), withIntermediateDirectories: false)
    let refused = try await run("run", folder, out: "a", state: "s", input: "postbacks/skadnetwork-3.0.jsonl")
    #expect(refused.status == 65)
    #expect(refused.errorText.contains("write \(id) into \(folder.path("a"))/_output_id"), "\(refused.errorText)")
    let check = try await BuiltCommand.run(["state", "check", "--state", folder.path("s"), "--out", folder.path("a")])
    #expect(check.status == 65)
    #expect(check.text.contains("has no file _output_id"))
    try folder.makeFile("a/_output_id", holding: Array("\(id)\r\n".utf8))
    #expect(try await run("run", folder, out: "a", state: "s", input: "postbacks/skadnetwork-3.0.jsonl").status == 0)
    #expect(try files(folder, "a").keys.contains("skan_postbacks/part-00000002.jsonl"))
  }

  @Test func `is not created again if it is missing beside existing tables`() async throws {
    let folder = try TemporaryFolder()
    #expect(try await run("run", folder, out: "a").status == 0)
    let before = try files(folder, "a")
    try FileManager.default.removeItem(atPath: folder.path("a/_state"))
    for _ in 0..<2 {
      let result = try await run("run", folder, out: "a")
      #expect(result.status == 65)
      #expect(result.errorText.contains("Restore the state of this output"), "\(result.errorText)")
    }
    #expect(try files(folder, "a") == before)
  }

  @Test(arguments: ["", "1234", "G0000000000000000000000000000000", String(repeating: "0", count: 33)])
  func `is refused if the output's id is malformed`(_ text: String) async throws {
    let folder = try TemporaryFolder()
    #expect(try await run("run", folder, out: "a").status == 0)
    try folder.makeFile("a/_output_id", holding: Array(text.utf8))
    let result = try await run("run", folder, out: "a")
    #expect(result.status == 65)
    #expect(result.errorText.contains("/_output_id: The file does not hold the id"), "\(result.errorText)")
  }

  /// An output of the last version without ids, whose run was killed: all rows of `postbacks/` are in open parts.
  private func earlier() async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let tar = ["tar", "-xzf", Fixtures.path("states/version-1.tar.gz"), "-C", folder.path("")]
    try #require(try await BuiltCommand.run(executable: "/usr/bin/env", tar).status == 0)
    return folder
  }

  @Test func `is adopted from an earlier version of the program`() async throws {
    let folder = try await earlier()
    let status = try await BuiltCommand.run(["status", "--state", folder.path("out/_state"), "--json"])
    #expect(status.status == 0, "\(status.errorText)")
    #expect(status.text.contains(#""output_id":null,"settings":null"#), "\(status.text)")
    let before = try files(folder, "out")
    let rows = try #require(before["skan_postbacks/.part-00000001.jsonl.inprogress"])
    // The formats are those of the state.
    let result = try await run("run", folder, out: "out", input: "postbacks")
    #expect(result.status == 0, "\(result.errorText)")
    // The files of the folder are not the one file that was read: each postback is a copy.
    #expect(result.text.contains(/accepted +0\n/), "\(result.text)")
    let after = try files(folder, "out")
    #expect(after["skan_postbacks/part-00000001.jsonl"] == rows)
    #expect(after.keys.contains("skan_rejects/part-00000002.csv"))
    let check = try await BuiltCommand.run([
      "state", "check", "--state", folder.path("out/_state"), "--out", folder.path("out"),
    ])
    #expect(check.text == "sound\n", "\(check.text)")
    let id = try id(folder, "out")
    let refused = try await run("run", folder, out: "other", state: "out/_state")
    #expect(refused.status == 65)
    #expect(refused.errorText.contains(id))
  }

  @Test func `is adopted from an earlier version only by the output that has its parts`() async throws {
    let folder = try await earlier()
    #expect(try await run("run", folder, out: "b").status == 0)
    try FileManager.default.removeItem(atPath: folder.path("b/_output_id"))
    for out in ["b", "c"] {
      let refused = try await run("run", folder, out: out, state: "out/_state")
      #expect(refused.status == 65)
      #expect(refused.errorText.contains("is not the output of the state in \(folder.path("out/_state"))"))
    }
    #expect(try await run("run", folder, out: "out").status == 0)
  }
}
