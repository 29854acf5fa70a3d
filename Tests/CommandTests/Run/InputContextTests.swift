import Foundation
import JSON
import TestSupport
import Testing

@Suite struct `The forwarder of a dump` {
  private let site: DumpFolder
  private let lines = DumpFolder.lines

  init() throws { site = try DumpFolder() }

  private func envelope(_ members: String, _ line: [UInt8]) -> [UInt8] {
    Array("{\(members)\"body\":".utf8) + line.dropLast() + Array("}\n".utf8)
  }

  private func senders(_ table: String = "skan_postbacks") throws -> [[String?]] {
    try site.values(["channel", "forwarder"], in: table)
  }

  @Test func `is the one that the options name, also of rejects`() async throws {
    try site.put("a.jsonl", lines[0] + Array("no postback\n".utf8))
    _ = try await site.run(["--forwarder", "Network \u{e4}"])
    let expected: [[String?]] = [["network_forwarded", "Network \u{e4}"]]
    #expect(try senders() == expected)
    #expect(try senders("skan_rejects") == expected)
    let rejects = try await BuiltCommand.run(["rejects", site.folder.path("out"), "--group-by", "forwarder"])
    #expect(rejects.text.contains("Network \u{e4}"))
  }

  @Test func `is the one of its path, which comes before the options`() async throws {
    try site.put("forwarder=a%20b/x.jsonl", lines[0])
    try site.put("source=c/x.jsonl", lines[1])
    try site.put("channel=apple_direct/x.jsonl", lines[2])
    try site.put("channel=other/x.jsonl", lines[3])
    _ = try await site.run(["--context", "source={forwarder}", "--forwarder", "d"])
    let expected: [[String?]] = [
      ["apple_direct", nil], ["network_forwarded", "d"], ["network_forwarded", "a b"], ["network_forwarded", "c"],
    ]
    #expect(try senders() == expected)
  }

  @Test func `of an envelope counts, and is not mixed with another channel`() async throws {
    let envelopes = [
      #""channel":"apple_direct","#, #""channel":"network_forwarded","forwarder":"own","#, #""forwarder":"own","#,
      #""channel":"network_forwarded","#, "",
    ]
    try site.put("a.jsonl", Array(zip(envelopes, lines).map(envelope).joined()))
    _ = try await site.run(["--forwarder", "f"])
    let own: [String?] = ["network_forwarded", "own"]
    let other: [String?] = ["network_forwarded", "f"]
    let expected: [[String?]] = [["apple_direct", nil], own, own, other, other]
    #expect(try senders() == expected)
    _ = try await site.run(["--channel", "apple_direct", "--out", site.folder.path("direct")])
    let direct = try site.folder.contents(of: "direct/skan_postbacks/part-00000001.jsonl")
    let found = Object.lines(direct).map { [$0.string("channel"), $0.string("forwarder")] }
    let kept: [[String?]] = [
      ["apple_direct", nil], own, [nil, "own"], ["network_forwarded", nil], ["apple_direct", nil],
    ]
    #expect(found == kept)
  }

  @Test func `comes with the day of its path`() async throws {
    try site.put("dt=2026-03-20/x.jsonl", lines[0] + envelope(#""received_at":"2026-01-02T03:04:05Z","#, lines[1]))
    let result = try await BuiltCommand.run(
      ["run", site.dumps, "--out", site.folder.path("out"), "--context", "dt={received_at}"]
    )
    #expect(result.status == 0, "\(result.errorText)")
    let expected: [[String?]] = [["2026-03-20T00:00:00Z", "option"], ["2026-01-02T03:04:05Z", "envelope"]]
    #expect(try site.values(["received_at", "received_at_source"]) == expected)
  }

  @Test func `is set for each input of a configuration`() async throws {
    let (first, second) = (try site.put("a/x.jsonl", lines[0]), try site.put("b/x.jsonl", lines[1]))
    try site.put("b/x.tmp", lines[2])
    let configuration = try site.folder.makeFile(
      "postback.json",
      holding: Array(
        """
        {"inputs":["\(first)",{"path":"\(site.dumps)/b","forwarder":"acme","channel":"network_forwarded"}],
         "exclude":["*.tmp"],"context":["source={forwarder}"],"out":"\(site.folder.path("out"))"}
        """.utf8
      )
    )
    let check = try await BuiltCommand.run(["config", "check", configuration])
    #expect(check.text.contains("2 inputs (1 folder)"), "\(check.text)\(check.errorText)")
    let result = try await BuiltCommand.run(["refresh", "--only", "run", "--config", configuration])
    #expect(result.status == 0, "\(result.errorText)")
    let expected: [[String?]] = [[first, nil], [second, "acme"]]
    #expect(try site.values(["source_file", "forwarder"]) == expected)
  }

  /// Options that are wrong, and the exit status.
  private static let wrong: [([String], Int32)] = [
    (["--forwarder", ""], 64), (["--forwarder", "a\u{1}"], 64), (["--channel", "direct"], 64),
    (["--forwarder", "a", "--channel", "apple_direct"], 64), (["--context", "source"], 64),
    (["--context", "{forwarder}/{channel}"], 64), (["--context", "source={name}"], 64),
    (["--context", "dt={received_at}"], 66), (["--context", "dt={channel}"], 66),
  ]

  @Test(arguments: wrong)
  func `is refused where it cannot be one`(_ options: [String], _ status: Int32) async throws {
    try site.put("dt=yesterday/a.jsonl", lines[0])
    let result = try await BuiltCommand.run(["run", site.dumps, "--out", site.folder.path("out")] + options)
    #expect(result.status == status && !result.errorText.isEmpty, "\(result.errorText)")
    #expect(!FileManager.default.fileExists(atPath: site.folder.path("out")))
  }
}
