import Foundation
import JSON
import TestSupport
import Testing

/// An input, and the result of an undisturbed run over it, which is made once for all tests.
struct FaultSite: Sendable {
  let folder: TemporaryFolder
  /// The input of all sites, which no test changes; its bytes are in the folder too, as `in.jsonl`.
  let input: String
  private let keys: [String]
  /// The tables of the undisturbed run, by name.
  private(set) var undisturbed: [String: [UInt8]] = [:]
  /// The records of the input.
  static let count = 1200

  private static let first = Task { try await FaultSite(GeneratedDump(count: count, seed: 11)) }
  private static let options = ["--format", "both", "--part-bytes", "100000", "--commit-ms", "0"]

  init() async throws {
    let first = try await Self.first.value
    (keys, input, undisturbed) = (first.keys, first.input, first.undisturbed)
    folder = try TemporaryFolder()
    try folder.makeFile("in.jsonl", holding: try first.folder.contents(of: "in.jsonl"))
  }

  private init(_ dump: GeneratedDump) async throws {
    folder = try TemporaryFolder()
    keys = dump.keys
    input = try folder.makeFile("in.jsonl", holding: dump.bytes)
    let result = try await run(into: "undisturbed")
    try #require(result.status == 0, "\(result.errorText)")
    undisturbed = try tables("undisturbed")
    try #require(undisturbed.count > 6)
  }

  var out: String { folder.path("out") }
  var spool: String { folder.path("spool") }

  /// The arguments of `run` or of another command.
  func arguments(_ command: [String], into out: String = "out") -> [String] {
    command + ["--out", folder.path(out)] + Self.options + keys
  }

  /// Runs the command over the input, or over other inputs.
  func run(
    _ inputs: [String]? = nil,
    into out: String = "out",
    _ fault: Fault? = nil
  ) async throws -> BuiltCommand.Result {
    try await traced(arguments(["run"] + (inputs ?? [input]), into: out), fault)
  }

  /// Runs a consumer over the files of the spool.
  func watch(_ fault: Fault? = nil) async throws -> BuiltCommand.Result {
    try await traced(arguments(["watch", spool, "--once"]), fault)
  }

  /// Runs the command with an injected fault.
  func traced(_ arguments: [String], _ fault: Fault?) async throws -> BuiltCommand.Result {
    let command = (fault?.arguments ?? []) + [try BuiltCommand.path] + arguments
    return try await BuiltCommand.run(executable: "/usr/bin/env", command)
  }

  /// Runs a shell script. `$0` is the command, `$1` the temporary folder, and the other arguments are the options.
  func shell(_ script: String, _ options: [String]? = nil) async throws -> BuiltCommand.Result {
    let arguments = options ?? arguments(["run", input])
    let folder = folder.path("")
    return try await BuiltCommand.run(
      executable: "/bin/bash",
      ["-c", "F=$1; shift; \(script)", try BuiltCommand.path, folder] + arguments
    )
  }

  /// Adds a file to the spool.
  func put(_ name: String, _ bytes: [UInt8]) throws {
    try FileManager.default.createDirectory(atPath: "\(spool)/new", withIntermediateDirectories: true)
    try folder.makeFile("spool/new/\(name)", holding: bytes)
  }

  /// The names of the files in a folder and in the folders below it, including hidden ones, sorted.
  func names(_ name: String) throws -> [String] {
    try folder.files(below: name).map { $0.split(separator: "/").last.map(String.init) ?? "" }.sorted()
  }

  /// All files of the tables, including hidden ones, by their paths in the output folder.
  func tables(_ out: String = "out") throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for table in ["skan_postbacks", "skan_events", "skan_rejects"] {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path("\(out)/\(table)")) {
        found["\(table)/\(name)"] = try folder.contents(of: "\(out)/\(table)/\(name)")
      }
    }
    return found
  }

  /// The lines of an input that have a row, once for each of their rows.
  func rows() throws -> [String: [Int]] {
    var rows: [String: [Int]] = [:]
    for (name, bytes) in try tables() where name.hasSuffix(".jsonl") && !name.hasPrefix("skan_events") {
      for row in try JSONObject.lines(bytes) {
        guard case .string(let path) = row["source_file"], let line = row.integer("source_line") else { continue }
        rows[URL(fileURLWithPath: path).lastPathComponent, default: []].append(line)
      }
    }
    return rows.mapValues { $0.sorted() }
  }

  /// Expects the tables of the undisturbed run, and a sound state.
  func expectUndisturbed(_ location: SourceLocation = #_sourceLocation) async throws {
    let tables = try tables()
    #expect(tables.keys.sorted() == undisturbed.keys.sorted(), sourceLocation: location)
    #expect(tables == undisturbed, sourceLocation: location)
    let check = try await BuiltCommand.run(["state", "check", "--state", "\(out)/_state", "--out", out])
    #expect(check.text == "sound\n", sourceLocation: location)
  }
}
