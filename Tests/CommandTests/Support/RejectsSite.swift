import JSON
import TestSupport
import Testing

@testable import postback

/// The tables of a run over a dump with every kind of defect and several forwarders, made once for all tests.
struct RejectsSite: Sendable {
  let folder: TemporaryFolder
  /// The folder that --out named.
  let out: String
  /// The rows of its tables, in order.
  let rejects: [JSONObject]
  let postbacks: [JSONObject]
  /// The rows of the truth file.
  let truth: [JSONObject]
  /// The options that trust the dump's keys.
  let keys: [String]

  static let shared = Task { try await RejectsSite(format: "jsonl") }

  /// The page that `report` makes of these tables, with 100 rejects.
  static let page = Task {
    let result = try await BuiltCommand.run(
      ["report", try await shared.value.out, "--html", "-", "--sample", "100", "--jobs", "3"]
    )
    #expect(result.status == 0, "\(result.errorText)")
    return result.text
  }

  init(format: String, count: Int = 3000) async throws {
    folder = try TemporaryFolder()
    out = folder.path("out")
    let shares = ["--forged", "0.05", "--edited", "0.1", "--duplicate", "0.1", "--malformed", "0.05"]
    let generated = try await BuiltCommand.run(
      [
        "generate", "--count", "\(count)", "--seed", "5", "--envelopes", "--out", folder.path("dump"), "--keys",
        folder.path("keys"), "--truth", folder.path("truth"),
      ]
        + shares
    )
    #expect(generated.status == 0, "\(generated.errorText)")
    truth = try JSONObject.lines(try folder.contents(of: "truth"))
    keys = try folder.words(of: "keys")
    let run = try await BuiltCommand.run(
      ["run", folder.path("dump"), "--out", out, "--format", format, "--received-at", "2026-03-10T00:00:00Z"] + keys
    )
    #expect(run.status == 0, "\(run.errorText)")
    let hasJSON = format != "csv"
    rejects = hasJSON ? try JSONObject.lines(try folder.contents(of: "out/skan_rejects/part-00000001.jsonl")) : []
    postbacks = hasJSON ? try JSONObject.lines(try folder.contents(of: "out/skan_postbacks/part-00000001.jsonl")) : []
  }

  /// What `postback rejects --format json` prints with these options.
  func answer(_ options: [String], of paths: [String]? = nil) async throws -> JSONValue {
    let result = try await BuiltCommand.run(["rejects"] + (paths ?? [out]) + ["--format", "json"] + options)
    #expect(result.status == 0, "\(result.errorText)")
    return try JSONValue(parsing: result.output)
  }
}

extension JSONObject {
  /// The text of a member as groups show it: the content of a string, or the JSON of another value.
  func cell(_ name: String) -> String? {
    guard let value = self[name], value != .null else { return nil }
    return value.text ?? "\(value)"
  }
}

extension JSONValue {
  /// An array's elements.
  var array: [JSONValue] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }
}
