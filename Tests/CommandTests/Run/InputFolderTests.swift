import Foundation
import JSON
import TestSupport
import Testing

extension RealPostback {
  /// The postbacks of which none has the id and the window of one before.
  static let different = all.reduce(into: [RealPostback]()) { kept, next in
    let isKnown = kept.contains { other in
      ["transaction-id", "postback-sequence-index", "jws-string"].allSatisfy { other.object[$0] == next.object[$0] }
    }
    if !isKnown { kept.append(next) }
  }
}

/// A folder of dumps of real postbacks, and the tables of runs over it.
struct DumpFolder {
  let folder: TemporaryFolder
  var dumps: String { folder.path("in") }
  /// Lines of different postbacks that Apple's production keys signed.
  static let lines = RealPostback.different.filter { $0.signatureState == "valid" }.map {
    $0.bytes + [UInt8(ascii: "\n")]
  }

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: dumps, withIntermediateDirectories: true)
  }

  /// Writes a file below the folder, with the folders around it.
  @discardableResult
  func put(_ path: String, _ bytes: [UInt8]) throws -> String {
    let url = URL(filePath: "\(dumps)/\(path)")
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return url.path
  }

  /// Runs over the folder or other inputs, and returns the summary and the text on standard error.
  func run(
    _ options: [String] = [],
    inputs: [String]? = nil,
    tracing fault: Fault? = nil
  ) async throws -> (summary: JSONValue, errors: String) {
    let words =
      ["run"] + (inputs ?? [dumps]) + ["--out", folder.path("out"), "--received-at", "2026-03-10T00:00:00Z", "--json"]
      + options
    let result: BuiltCommand.Result
    if let fault {
      result = try await BuiltCommand.run(
        executable: "/usr/bin/env",
        fault.arguments + [try BuiltCommand.path] + words + ["--jobs", "1"]
      )
    } else {
      result = try await BuiltCommand.run(words)
    }
    #expect(result.status == 0, "\(result.errorText)")
    return (try JSONValue(parsing: result.output), result.errorText)
  }

  /// The values of columns in all rows of a table, in order.
  func values(_ names: [String], in table: String = "skan_postbacks") throws -> [[String?]] {
    try folder.files(below: "out/\(table)").filter { $0.hasSuffix(".jsonl") }.flatMap { file in
      Object.lines(try folder.contents(of: "out/\(table)/\(file)")).map { row in names.map { row.string($0) } }
    }
  }
}

@Suite struct `postback run over folders` {
  private let site: DumpFolder
  private let lines = DumpFolder.lines

  init() throws { site = try DumpFolder() }

  private func counts(_ summary: JSONValue) -> [Int64] {
    [summary["read"], summary["known_inputs"]].map { $0?.integer ?? -1 }
      + ["hidden", "unmatched", "others"].map { summary["left_out"]?[$0]?.integer ?? -1 }
  }

