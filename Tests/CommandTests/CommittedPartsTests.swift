import Foundation
import JSON
import TestSupport
import Testing

/// An output with complete parts, and with parts that a consumer was writing when it was killed.
@Suite struct `The parts of an output` {
  private let site: WatchSite
  private var folder: TemporaryFolder { site.folder }
  private var out: String { folder.path("out") }
  private static let rubbish = (complete: 3, open: 5)

  init() async throws {
    site = try WatchSite()
    let postbacks = Fixtures.path("postbacks")
    let names = try FileManager.default.contentsOfDirectory(atPath: postbacks).sorted()
    for name in names.prefix(2) { try put(name, in: postbacks) }
    try site.put("first", Array(String(repeating: "{\"rubbish\":1}\n", count: Self.rubbish.complete).utf8))
    let first = try await BuiltCommand.run(["watch", folder.path("spool"), "--out", out, "--once"])
    #expect(first.status == 0, "\(first.errorText)")
    for name in names.dropFirst(2) { try put(name, in: postbacks) }
    try site.put("second", Array(String(repeating: "{\"rubbish\":2}\n", count: Self.rubbish.open).utf8))
    let process = try site.start(["--commit-ms", "0"])
    for _ in 0..<600 where try !folder.files(below: "spool/new").isEmpty {
      try await Task.sleep(for: .milliseconds(50))
    }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private func put(_ name: String, in folder: String) throws {
    try site.put(name, Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))))
  }

  private func path(of table: String, _ name: String) -> String { "\(out)/\(table)/\(name)" }

  /// The lines of all parts of a table.
  private func lines(of table: String) throws -> Int {
    try folder.files(below: "out/\(table)").filter { $0.contains("part-") }.reduce(0) { count, name in
      count + (try folder.contents(of: "out/\(table)/\(name)").split(separator: UInt8(ascii: "\n")).count)
    }
  }

  private func rejects() async throws -> JSONValue {
    let result = try await BuiltCommand.run(["rejects", out, "--json"])
    #expect(result.status == 0, "\(result.errorText)")
    return try JSONValue(parsing: result.output)
  }

  @Test func `count up to the last commit, whoever reads them`() async throws {
    #expect(try folder.files(below: "out/skan_rejects").contains(".part-00000002.jsonl.inprogress"))
    let (accepted, rejected) = (try lines(of: "skan_postbacks"), try lines(of: "skan_rejects"))
    let counted = try await rejects()
    #expect(counted["rejects"]?.integer == Int64(rejected))
    #expect(counted["read"]?.integer == Int64(accepted + rejected))
    let settled = try await BuiltCommand.run(["settle", out, "--json"])
    #expect(settled.status == 0, "\(settled.errorText)")
    #expect(try lines(of: "skan_settled") == accepted)
    let rubbish = Int64(Self.rubbish.complete + Self.rubbish.open)
    let found = try await BuiltCommand.run(["case", out, "--where", "reject_code=missing_field", "--json"])
    #expect(try JSONValue(parsing: found.output)["rejected"]?.integer == rubbish, "\(found.errorText)")
  }

  @Test func `count once beside a compressed copy, as it does alone, and not where they were moved away`() async throws
  {
    let part = path(of: "skan_rejects", "part-00000001.jsonl")
    let all = try await rejects()["rejects"]
    let packed = try await BuiltCommand.run(executable: "/bin/gzip", ["-k", part])
    #expect(packed.status == 0)
    #expect(try await rejects()["rejects"] == all)
    try FileManager.default.removeItem(atPath: part)
    #expect(try await rejects()["rejects"] == all)
    try FileManager.default.removeItem(atPath: "\(part).gz")
    #expect(try await rejects()["rejects"]?.integer ?? 0 < all?.integer ?? 0)
  }

  @Test func `are an error where an open one is gone`() async throws {
    try FileManager.default.removeItem(atPath: path(of: "skan_rejects", ".part-00000002.jsonl.inprogress"))
    for command in ["rejects", "settle"] {
      let result = try await BuiltCommand.run([command, out])
      #expect(result.status == 65 && result.errorText.contains("The file is missing"), "\(result.errorText)")
    }
  }

  @Test func `are not read with the state of another output`() async throws {
    let other = folder.path("other")
    let run = try await BuiltCommand.run(["run", Fixtures.path("postbacks"), "--out", other])
    #expect(run.status == 0, "\(run.errorText)")
    try folder.makeFile("partners.json", holding: Array(#"{"partners": []}"#.utf8))
    for words in [
      ["rejects", out], ["settle", out], ["find", out, "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"],
      ["state", "backup", out, "--to", folder.path("backup")],
      ["deliver", out, "--once", "--partners", folder.path("partners.json")],
    ] {
      let result = try await BuiltCommand.run(words + ["--state", "\(other)/_state"])
      #expect(result.status == 65, "\(words) \(result.errorText)")
      #expect(result.errorText.contains("belongs to another output"), "\(words) \(result.errorText)")
    }
  }
}
