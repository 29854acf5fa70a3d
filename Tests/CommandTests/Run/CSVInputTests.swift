import JSON
import TestSupport
import Testing

/// A CSV text of postbacks.
private struct CSVDump {
  /// The names of the columns.
  var header: [String]
  var rows: [[String]]

  /// All fields of some postbacks, with the names of the columns as `name` gives them.
  init(_ postbacks: [Object], _ name: (String) -> String = { $0 }) {
    var keys: [String] = []
    for key in postbacks.flatMap(\.keys) where !keys.contains(key) { keys.append(key) }
    header = keys.map(name)
    rows = postbacks.map { postback in keys.map { postback.string($0) ?? "" } }
  }

  /// Writes the text: fields that need quotes have them, and every third one else.
  func text(separator: String = ",", lineEnd: String = "\r\n") -> String {
    let lines = ([header] + rows).map { row in
      row.enumerated().map { index, field in
        guard index % 3 == 1 || field.contains(where: { "\"\n\r\(separator)".contains($0) }) else { return field }
        return "\"" + field.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
      }.joined(separator: separator)
    }
    return lines.joined(separator: lineEnd) + lineEnd
  }
}

@Suite struct `postback run over CSV` {
  private let site: DumpFolder
  private static let postbacks = RealPostback.different.map(\.object)

  init() throws { site = try DumpFolder() }

  private func run(_ text: String, _ options: [String] = []) async throws -> JSONValue {
    try site.put("in.csv", Array(text.utf8))
    return try await site.run(options).summary
  }

  private func rows(_ table: String, in output: String) throws -> [Object] {
    Object.lines(try site.folder.contents(of: "\(output)/\(table)/part-00000001.jsonl"))
  }

  @Test(arguments: [",", ";", "\t"], [true, false])
  func `accepts what it accepts as JSON, and names no field as written differently`(
    _ separator: String,
    hasSnakeCase: Bool
  ) async throws {
    let dump = CSVDump(Self.postbacks) { name in
      hasSnakeCase ? String(name.map { $0 == "-" ? "_" : $0 }).uppercased() : name
    }
    let summary = try await run(dump.text(separator: separator, lineEnd: hasSnakeCase ? "\n" : "\r\n"))
    #expect(summary["csv_inputs"]?.integer == 1 && summary["read"]?.integer == Int64(Self.postbacks.count))
    try site.put("in.csv", Array(Self.postbacks.map(\.text).joined(separator: "\n").utf8))
    let plain = try await site.run(["--out", site.folder.path("json")]).summary
    #expect(plain["csv_inputs"]?.integer == 0 && plain["by_code"] == summary["by_code"])
    let (found, expected) = (try rows("skan_postbacks", in: "out"), try rows("skan_postbacks", in: "json"))
    #expect(found.count == expected.count && found.count > 7)
    for (row, other) in zip(found, expected) {
      for key in row.keys where !["source_file", "source_line", "processed_at", "extras"].contains(key) {
        #expect(row[key] == other[key], "\(key)")
      }
      // The header has the first line.
      #expect(row["source_line"].flatMap { Int($0) } == other["source_line"].flatMap { Int($0) }.map { $0 + 1 })
    }
  }

  @Test func `takes columns of an envelope, other columns as extras, and synonyms`() async throws {
    var dump = CSVDump(Array(Self.postbacks.filter { $0["version"] == "\"4.0\"" }.prefix(2)))
    dump.header =
      dump.header.map { ["attribution-signature": "Signature", "version": "skan_version"][$0] ?? $0 }
      + ["received_at", "forwarder", "note", "note", "conversion_value"]
    dump.rows = dump.rows.map { $0 + ["2026-03-01 10:00:00 UTC", "acme", "two\nlines \u{e4} \"q\"", "b", "77"] }
    let summary = try await run("\u{FEFF}" + dump.text())
    #expect(summary["accepted"]?.integer == 2, "\(summary)")
    let found = try rows("skan_postbacks", in: "out")
    #expect(found.map { $0.string("received_at") } == ["2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z"])
    #expect(found.map { $0.string("received_at_source") } == ["envelope", "envelope"])
    #expect(found.map { $0.string("forwarder") } == ["acme", "acme"])
    // Apple's name comes before the same with underscores, and a name that is there twice is kept twice.
    for row in found {
      let extras = row.string("extras") ?? ""
      #expect(extras.contains("\"note\":\"two\\nlines \u{e4} \\\"q\\\"\",\"note_2\":\"b\",\"conversion_value\":\"77\""))
    }
    #expect(found.map { $0["source_line"] } == ["2", "4"])
  }

