import TestSupport
import Testing

/// The lines between `postback records read` and `finish`, of which somebody changed one.
@Suite struct RecordLinesTests {
  private let keys: [String]
  private let lines: [Object]

  private static let dump = Task { try await GeneratedDump(count: 60, seed: 4, options: ["--malformed", "0.3"]) }

  init() async throws {
    let dump = try await Self.dump.value
    keys = dump.keys
    let folder = try TemporaryFolder()
    let input = try folder.makeFile("dump.jsonl", holding: dump.bytes)
    lines = Object.lines(try await BuiltCommand.run(["records", "read", input, "--quiet"]).output)
  }

  private func finish(_ lines: Object...) async throws -> BuiltCommand.Result {
    let input = Array(lines.map { $0.text + "\n" }.joined().utf8)
    return try await BuiltCommand.run(["records", "finish", "--quiet"] + keys, input: input)
  }

  /// The first line whose postback is accepted.
  private func accepted() async throws -> Object {
    for line in lines where line["postback_key"] != "null" {
      if try await finish(line).text.contains("\"skan_postbacks\"") { return line }
    }
    return try #require(nil)
  }

  @Test func `are taken as read wrote them`() async throws {
    _ = try await accepted()
    let reject = try #require(lines.first { $0["postback_key"] == "null" })
    let result = try await finish(reject)
    #expect(result.status == 0 && result.text.hasPrefix("{\"table\":\"skan_rejects\""), "\(result.errorText)")
  }

  @Test(arguments: ["\"00000000000000000000000000000001\"", "null", nil])
  func `are refused with another key, where the postback is accepted`(_ key: String?) async throws {
    let result = try await finish(try await accepted().with(["postback_key": key]))
    #expect(result.status == 65)
    #expect(result.errorText.contains("Line 1 ") && result.errorText.contains("postback_key"), "\(result.errorText)")
    #expect(result.output.isEmpty)
  }

  @Test(arguments: ["app-id", "transaction-id", "attribution-signature"])
  func `become rejects where a signed field was changed`(_ field: String) async throws {
    var line: Object?
    for one in lines where one["postback_key"] != "null" {
      let postback = Object(try #require(one.string("record")))
      if postback[field] ?? "null" != "null", try await finish(one).text.contains("\"skan_postbacks\"") {
        line = one
        break
      }
    }
    let genuine = try #require(line)
    let postback = Object(try #require(genuine.string("record")))
    let value = try #require(postback[field])
    let digit = try #require(value.last { $0.isNumber })
    let changed = postback.with([field: value.replacing("\(digit)", with: digit == "4" ? "5" : "4")])
    let result = try await finish(genuine.with(["record": Object.quoted(changed.text)]))
    #expect(result.status == 0 && result.text.hasPrefix("{\"table\":\"skan_rejects\""), "\(result.text)")
    #expect(!result.text.contains("\"skan_postbacks\""))
  }

  @Test func `are rows of seen keys only where they are marked as such`() async throws {
    let line = try await accepted()
    let row = try #require(Object.lines(try await finish(line).output).first { $0.string("table") == "seen_keys" })
    let seen = Object(try #require(row["row"]))
    let copy = try await finish(seen, line)
    #expect(copy.status == 0 && copy.text.contains("\"duplicate_identical\""), "\(copy.errorText)")
    #expect(try await finish(seen.without("seen")).status == 65)
    #expect(try await finish(line.with(["seen": "true"])).status == 65)
    #expect(try await finish(line, seen).status == 65)
  }
}
