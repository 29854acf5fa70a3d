import JSON
import TestSupport
import Testing

/// `postback run --keep-raw`: the bytes of accepted postbacks in the table.
@Suite struct KeptBodiesTests {
  private static let plain = String(decoding: Fixtures.lines("postbacks/skadnetwork-4.0.jsonl")[0], as: UTF8.self)
  private static let enveloped = String(decoding: Fixtures.lines("postbacks/skadnetwork-3.0.jsonl")[0], as: UTF8.self)

  private func bodies(_ folder: TemporaryFolder, _ part: Int = 1) throws -> [String?] {
    let bytes = try folder.contents(of: "out/skan_postbacks/part-0000000\(part).jsonl")
    return try bytes.split(separator: UInt8(ascii: "\n")).map { try JSONValue(parsing: Array($0))["raw_body"]?.text }
  }

  private func run(_ folder: TemporaryFolder, _ name: String, _ text: String, _ options: [String] = []) async throws {
    try folder.makeFile(name, holding: Array(text.utf8))
    let result = try await BuiltCommand.run(["run", folder.path(name), "--out", folder.path("out")] + options)
    #expect(result.status == 0, "\(result.errorText)")
  }

  @Test func `are those of the record, or of the body of its envelope`() async throws {
    let folder = try TemporaryFolder()
    let envelope = #"{"received_at":"2026-03-01T00:00:00Z","body": \#(Self.enveloped) }"#
    try await run(folder, "a.jsonl", "\(Self.plain)\n\(envelope)\n", ["--keep-raw"])
    #expect(try bodies(folder) == [Self.plain, Self.enveloped])
  }

  @Test func `are kept by later runs too, and never without the option`() async throws {
    let folder = try TemporaryFolder()
    try await run(folder, "a.jsonl", "\(Self.plain)\n")
    #expect(try bodies(folder) == [nil])
    let other = try TemporaryFolder()
    try await run(other, "a.jsonl", "\(Self.plain)\n", ["--keep-raw"])
    try await run(other, "b.jsonl", "\(Self.enveloped)\n")
    #expect(try bodies(other, 2) == [Self.enveloped])
  }
}