  @Test func `reads sub-folders in the order of paths, and counts what is left out`() async throws {
    try site.put("dt=2026-03-21/part-0000.json", lines[2])
    try site.put("dt=2026-03-20/part-0000.json", lines[1])
    try site.put("dt=2026-03-20/_SUCCESS", [])
    try site.put("dt=2026-03-20/.part-0000.json.crc", [1, 2, 3])
    try site.put("_temporary/0/part-0001.json", lines[3])
    try site.put("_hour=07/part.json", lines[4])
    try site.put("a.json", lines[0])
    // A file, a folder with the name of a file, and one whose name is the beginning of others.
    try site.put("dt=2026-03-20.json/x", lines[3])
    #expect(counts(try await site.run().summary) == [5, 0, 3, 0, 0])
    let paths = ["_hour=07/part.json", "a.json", "dt=2026-03-20.json/x", "dt=2026-03-20/part-0000.json"]
    #expect(
      try site.values(["source_file"]).compactMap { $0[0] }
        == (paths + ["dt=2026-03-21/part-0000.json"]).map { "\(site.dumps)/\($0)" }
    )
  }

  @Test func `reads only the files that the patterns take`() async throws {
    for (index, path) in ["dt=1/a.jsonl", "dt=1/b.json", "dt=2/a.jsonl", "old/dt=2/a.jsonl"].enumerated() {
      try site.put(path, lines[index])
    }
    try site.put("dt=2/notes.txt", Array("no postback\n".utf8))
    let dry = ["--out", site.folder.path("none")]
    #expect(counts(try await site.run(["--include", "*.jsonl", "--exclude", "old"] + dry).summary) == [2, 0, 0, 3, 0])
    #expect(counts(try await site.run(["--include", "dt=2/*"]).summary) == [2, 0, 0, 3, 0])
    let (summary, _) = try await site.run(["--include", "*.json", "--include", "*.jsonl"])
    #expect(counts(summary) == [3, 1, 0, 1, 0])
    let result = try await BuiltCommand.run(["run", site.dumps, "--include", "x", "--out", site.folder.path("x")])
    #expect(result.status == 66 && result.errorText.contains("Some entries are left out"), "\(result.errorText)")
  }

  @Test(.enabled(if: Tracer.works)) func `does not read a file again that has not changed`() async throws {
    let first = try site.put("dt=1/a.jsonl", lines[0] + lines[1])
    // A change in the same two seconds could have the same time.
    try await Task.sleep(for: .seconds(3.5))
    #expect(counts(try await site.run().summary)[0] == 2)
    try site.put("dt=2/a.jsonl", lines[2])
    let broken = Fault(call: "read", effect: "error=EIO", path: first)
    #expect(Array(counts(try await site.run(tracing: broken).summary).prefix(2)) == [1, 1])
    // As many bytes, and another content.
    try Data(lines[1] + lines[0]).write(to: URL(filePath: first))
    #expect(Array(counts(try await site.run().summary).prefix(2)) == [2, 1])
    // A larger limit reads the file again, and recognises it.
    #expect(Array(counts(try await site.run(["--max-postback-bytes", "100000"]).summary).prefix(2)) == [0, 2])
  }

  @Test func `reads a folder once, whatever links lead to it, and never the tables`() async throws {
    try site.put("dt=1/a.jsonl", lines[0])
    let files = FileManager.default
    try files.createSymbolicLink(atPath: "\(site.dumps)/dt=1/loop", withDestinationPath: "..")
    try files.createSymbolicLink(atPath: "\(site.dumps)/again", withDestinationPath: "dt=1")
    try files.createSymbolicLink(atPath: "\(site.dumps)/nothing", withDestinationPath: "missing")
    #expect(counts(try await site.run().summary) == [1, 0, 0, 0, 3])
    // The folder of the tables is in the input, and so is that of another output.
    let inside = ["--out", "\(site.dumps)/out"]
    #expect(counts(try await site.run(inside).summary) == [1, 0, 0, 0, 3])
    #expect(counts(try await site.run(inside).summary) == [0, 1, 0, 0, 4])
    #expect(counts(try await site.run(["--out", site.dumps]).summary) == [1, 0, 0, 0, 4])
    #expect(counts(try await site.run(["--out", site.dumps]).summary)[0] == 0)
  }

  @Test func `warns of an input without a record, not of one that is known`() async throws {
    let full = try site.put("full.jsonl", lines[0])
    let empty = try site.put("empty.jsonl", Array("\n \n".utf8))
    for isKnown in [false, true] {
      let (summary, errors) = try await site.run(inputs: [full, empty])
      let codes = summary["warnings"]?.array.compactMap { $0["code"]?.text } ?? []
      #expect(codes.contains("no_record") == !isKnown)
      #expect(errors.contains("There is no record in \(empty).") == !isKnown, "\(errors)")
    }
  }

  @Test func `reads many files in deep folders`() async throws {
    let deep = (0..<60).map { "level-\($0)" }.joined(separator: "/")
    try site.put("\(deep)/a.jsonl", lines[0])
    for number in 0..<2000 { try site.put("\(number % 20)/\(number).jsonl", [UInt8(ascii: "\n")]) }
    // All but the first of those with the same content are known by it.
    #expect(counts(try await site.run().summary) == [1, 1999, 0, 0, 0])
    #expect(counts(try await site.run().summary) == [0, 2001, 0, 0, 0])
  }
}
