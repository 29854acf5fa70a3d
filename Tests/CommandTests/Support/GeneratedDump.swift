import JSON
import TestSupport

/// The output of `postback generate`, parsed.
struct GeneratedDump: Sendable {
  let bytes: [UInt8]
  /// The rows of the truth file.
  let truth: [JSONObject]
  /// The options with which `run` trusts the keys.
  let keys: [String]
  private let folder: TemporaryFolder

  init(count: Int, seed: Int, options: [String] = []) async throws {
    folder = try TemporaryFolder()
    let files = ["--out", folder.path("dump"), "--truth", folder.path("truth"), "--keys", folder.path("keys")]
    let numbers = ["--count", String(count), "--seed", String(seed)]
    let result = try await BuiltCommand.run(["generate"] + numbers + files + options)
    guard result.status == 0 else { throw Failure(text: result.errorText) }
    bytes = try folder.contents(of: "dump")
    truth = try JSONObject.lines(try folder.contents(of: "truth"))
    keys = try folder.words(of: "keys")
  }

  /// All texts of the truth file under a name.
  func values(of name: String) -> Set<String> {
    Set(truth.compactMap { if case .string(let text) = $0[name] { text } else { nil } })
  }

  /// The rows that `postback run` writes for the dump, of `skan_postbacks` or `skan_rejects`, by line.
  func rows() async throws -> [Int: JSONObject] {
    let out = folder.path("out")
    let options = ["--received-at", "2026-03-10T00:00:00Z", "--out", out]
    let result = try await BuiltCommand.run(["run", folder.path("dump")] + keys + options)
    guard result.status == 0 else { throw Failure(text: result.errorText) }
    var rows: [Int: JSONObject] = [:]
    for table in ["skan_postbacks", "skan_rejects"] {
      for row in try JSONObject.lines(try folder.contents(of: "out/\(table)/part-00000001.jsonl")) {
        guard let line = row.integer("source_line"), rows.updateValue(row, forKey: line) == nil else {
          throw Failure(text: "two rows for a line")
        }
      }
    }
    return rows
  }

  struct Failure: Error {
    let text: String
  }
}

/// A row of a table, or of the truth file.
struct JSONObject: Equatable, Sendable {
  private let members: [String: JSONValue]

  /// The objects of a JSON Lines text.
  static func lines(_ text: [UInt8]) throws -> [JSONObject] {
    guard let rows = try jsonLines(text) else { throw GeneratedDump.Failure(text: "a line is no object") }
    return rows.map { JSONObject(members: $0) }
  }

  /// The value of a member, which can be a JSON null; nil if the member is absent.
  subscript(name: String) -> JSONValue? { members[name] }

  /// The integer value of a member.
  func integer(_ name: String) -> Int? {
    if case .number(let text) = members[name] { Int(text) } else { nil }
  }
}
