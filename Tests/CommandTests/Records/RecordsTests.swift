import Foundation
import JSON
import TestSupport
import Testing

/// `postback records`: a run in pieces, from standard input to standard output.
@Suite struct RecordsTests {
  private let folder: TemporaryFolder
  private static let models = Fixtures.path("models")

  init() throws { folder = try TemporaryFolder() }

  /// Runs a command of record mode that must succeed, and returns its lines.
  private func records(_ command: [String], _ input: [UInt8] = []) async throws -> [ArraySlice<UInt8>] {
    let result = try await BuiltCommand.run(["records"] + command + ["--quiet"], input: input)
    try #require(result.status == 0, "\(result.errorText)")
    return result.output.split(separator: UInt8(ascii: "\n"))
  }

  /// Sorts the rows of seen keys and the lines of `verify` as the manual does.
  private func sorted(_ lines: [ArraySlice<UInt8>]) async throws -> [UInt8] {
    let input = Array(lines.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")]
    let sort = "LC_ALL=C sort --stable --key=1.1,1.49"
    return try await BuiltCommand.run(executable: "/bin/bash", ["-c", sort], input: input).output
  }

  /// The rows of a run, as record mode writes them.
  private func rows(ofRun out: String) throws -> [String] {
    try ["skan_postbacks", "skan_events", "skan_rejects"].flatMap { table in
      try FileManager.default.contentsOfDirectory(atPath: folder.path("\(out)/\(table)")).flatMap { part in
        try folder.contents(of: "\(out)/\(table)/\(part)").split(separator: UInt8(ascii: "\n")).map { row in
          "{\"table\":\"\(table)\",\"row\":\(String(decoding: row, as: UTF8.self))}"
        }
      }
    }.sorted()
  }

  private func text(_ lines: [ArraySlice<UInt8>]) -> [String] { lines.map { String(decoding: $0, as: UTF8.self) } }

  private func run(_ inputs: [String], _ options: [String], into out: String = "out") async throws {
    let result = try await BuiltCommand.run(
      ["run"] + inputs + ["--models", Self.models, "--out", folder.path(out)] + options
    )
    try #require(result.status == 0, "\(result.errorText)")
  }

  /// The rows of record mode, and those of `seen_keys`.
  private func finished(
    _ inputs: [String],
    _ options: [String],
    seen: [ArraySlice<UInt8>] = []
  ) async throws -> (rows: [String], seen: [ArraySlice<UInt8>]) {
    let read = try await records(["read"] + inputs + options)
    let verified = try await records(["verify"] + options, Array(read.joined(separator: [UInt8(ascii: "\n")])))
    let all = try await records(["finish", "--models", Self.models] + options, try await sorted(seen + verified))
    let prefix = Array("{\"table\":\"seen_keys\",\"row\":".utf8)
    let keys = all.filter { $0.starts(with: prefix) }.map { $0.dropFirst(prefix.count).dropLast() }
    return (text(all.filter { !$0.starts(with: prefix) }).sorted(), keys)
  }

  private static let dump = Task {
    try await GeneratedDump(count: 3000, seed: 21, options: ["--duplicate", "0.3", "--malformed", "0.05"])
  }

  /// The dump in two files, with bytes that are not UTF-8, a byte order mark, an array on a line, and a record that is too
  /// large; a third file is cut in its compression.
  private func inputs() async throws -> (paths: [String], keys: [String]) {
    let dump = try await Self.dump.value
    let lines = dump.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let end: [UInt8] = [UInt8(ascii: "\n")]
    let first = lines.prefix(2000)
    let array = Array("[".utf8) + first[0] + Array(",".utf8) + first[0] + Array("]\n".utf8)
    let large = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
    let bytes =
      [0xEF, 0xBB, 0xBF] + Array(first.joined(separator: end)) + end + array + [0xFF, 0x00] + end + large + end
    let rest = Array(lines.dropFirst(2000).joined(separator: Array("\r\n\n".utf8)))
    return ([try folder.makeFile("1.jsonl", holding: bytes), try folder.makeFile("2.jsonl", holding: rest)], dump.keys)
  }

  @Test(arguments: [[], ["--received-at", "2026-03-10T00:00:00Z", "--keep-raw"]])
  func `have the rows of run, in every column`(_ options: [String]) async throws {
    let (paths, keys) = try await inputs()
    try await run(paths, keys + options)
    let expected = try rows(ofRun: "out")
    let found = try await finished(paths, keys + options)
    #expect(found.rows == expected)
    for code in ["duplicate_identical", "duplicate_conflict", "duplicate_transaction", "too_large", "invalid_utf8"] {
      #expect(expected.contains { $0.contains("\"\(code)\"") }, "the input has no \(code)")
    }
  }

  @Test func `in blocks are those of run, as JSON Lines and as CSV`() async throws {
    let (paths, keys) = try await inputs()
    try await run(paths, keys + ["--format", "both"])
    let read = try await records(["read"] + paths)
    let verified = try await records(["verify"] + keys, Array(read.joined(separator: [UInt8(ascii: "\n")])))
    let finish = ["records", "finish", "--blocks", "--quiet", "--models", Self.models] + keys
    var output = try await BuiltCommand.run(finish, input: try await sorted(verified)).output[...]
    var (count, texts) = ([String: Int](), [String: [UInt8]]())
    while let end = output.firstIndex(of: UInt8(ascii: "\n")) {
      let head = Object(String(decoding: output[..<end], as: UTF8.self))
      let table = try #require(head.string("table"))
      output = output[(end + 1)...]
      for (form, size) in [("jsonl", head["jsonl_bytes"]), ("csv", head["csv_bytes"])] {
        let text = output.prefix(try #require(size.flatMap { Int($0) }))
        texts["\(table).\(form)", default: []] += text
        output = output.dropFirst(text.count)
      }
      count[table, default: 0] += try #require(head["rows"].flatMap { Int($0) })
    }
    #expect(output.isEmpty)
    let accepted = try #require(count["skan_postbacks"])
    #expect(texts["seen_keys.csv"]?.count { $0 == UInt8(ascii: "\n") } == accepted && count["seen_keys"] == accepted)
    for table in ["skan_postbacks", "skan_events", "skan_rejects"] {
      for form in ["jsonl", "csv"] {
        let header = form == "csv" ? 1 : 0
        let part = try folder.contents(of: "out/\(table)/part-00000001.\(form)")
        let rows = text(part.split(separator: UInt8(ascii: "\n")))
        let found = text((texts["\(table).\(form)"] ?? []).split(separator: UInt8(ascii: "\n")))
        if table == "skan_rejects", form == "csv" {
          // The rejects of verify are passed on as they are.
          #expect(!found.isEmpty && Set(found).isSubset(of: rows))
        } else {
          #expect(found.sorted() == rows.dropFirst(header).sorted(), "\(table) \(form)")
          #expect(form == "csv" || found.count == count[table])
        }
      }
    }
  }

  @Test func `of a later batch are compared with the keys of the first`() async throws {
    let (paths, keys) = try await inputs()
    try await run([paths[0]], keys)
    try await run([paths[1]], keys)
    let first = try await finished([paths[0]], keys)
    let second = try await finished([paths[1]], keys, seen: first.seen)
    #expect((first.rows + second.rows).sorted() == (try rows(ofRun: "out")))
    let alone = try await finished([paths[1]], keys)
    #expect(alone.rows != second.rows)
  }

  @Test func `of a part of a file keep their lines`() async throws {
    let (paths, _) = try await inputs()
    let bytes = try folder.contents(of: "1.jsonl")
    let all = try await records(["read", paths[0], "--received-at", "2026-03-10"])
    let cut = try #require(bytes[(bytes.count / 2)...].firstIndex(of: UInt8(ascii: "\n"))) + 1
    let line = bytes[..<cut].count { $0 == UInt8(ascii: "\n") } + 1
    let options = ["-", "--source-file", paths[0]]
    let head = try await records(["read"] + options, Array(bytes[..<cut]))
    let tail = try await records(["read"] + options + ["--first-line", "\(line)"], Array(bytes[cut...]))
    #expect(text(head + tail) == text(all))
  }

  @Test func `without a time of their own have that of the file, or else the option's`() async throws {
    let postback = String(decoding: Fixtures.lines("postbacks/skadnetwork-4.0.jsonl")[0], as: UTF8.self)
    var record: [UInt8] = []
    record.appendJSONString(postback)
    let start = "{\"source_file\":\"f\",\"source_line\":1,\"record\":\(String(decoding: record, as: UTF8.self))"
    for (member, source, time) in [
      (",\"file_modified_at\":\"2026-03-01T00:00:00.250Z\"", "file_mtime", "2026-03-01T00:00:00.250Z"),
      ("", "option", "2026-04-01T00:00:00Z"),
    ] {
      let options = ["--received-at", "2026-04-01"]
      let verified = try await records(["verify"] + options, Array("\(start)\(member)}".utf8))
      let rows = text(try await records(["finish"] + options, verified.flatMap { $0 + [UInt8(ascii: "\n")] }))
      #expect(rows.first?.contains("\"received_at\":\"\(time)\",\"received_at_source\":\"\(source)\"") == true)
    }
  }

  @Test(arguments: [
    ("verify", ["{\"source_file\":\"f\",\"source_line\":1,\"record\":\"x\"}", "{\"source_file\""], 2),
    ("verify", [""], 1),
    ("verify", ["[1]"], 1),
    ("verify", ["{\"source_line\":1,\"record\":\"x\"}"], 1),
    ("verify", ["{\"source_file\":\"f\",\"source_line\":0,\"record\":\"x\"}"], 1),
    ("verify", ["{\"source_file\":\"f\",\"source_line\":1}"], 1),
    ("verify", ["{\"source_file\":\"f\",\"source_line\":1,\"record_base64\":\"?\"}"], 1),
    ("verify", ["{\"source_file\":\"f\",\"source_line\":1,\"record\":\"x\",\"file_modified_at\":\"1\"}"], 1),
    ("finish", ["{\"source_file\":\"f\",\"source_line\":1,\"record\":\"x\"}"], 1),
    ("finish", [seen("b"), seen("a")], 2),
    ("finish", [record("a", "x")], 1),
    ("finish", [seen("a").replacing("1}", with: "4294967296}")], 1),
  ])
  func `are refused with the number of a broken line`(_ command: String, _ lines: [String], _ number: Int) async throws
  {
    let input = Array((lines.joined(separator: "\n") + "\n").utf8)
    let result = try await BuiltCommand.run(["records", command], input: input)
    #expect(result.status == 65)
    #expect(result.errorText.contains("Line \(number) "), "\(result.errorText)")
  }

  private static func seen(_ digit: Character) -> String {
    "{\"postback_key\":\"\(String(repeating: digit, count: 32))\",\"seen\":true,\"unsigned_fields\":0,\"content_digest\":1}"
  }

  private static func record(_ digit: Character, _ text: String) -> String {
    "{\"postback_key\":\"\(String(repeating: digit, count: 32))\",\"source_file\":\"f\",\"source_line\":1,"
      + "\"key_id\":\"apple-cas-identifier/0\",\"signed_layout\":\"as_sent\",\"record\":\"\(text)\"}"
  }

  @Test(arguments: ["verify", "finish"])
  func `fail where their output is closed`(_ command: String) async throws {
    let (paths, keys) = try await inputs()
    let upstream = command == "verify" ? "" : "| \"$0\" records verify \"${@:2}\" | LC_ALL=C sort"
    let script = """
      mkdir "$F/empty"; cd "$F/empty"
      "$0" records read "$1" "${@:2}" \(upstream) > input
      "$0" records \(command) "${@:2}" < input >&-; echo $?
      "$0" records \(command) "${@:2}" < input > /dev/full; echo $?
      ls -A
      """
    let result = try await BuiltCommand.run(
      executable: "/bin/bash",
      ["-c", "F='\(folder.path(""))'; \(script)", try BuiltCommand.path, paths[0]] + keys
    )
    #expect(result.text == "74\n74\ninput\n")
  }
}

extension JSONValue {
  /// The value of an integer member; 0 if it is absent.
  fileprivate func number(_ name: String) -> Int {
    if case .number(let text) = self[name] { Int(text) ?? 0 } else { 0 }
  }
}