  @Test func `loses no row to those that are broken`() async throws {
    let lines = CSVDump(Self.postbacks).text(lineEnd: "\n").split(separator: "\n").map(String.init)
    let broken = ["1,2", "\"never closed,1", "[1,2", "{", "\"a\"b,\"c", String(repeating: "x", count: 70_000)]
    var text = [lines[0]]
    for line in broken { text += [line] + lines[1...3] }
    text += [lines[2] + ",more"] + lines[4...] + ["\"open", "1,2"]
    let summary = try await run(text.joined(separator: "\n"))
    let rejects = try rows("skan_rejects", in: "out")
    let codes = rejects.map { $0.string("reject_code") ?? "" }
    // Five of the broken ones, one with a field too many, and two at the end.
    #expect(codes.count { $0 == "not_json" } == 8 && codes.count { $0 == "too_large" } == 1, "\(codes)")
    #expect(summary["read"]?.integer == Int64(Self.postbacks.count + 15 + 9))
    for line in broken.dropLast() { #expect(rejects.contains { $0.string("raw_body") == line }, "\(line)") }
    let whole = try await run(lines.joined(separator: "\n"), ["--out", site.folder.path("whole")])
    #expect(summary["accepted"] == whole["accepted"])
  }

  @Test func `does not slow down for quotes that are never closed`() async throws {
    let header = CSVDump(Self.postbacks).text(lineEnd: "\n").split(separator: "\n").map(String.init)[0]
    let start = ContinuousClock.now
    // Each of these lines opens a quote, whether it begins inside one or not.
    let text = ([header] + repeatElement("\"a\"b,\"c", count: 400_000)).joined(separator: "\n")
    #expect(try await run(text)["read"]?.integer == 400_000)
    // Work that grows with the square of the length would take hours.
    #expect(ContinuousClock.now - start < .seconds(300))
  }

  @Test func `reads only what has a header of postbacks, and says that nothing could be read`() async throws {
    let lines = CSVDump(Self.postbacks).text(lineEnd: "\n").split(separator: "\n").map(String.init)
    let without = lines.dropFirst().joined(separator: "\n")
    let wide = (0..<1_000_000).map { "c\($0)" }.joined(separator: ",")
    for (index, text) in [without, wide + "\n" + without, "\n\n" + without].enumerated() {
      try site.put("in.csv", Array(text.utf8))
      let (summary, errors) = try await site.run(["--out", site.folder.path("none-\(index)")])
      #expect(summary["csv_inputs"]?.integer == 0 && summary["accepted"]?.integer == 0)
      #expect(summary["warnings"]?.array.compactMap { $0["code"]?.text } == ["no_postback"])
      #expect(errors.contains("postback import FILE --dry-run"), "\(errors)")
    }
    #expect(try await run(lines.joined(separator: "\n"), ["--format-in", "json"])["csv_inputs"]?.integer == 0)
    // The same file in another form is read again.
    #expect(try await run(lines.joined(separator: "\n"))["accepted"]?.integer ?? 0 > 7)
    let other = try await run("a,b\n1,2\n", ["--format-in", "csv"])
    #expect(other["csv_inputs"]?.integer == 1 && other["by_code"]?["missing_field"]?.integer == 1, "\(other)")
    let result = try await BuiltCommand.run(["run", site.dumps, "--out", "x", "--format-in", "xml"])
    #expect(result.status == 64, "\(result.errorText)")
  }
}
