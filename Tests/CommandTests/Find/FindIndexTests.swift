import Foundation
import JSON
import TestSupport
import Testing

@testable import PostbackLookup

/// The index of `find`: it may be missing, damaged, or of other rows, and is never believed then.
@Suite struct `The index of a search` {
  private func find(_ out: String, _ id: String) async throws -> JSONValue {
    let result = try await BuiltCommand.run(["find", out, id, "--json"])
    #expect(result.status < 2, "\(result.errorText)")
    return try JSONValue(parsing: result.output)
  }

  private func rows(_ answer: JSONValue) -> [JSONValue?] {
    answer["postbacks"]?.elements?.map { $0["row"] } ?? []
  }

  private func run(_ lines: [[UInt8]], _ folder: TemporaryFolder, _ name: String) async throws {
    let dump = try folder.makeFile(name, holding: Array(lines.joined(separator: [UInt8(ascii: "\n")])))
    let result = try await BuiltCommand.run(["run", dump, "--out", folder.path("out"), "-q"])
    #expect(result.status == 0, "\(result.errorText)")
  }

  private let id = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e30"
  private let other = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e31"

  @Test func `is made anew where it is missing or damaged`() async throws {
    let folder = try TemporaryFolder()
    try await run(Fixtures.lines("postbacks/skadnetwork-4.0.jsonl"), folder, "a")
    let out = folder.path("out")
    let expected = rows(try await find(out, id))
    #expect(expected.count == 1)
    let name = "out/\(RowFinder.folderName)/skan_postbacks-1.jsonl"
    let whole = try folder.contents(of: name)
    for damaged in [
      [], Array(whole.prefix(70)), whole.map { $0 ^ 1 }, Array(whole.dropLast()) + [whole.last.map { $0 ^ 1 } ?? 0],
    ] {
      try Data(damaged).write(to: URL(fileURLWithPath: folder.path(name)))
      #expect(rows(try await find(out, id)) == expected)
      #expect(rows(try await find(out, other)).count == 1)
      #expect(try folder.contents(of: name) == whole)
    }
    try FileManager.default.removeItem(atPath: folder.path("out/\(RowFinder.folderName)"))
    #expect(rows(try await find(out, id)) == expected)
  }

  @Test func `sees rows that were added to an open part, and those of a restored output`() async throws {
    let folder = try TemporaryFolder()
    let lines = Fixtures.lines("postbacks/skadnetwork-4.0.jsonl")
    let out = folder.path("out")
    try await run([lines[0]], folder, "a")
    #expect(rows(try await find(out, id)).count == 1)
    #expect(rows(try await find(out, other)).isEmpty)
    let backup = folder.path("backup")
    #expect(try await BuiltCommand.run(["state", "backup", out, "--to", backup]).status == 0)
    try await run([lines[1]], folder, "b")
    let added = try await find(out, other)
    #expect(rows(added).count == 1)
    // The backup takes the place of the output, with the index of the later rows.
    let index = folder.path("out/\(RowFinder.folderName)")
    _ = try await find(out, other)
    try FileManager.default.moveItem(atPath: index, toPath: "\(backup)/\(RowFinder.folderName)")
    try FileManager.default.removeItem(atPath: out)
    try FileManager.default.moveItem(atPath: backup, toPath: out)
    #expect(rows(try await find(out, id)).count == 1)
    #expect(rows(try await find(out, other)).isEmpty)
    try await run(Fixtures.lines("postbacks/skadnetwork-3.0.jsonl"), folder, "c")
    #expect(rows(try await find(out, other)).isEmpty)
    #expect(rows(try await find(out, id)).count == 1)
  }

  @Test func `is gone after forget, and has no removed row`() async throws {
    let site = try await ForgetSite()
    let (id, key) = try site.copied()
    #expect(rows(try await find(site.out, id)).count == 1)
    _ = try await site.forget(["--transaction-id", id])
    #expect(!FileManager.default.fileExists(atPath: "\(site.out)/\(RowFinder.folderName)"))
    for text in [id, key] {
      let answer = try await find(site.out, text)
      #expect(rows(answer).isEmpty && answer["rejects"] == .array([]), "\(answer)")
    }
    let left = try #require(try site.rows("skan_postbacks").first?.string("postback_key"))
    #expect(rows(try await find(site.out, left)).count == 1)
  }

