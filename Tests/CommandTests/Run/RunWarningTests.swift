import Foundation
import JSON
import TestSupport
import Testing

@testable import postback

@Suite struct `A run without accepted postbacks` {
  private func run(_ input: String, _ options: [String]) async throws -> BuiltCommand.Result {
    let folder = try TemporaryFolder()
    return try await BuiltCommand.run(
      ["run", Fixtures.path(input), "--out", folder.path("out"), "--json", "--received-at", "2026-03-10T00:00:00Z"]
        + options
    )
  }

  @Test(arguments: [
    (["--models"], []), ([], ["no_model", "No conversion models were given; name them with --models."]),
    (["--models", "6740000001.json"], ["no_model", "for other apps or other install dates"]),
  ]) func `says that models are missing`(_ options: [String], _ expected: [String]) async throws {
    let models = options.isEmpty ? [] : ["--models", Fixtures.path("models/" + options.dropFirst().joined())]
    let result = try await run("postbacks", models)
    #expect(result.status == 0)
    let summary = try JSONValue(parsing: result.output)
    #expect(summary["warnings"]?.array.compactMap { $0["code"]?.text } == Array(expected.prefix(1)))
    for text in expected { #expect(result.text.contains(text)) }
    #expect(result.errorText.contains("--models") == !expected.isEmpty, "\(result.errorText)")
    let statuses = ["decoded", "null", "unmapped", "no_model", "ambiguous", "not_won"]
    let counts = statuses.map { summary["by_decode_status"]?[$0]?.integer ?? 0 }
    #expect(counts.reduce(0, +) == summary["accepted"]?.integer)
    #expect(counts[3] == (expected.isEmpty ? 1 : 7))
  }

  @Test(arguments: [([], "name it with --trust-key"), (["--trust-key"], "that --trust-key names")])
  func `says that a key is missing`(_ options: [String], _ expected: String) async throws {
    let dump = try await GeneratedDump(count: 30, seed: 4, options: ["--versions", "4.0=1"])
    let other = try await GeneratedDump(count: 1, seed: 5)
    let folder = try TemporaryFolder()
    let input = try folder.makeFile("in.jsonl", holding: dump.bytes)
    let result = try await BuiltCommand.run(
      ["run", input, "--out", folder.path("out"), "--json"] + (options.isEmpty ? [] : other.keys)
    )
    #expect(result.status == 0)
    let summary = try JSONValue(parsing: result.output)
    #expect(summary["warnings"]?.array.compactMap { $0["code"]?.text } == ["no_signature"])
    #expect(result.errorText.contains(expected), "\(result.errorText)")
  }

  @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian])
  func `says that the text is not UTF-8`(_ encoding: String.Encoding) async throws {
    let folder = try TemporaryFolder()
    let text = String(decoding: Fixtures.bytes("postbacks/skadnetwork-4.0.jsonl"), as: UTF8.self)
    let input = try folder.makeFile("in.jsonl", holding: Array(try #require(text.data(using: encoding))))
    let result = try await BuiltCommand.run(["run", input, "--out", folder.path("out"), "--json"])
    #expect(
      result.status == 0 && result.errorText.contains("Save it as UTF-8, and give it again."),
      "\(result.errorText)"
    )
    let rejects = String(decoding: try folder.contents(of: "out/skan_rejects/part-00000001.jsonl"), as: UTF8.self)
    #expect(rejects.contains(#""reject_code":"invalid_utf8""#) && rejects.contains("The text is UTF-16."), "\(rejects)")
  }

  @Test func `says that development keys are not accepted`() async throws {
    let folder = try TemporaryFolder()
    let input = try folder.makeFile("in.jsonl", holding: RealPostback.adAttributionKit.bytes)
    let result = try await BuiltCommand.run(["run", input, "--out", folder.path("out")])
    #expect(result.errorText.contains("--allow-development accepts them"), "\(result.errorText)")
  }

  /// Of the fifteen postbacks five are rejected, none of them an identical copy.
  @Test(arguments: [
    ("0", 1), ("0.3333", 1), ("33%", 1), ("0.3334", 0), ("33.4%", 0), ("1", 0), ("100%", 0), ("-1", 64), ("101%", 64),
    ("nan", 64), ("%", 64), ("much", 64),
  ]) func `or to too many rejects exits with 1 on demand, with everything committed`(
    _ share: String,
    _ status: Int
  ) async throws {
    let folder = try TemporaryFolder()
    let arguments = ["run", Fixtures.path("postbacks"), "--out", folder.path("out"), "--fail-if-rejected", share]
    let result = try await BuiltCommand.run(arguments)
    #expect(result.status == Int32(status), "\(result.errorText)")
    guard status < 64 else { return }
    #expect(try await BuiltCommand.run(arguments + ["--out", folder.path("quiet"), "--quiet"]).status == Int32(status))
    #expect(result.errorText.contains("5 of 15 records were rejected (33.3 %)") == (status == 1))
    #expect(try folder.contents(of: "out/skan_rejects/part-00000001.jsonl").count > 0)
  }

  @Test func `does not warn about copies`() async throws {
    let folder = try TemporaryFolder()
    let line = RealPostback.v4.bytes + Array("\n".utf8)
    let input = try folder.makeFile("in.jsonl", holding: line + line + line)
    let result = try await BuiltCommand.run(["run", input, "--out", folder.path("out"), "--fail-if-rejected", "0"])
    #expect(result.status == 0, "\(result.errorText)")
  }
}
