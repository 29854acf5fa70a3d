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
    let lines = Array((seen + read).joined(separator: [UInt8(ascii: "\n")]))
    return rows(of: try await records(["finish", "--models", Self.models] + options, lines))
  }

  private func rows(of all: [ArraySlice<UInt8>]) -> (rows: [String], seen: [ArraySlice<UInt8>]) {
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
    let read = try await BuiltCommand.run(["records", "read", "--quiet"] + paths + keys).output
    let finish = ["records", "finish", "--blocks", "--quiet", "--models", Self.models] + keys
    var output = try await BuiltCommand.run(finish, input: read).output[...]
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
        #expect(found.sorted() == rows.dropFirst(header).sorted(), "\(table) \(form)")
        #expect(form == "csv" || found.count == count[table])
      }
    }
  }

  @Test(arguments: [1, 3, 500]) func `of partitions are together those of run`(_ count: Int) async throws {
    let (paths, keys) = try await inputs()
    try await run(paths, keys)
    let read = ["records", "read", "--quiet", "--partitions", "\(count)"] + paths + keys
    var output = try await BuiltCommand.run(read).output[...]
    var partitions: [Int: [UInt8]] = [:]
    while let end = output.firstIndex(of: UInt8(ascii: "\n")) {
      let head = Object(String(decoding: output[..<end], as: UTF8.self))
      let partition = try #require(head["partition"].flatMap { Int($0) })
      let lines = output[(end + 1)...].prefix(try #require(head["bytes"].flatMap { Int($0) }))
      output = output[lines.endIndex...]
      for line in lines.split(separator: UInt8(ascii: "\n")) {
        let key = Object(String(decoding: line, as: UTF8.self)).string("postback_key")
        if let key { #expect(Int(key.prefix(8), radix: 16).map { $0 % count } == partition) }
      }
      partitions[partition, default: []] += lines
    }
    #expect(Set(partitions.keys).isSubset(of: 0..<count) && (partitions.count > 1 || count == 1))
    var found: [String] = []
    for (_, lines) in partitions {
      found += rows(of: try await records(["finish", "--models", Self.models] + keys, lines)).rows
    }
    #expect(found.sorted() == (try rows(ofRun: "out")))
  }

  @Test func `of copies among forgeries are those of run`() async throws {
    let dump = try await Self.dump.value
    let read = text(try await records(["read", "-"], dump.bytes)).map { Object($0) }
    let postbacks = try read.filter { $0["postback_key"] != "null" }.map { Object(try #require($0.string("record"))) }
    let genuine = try #require(
      postbacks.first { $0["attribution-signature"] != nil && $0["conversion-value"] != nil && $0["app-id"] != nil }
    )
    let (forged, other) = (genuine.with(["app-id": "1"]), genuine.with(["app-id": "2"]))
    let edited = genuine.with(["conversion-value": genuine["conversion-value"] == "7" ? "8" : "7"])
    // Copies and forgeries of one id: within a batch, and so far apart that the first is known when the last is parsed.
    let near = [forged, genuine, forged, other, genuine, edited, forged, edited, genuine]
    let lines = Array(near.map { $0.text + "\n" }.joined().utf8)
    let path = try folder.makeFile("forged.jsonl", holding: lines + dump.bytes + dump.bytes + lines)
    try await run([path], dump.keys)
    let found = try await finished([path], dump.keys)
    #expect(found.rows == (try rows(ofRun: "out")))
    let own = found.rows.filter { $0.contains("\"source_line\":") && near.indices.contains(line(of: $0) - 1) }
    let known = ["signature_invalid", "duplicate_identical", "duplicate_conflict"]
    let codes = own.sorted { line(of: $0) < line(of: $1) }.map { row in
      known.first { row.contains("\"\($0)\"") } ?? "accepted"
    }
    let invalid = "signature_invalid"
    #expect(
      codes == [
        invalid, "accepted", invalid, invalid, "duplicate_identical", "duplicate_conflict", invalid,
        "duplicate_conflict", "duplicate_identical",
      ]
    )
  }

  private func line(of row: String) -> Int {
    let member = row.range(of: "\"source_line\":").map { row[$0.upperBound...].prefix { $0.isNumber } }
    return member.flatMap { Int($0) } ?? 0
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
    let postback = Array(Fixtures.lines("postbacks/skadnetwork-4.0.jsonl")[0])
    let line = text(try await records(["read", "-", "--source-file", "f"], postback))[0]
    for (member, source, time) in [
      (",\"file_modified_at\":\"2026-03-01T00:00:00.250Z\"", "file_mtime", "2026-03-01T00:00:00.250Z"),
      ("", "option", "2026-04-01T00:00:00Z"),
    ] {
      let options = ["--received-at", "2026-04-01"]
      let timed = line.replacing(",\"record\":", with: "\(member),\"record\":")
      let rows = text(try await records(["finish"] + options, Array(timed.utf8)))
      #expect(rows.first?.contains("\"received_at\":\"\(time)\",\"received_at_source\":\"\(source)\"") == true)
    }
  }

  @Test(arguments: [
    (["{\"source_file\":\"f\",\"source_line\":1,\"record\":\"x\"}", "{\"source_file\""], 2),
    ([""], 1),
    (["[1]"], 1),
    (["{\"source_line\":1,\"record\":\"x\"}"], 1),
    (["{\"source_file\":\"f\",\"source_line\":0,\"record\":\"x\"}"], 1),
    (["{\"source_file\":\"f\",\"source_line\":1}"], 1),
    (["{\"source_file\":\"f\",\"source_line\":1,\"record\":\" \"}"], 1),
    (["{\"source_file\":\"f\",\"source_line\":1,\"record_base64\":\"?\"}"], 1),
    (["{\"source_file\":\"f\",\"source_line\":1,\"record\":\"x\",\"file_modified_at\":\"1\"}"], 1),
    (["{\"postback_key\":\"1\",\"source_file\":\"f\",\"source_line\":1,\"record\":\"x\"}"], 1),
    ([seen("a"), "{\"source_file\":\"f\",\"source_line\":1,\"record\":\"x\"}", seen("b")], 3),
    ([seen("a").replacing("1}", with: "4294967296}")], 1),
  ])
  func `are refused with the number of a broken line`(_ lines: [String], _ number: Int) async throws {
    let input = Array((lines.joined(separator: "\n") + "\n").utf8)
    let result = try await BuiltCommand.run(["records", "finish"], input: input)
    #expect(result.status == 65)
    #expect(result.errorText.contains("Line \(number) "), "\(result.errorText)")
  }

  private static func seen(_ digit: Character) -> String {
    "{\"postback_key\":\"\(String(repeating: digit, count: 32))\",\"seen\":true,\"unsigned_fields\":0,\"content_digest\":1}"
  }

  @Test(arguments: ["read \"$1\"", "read --partitions 9 \"$1\"", "finish"])
  func `fail where their output is closed`(_ command: String) async throws {
    let (paths, keys) = try await inputs()
    let script = """
      mkdir "$F/empty"; cd "$F/empty"
      "$0" records read "$1" "${@:2}" > input
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