  @Test func `that a killed process left is removed, and one of a living process is not`() async throws {
    let folder = try TemporaryFolder()
    try await run(Fixtures.lines("postbacks/skadnetwork-4.0.jsonl"), folder, "a")
    let index = "out/\(RowFinder.folderName)"
    _ = try await find(folder.path("out"), id)
    // No process has this number, which is above the greatest.
    let dead = try folder.makeFile("\(index)/skan_postbacks-1.jsonl.99999999.7.inprogress")
    let living = try folder.makeFile("\(index)/skan_postbacks-1.jsonl.\(getpid()).7.inprogress")
    let old = try folder.makeFile("\(index)/skan_postbacks-77.jsonl")
    try FileManager.default.removeItem(atPath: folder.path("\(index)/skan_postbacks-1.jsonl"))
    #expect(rows(try await find(folder.path("out"), id)).count == 1)
    #expect([dead, living, old].map { FileManager.default.fileExists(atPath: $0) } == [false, true, false])
  }

  @Test func `has no rows of parts that were removed because of their age`() async throws {
    let folder = try TemporaryFolder()
    let out = folder.path("out")
    let lines = Fixtures.lines("postbacks/skadnetwork-4.0.jsonl")
    for (line, day) in zip(lines, ["2024-01-01", "2026-03-10"]) {
      let dump = try folder.makeFile(day, holding: line)
      let run = ["run", dump, "--out", out, "--received-at", "\(day)T00:00:00Z", "--part-bytes", "1", "-q"]
      #expect(try await BuiltCommand.run(run).status == 0)
    }
    #expect(rows(try await find(out, id)).count == 1)
    let retained = try await BuiltCommand.run([
      "retain", "--out", out, "--older-than", "400d", "--yes-remove-all", "--without-waiting",
    ])
    #expect(retained.status == 0, "\(retained.errorText)")
    #expect(rows(try await find(out, id)).isEmpty)
    #expect(rows(try await find(out, other)).count == 1)
  }

  @Test func `is not needed where it cannot be written`() async throws {
    let folder = try TemporaryFolder()
    try await run(Fixtures.lines("postbacks/skadnetwork-4.0.jsonl"), folder, "a")
    let out = folder.path("out")
    // A file in the place of the folder keeps anybody from writing there.
    try folder.makeFile("out/\(RowFinder.folderName)")
    for _ in 0..<2 {
      let answer = try await find(out, id)
      #expect(rows(answer).count == 1 && answer["search"]?["indexed"]?.integer == 0)
      #expect(answer["search"]?["scanned"]?.integer ?? 0 > 0)
    }
  }

  @Test func `is used by several searches at once`() async throws {
    let site = try await ForgetSite()
    let keys = try site.rows("skan_postbacks").compactMap { $0.string("postback_key") }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for key in keys.prefix(6) { group.addTask { rows(try await find(site.out, key)).count } }
      for try await count in group { #expect(count == 1) }
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(site.out)/\(RowFinder.folderName)")
    #expect(names.allSatisfy { !$0.hasSuffix(".inprogress") })
  }

  @Test func `leaves nothing found to the status`() async throws {
    let folder = try TemporaryFolder()
    try await run(Fixtures.lines("postbacks/skadnetwork-4.0.jsonl"), folder, "a")
    let nothing = try await BuiltCommand.run(["find", folder.path("out"), "\u{1B}[2Jnone"])
    #expect(nothing.status == 1 && nothing.output.isEmpty && !nothing.errorText.contains("\u{1B}"))
    #expect(try await BuiltCommand.run(["find", folder.path("nowhere"), "x"]).status == 66)
    #expect(try await BuiltCommand.run(["find", folder.path("out")]).status == 64)
    let words = try folder.makeFile("words", holding: Array("no postback\n".utf8))
    let wrong = try await BuiltCommand.run(["find", folder.path("out"), words])
    #expect(wrong.status == 65 && wrong.errorText.contains("no transaction id"), "\(wrong.errorText)")
  }
}
