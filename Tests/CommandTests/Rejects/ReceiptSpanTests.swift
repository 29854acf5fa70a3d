import JSON
import TestSupport
import Testing

@testable import postback

@Suite struct `postback rejects --since and --until` {
  /// An output with a part of rejects for each of some times of receipt.
  private func output(_ times: [String]) async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (number, time) in times.enumerated() {
      let postback = RealPostback.v3.object.with(["campaign-id": "\(number + 1)"])
      let line = "{\"received_at\":\"\(time)\",\"body\":\(postback.text)}"
      try folder.makeFile("dump\(number)", holding: Array(line.utf8))
      let run = try await BuiltCommand.run([
        "run", folder.path("dump\(number)"), "--out", folder.path("out"), "--quiet",
      ])
      #expect(run.status == 0, "\(run.errorText)")
    }
    return folder
  }

  private func count(_ folder: TemporaryFolder, _ options: [String], status: Int32 = 0) async throws -> Int64? {
    let result = try await BuiltCommand.run(["rejects", folder.path("out"), "--json"] + options)
    #expect(result.status == status, "\(options): \(result.errorText)")
    return try JSONValue(parsing: result.output)["rejects"]?.integer
  }

  @Test func `do not read the parts that were received at other times`() async throws {
    let folder = try await output(["2026-03-01T12:00:00Z", "2026-04-01T12:00:00Z", "2026-05-01T12:00:00Z"])
    #expect(try await count(folder, []) == 3)
    // A line that is no row shows that a part is read.
    let middle = "out/skan_rejects/part-00000002.jsonl"
    try folder.makeFile(middle, holding: try folder.contents(of: middle) + Array("nonsense\n".utf8))
    #expect(try await count(folder, [], status: 65) == 3)
    for (options, expected) in [
      (["--since", "2026-04-02"], 1), (["--since", "2026-05-01T12:00:00Z"], 1), (["--until", "2026-04-01"], 1),
      (["--until", "2026-04-01T12:00:00Z"], 1), (["--since", "2026-06-01"], 0),
      (["--since", "2026-03-02", "--until", "2026-04-01"], 0),
    ] as [([String], Int64)] { #expect(try await count(folder, options) == expected, "\(options)") }
    for (options, expected) in [
      (["--since", "2026-04-01T12:00:00Z"], 2), (["--since", "2026-03-01", "--until", "2026-04-01T12:00:00.001Z"], 2),
    ] as [([String], Int64)] { #expect(try await count(folder, options, status: 65) == expected, "\(options)") }
  }

  @Test func `find rows whose time of receipt is in the future`() async throws {
    let folder = try await output(["2026-03-01T12:00:00Z", "2999-01-01T00:00:00Z"])
    #expect(try await count(folder, ["--since", "2998-01-01"]) == 1)
    #expect(try await count(folder, ["--until", "2998-01-01"]) == 1)
  }
}
