import Foundation
import JSON
import TestSupport
import Testing

@Suite struct `Files of a spool in other forms` {
  private func watch(_ file: String, _ options: [String]) async throws -> (rows: [Object], rejects: [UInt8]) {
    let site = try WatchSite()
    try site.put(file, Fixtures.bytes("inputs/\(file)"))
    let words = ["watch", site.folder.path("spool"), "--out", site.folder.path("out"), "--once"]
    let result = try await BuiltCommand.run(words + options)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(try site.folder.files(below: "spool").filter { $0.hasSuffix(file) }.allSatisfy { $0.contains("done/") })
    let table = "out/skan_postbacks/part-00000001.jsonl"
    return (
      Object.lines(try site.folder.contents(of: table)),
      try site.folder.contents(of: "out/skan_rejects/part-00000001.jsonl")
    )
  }

  @Test func `are CSV whose header has the names of fields`() async throws {
    let (rows, rejects) = try await watch("postbacks.csv", [])
    #expect(rows.count == 4 && rejects.isEmpty && rows.allSatisfy { $0.string("signature_state") == "valid" })
  }

  @Test(arguments: [("branch.csv", "branch", 2), ("aws-sqs.jsonl", "aws-sqs", 4), ("nginx.log", "nginx", 4)])
  func `are read with a mapping`(_ file: String, _ mapping: String, _ count: Int) async throws {
    let (rows, rejects) = try await watch(file, ["--mapping", mapping])
    #expect(rows.count == count && rejects.isEmpty)
  }

  @Test func `are not read with a mapping and a form at once`() async throws {
    let site = try WatchSite()
    let words = ["watch", site.folder.path("spool"), "--out", site.folder.path("out"), "--once"]
    #expect(try await BuiltCommand.run(words + ["--mapping", "branch", "--format-in", "csv"]).status == 64)
  }
}
