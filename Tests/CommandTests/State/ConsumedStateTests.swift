import DurableFiles
import Foundation
import Ledger
import TestSupport
import Testing

/// The output of a consumer of version 4 of the ledger, which was killed after it had put away 120 files.
@Suite struct `A state of version 4 with many inputs` {
  private let folder: TemporaryFolder

  init() async throws {
    folder = try TemporaryFolder()
    let tar = ["tar", "-xzf", Fixtures.path("states/version-4-consumed.tar.gz"), "-C", folder.path("")]
    try #require(try await BuiltCommand.run(executable: "/usr/bin/env", tar).status == 0)
  }

  /// Consumes the spool in the directory of the fixture, whose ledger has relative paths.
  private func watch() async throws {
    let command = [
      "-C", folder.path(""), try BuiltCommand.path, "watch", "spool", "--once", "--out", "out", "--models",
      Fixtures.path("models"), "--received-at", "2026-03-10T00:00:00Z",
    ]
    let result = try await BuiltCommand.run(executable: "/usr/bin/env", command)
    #expect(result.status == 0, "\(result.errorText)")
  }

  private var ledger: LedgerReading { get throws { try Ledger.reading(folder.path("out/_state")) } }

  /// The rows of a table in JSON Lines, without their order.
  private func rows(_ table: String) throws -> [Substring] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("out/\(table)"))
    let texts = try names.filter { $0.contains(".jsonl") }.map {
      String(decoding: try WholeFile.read(folder.path("out/\(table)/\($0)"), upTo: 1 << 24), as: UTF8.self)
    }
    return texts.flatMap { $0.split(separator: "\n") }.sorted()
  }

  @Test func `is upgraded, keeps few rows of inputs, and still knows all of them`() async throws {
    let before = try [rows("skan_postbacks"), rows("skan_rejects")]
    #expect(before.map(\.count) == [10, 110])
    #expect(try ledger.inputs == [.complete: 120])
    #expect(try ledger.state.putAway.inputs == 0)
    try await watch()
    #expect(try ledger.inputs == [.complete: 120])
    #expect(try ledger.state.putAway.inputs == 20)
    let done = folder.path("spool/done")
    for file in try FileManager.default.subpathsOfDirectory(atPath: done) {
      var isFolder: ObjCBool = false
      guard unsafe FileManager.default.fileExists(atPath: "\(done)/\(file)", isDirectory: &isFolder),
        !isFolder.boolValue,
        let name = file.split(separator: "/").last
      else { continue }
      try FileManager.default.moveItem(atPath: "\(done)/\(file)", toPath: folder.path("spool/new/again-\(name)"))
    }
    try await watch()
    #expect(try ledger.counts[.read] == 120)
    #expect(try ledger.counts[.inputs(.skipped)] == 120)
    #expect(try [rows("skan_postbacks"), rows("skan_rejects")] == before)
    let check = try await BuiltCommand.run(["state", "check", folder.path("out")])
    #expect(check.text == "sound\n", "\(check.text)")
  }
}
