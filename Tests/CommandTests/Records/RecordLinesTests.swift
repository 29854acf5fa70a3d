import TestSupport
import Testing

/// The lines between `postback records verify` and `finish`, of which somebody changed one.
@Suite struct RecordLinesTests {
  private let folder: TemporaryFolder
  private let secret: [String]
  private let keys: [String]
  /// The lines of `verify` without a secret, and with one.
  private let (plain, authentic): ([Object], [Object])

  private static let dump = Task { try await GeneratedDump(count: 60, seed: 4, options: ["--malformed", "0.3"]) }

  init() async throws {
    let dump = try await Self.dump.value
    folder = try TemporaryFolder()
    keys = dump.keys
    secret = ["--line-secret-file", try folder.makeFile("secret", holding: Array("a secret of the job\n".utf8))]
    let input = try folder.makeFile("dump.jsonl", holding: dump.bytes)
    let read = try await BuiltCommand.run(["records", "read", input, "--quiet"]).output
    plain = Object.lines(try await BuiltCommand.run(["records", "verify", "--quiet"] + keys, input: read).output)
    let verify = ["records", "verify", "--quiet"] + keys + secret
    authentic = Object.lines(try await BuiltCommand.run(verify, input: read).output)
  }

  private func finish(_ line: Object, _ options: [String]) async throws -> BuiltCommand.Result {
    let input = Array((line.text + "\n").utf8)
    return try await BuiltCommand.run(["records", "finish", "--quiet"] + keys + options, input: input)
  }

  /// The first line with the member, as a string or an object.
  private func first(_ member: String, _ lines: [Object]) throws -> Object {
    try #require(lines.first { ($0[member] ?? "null") != "null" })
  }

  private static let changes: [(member: String, json: String?)] = [
    ("postback_key", "\"00000000000000000000000000000001\""), ("key_id", "\"apple-cas-identifier/0\""),
    ("signature_state", "\"valid_zero_filled\""), ("signed_layout", "\"without_zero_filled\""), ("content_digest", "1"),
    ("unsigned_fields", "1"), ("unsigned_number", "1"), ("record", nil),
  ]
  private static let positions: [(member: String, json: String?)] = [
    ("source_file", "\"other\""), ("source_line", "99"), ("source_index", "1"),
    ("file_modified_at", "\"2025-01-01T00:00:00Z\""), ("file_modified_at", nil), ("unknown", "1"),
  ]

  @Test func `are accepted as verify wrote them`() async throws {
    for (lines, options) in [(plain, []), (authentic, []), (authentic, secret)] {
      for member in ["record", "row"] {
        let result = try await finish(try first(member, lines), options)
        #expect(result.status == 0, "\(result.errorText)")
        #expect(!result.output.isEmpty)
      }
    }
  }

  @Test(arguments: changes + positions)
  func `are refused with a secret where a member was changed`(_ member: String, _ json: String?) async throws {
    let line = try first("record", authentic)
    let result = try await finish(line.with([member: json]), secret)
    #expect(result.status == 65)
    #expect(result.errorText.contains("Line 1 ") && result.errorText.contains("line_mac"), "\(result.errorText)")
  }

  @Test(arguments: changes)
  func `are refused without a secret where the verdict was changed`(_ member: String, _ json: String?) async throws {
    let result = try await finish(try first("record", plain).with([member: json]), [])
    #expect(result.status == 65)
    #expect(result.errorText.contains("Line 1 "), "\(result.errorText)")
    #expect(result.output.isEmpty)
  }

  @Test(arguments: ["app-id", "source-identifier", "transaction-id", "attribution-signature", "conversion-value"])
  func `are refused where a field of the postback was changed`(_ field: String) async throws {
    for (lines, options) in [(plain, []), (authentic, secret)] {
      let line = try #require(
        lines.first { $0.string("record").map { Object($0)[field] ?? "null" } ?? "null" != "null" }
      )
      let postback = Object(try #require(line.string("record")))
      let value = try #require(postback[field])
      let digit = try #require(value.last { $0.isNumber })
      let changed = value.replacing("\(digit)", with: digit == "4" ? "5" : "4")
      let result = try await finish(line.with(["record": Object.quoted(postback.with([field: changed]).text)]), options)
      #expect(result.status == 65)
      #expect(result.output.isEmpty)
    }
  }

  @Test func `of rejects are refused where the row is another one`() async throws {
    let reject = try first("row", authentic)
    #expect(
      try await finish(reject.with(["row": reject["row"]?.replacing("signature", with: "s")]), secret).status == 65
    )
    #expect(try await finish(reject.without("line_mac"), secret).status == 65)
    for (table, row) in [
      ("skan_postbacks", reject["row"]),
      ("skan_rejects", "{\"stage\":\"dedup\",\"reject_code\":\"duplicate_conflict\"}"),
      ("skan_rejects", "{\"stage\":\"parse\",\"reject_code\":\"duplicate_conflict\"}"), ("skan_rejects", "{}"),
    ] {
      let result = try await finish(reject.with(["table": Object.quoted(table), "row": row]), [])
      #expect(result.status == 65 && result.output.isEmpty, "\(table) \(row ?? "")")
    }
  }

  @Test func `of another secret, and without line_mac, are refused`() async throws {
    let other = try folder.makeFile("other", holding: Array("another secret of a job".utf8))
    #expect(try await finish(try first("record", authentic), ["--line-secret-file", other]).status == 65)
    #expect(try await finish(try first("record", plain), secret).status == 65)
    let short = try folder.makeFile("short", holding: Array("short\n".utf8))
    let result = try await finish(try first("record", plain), ["--line-secret-file", short])
    #expect(result.status == 65)
    #expect(result.errorText.contains("16 bytes or more"))
  }

  @Test func `are rows of seen keys only where they are marked as such`() async throws {
    let line = try first("record", plain)
    let members = ["postback_key", "content_digest", "unsigned_fields", "unsigned_number"]
    var seen = Object("{}")
    for member in members { seen[member] = line[member] }
    let unmarked = try await finish(seen, [])
    #expect(unmarked.status == 65)
    #expect(unmarked.errorText.contains("\"seen\":true"), "\(unmarked.errorText)")
    for options in [[], secret] {
      #expect(try await finish(seen.with(["seen": "true"]), options).status == 0)
      #expect(try await finish(line.with(["seen": "true"]), options).status == 65)
    }
  }

  @Test(arguments: ["--allow-app", "--allow-network"])
  func `are refused by finish with a stricter policy`(_ option: String) async throws {
    for (lines, options) in [(plain, []), (authentic, secret)] {
      let value = option == "--allow-app" ? "1" : "other.skadnetwork"
      #expect(try await finish(try first("record", lines), options + [option, value]).status == 65)
    }
  }
}
