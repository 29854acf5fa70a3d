import Foundation
import TestSupport
import Testing

@Suite struct `Network addresses` {
  private static let address = "203.0.113.77"

  /// The tables that a run makes of these lines.
  private func tables(_ lines: [String], _ options: [String] = []) async throws -> [String: [Object]] {
    let folder = try TemporaryFolder()
    try folder.makeFile("in.jsonl", holding: Array(lines.map { "\($0)\n" }.joined().utf8))
    let out = folder.path("out")
    let ran = try await BuiltCommand.run(["run", folder.path("in.jsonl"), "--out", out, "-q"] + options)
    #expect(ran.status == 0, "\(ran.errorText)")
    var tables: [String: [Object]] = [:]
    for table in ["skan_postbacks", "skan_rejects"] {
      tables[table] = try Object.lines(folder.contents(of: "out/\(table)/part-00000001.jsonl"))
    }
    return tables
  }

  private func envelope(_ body: String, _ query: String = "campaign=summer&ip=\(address)&user_agent=x") -> String {
    #"{"received_at":"2026-03-01T10:00:00Z","channel":"network_forwarded","forwarder":"network-a","remote_address":"#
      + "\"\(Self.address)\",\"query\":\"\(query)\",\"body\":\(body)}"
  }

  private var postback: String { get throws { RealPostback["real-2.2-unity"].object.text } }

  private func withMembers(_ text: String) -> String {
    text.dropLast()
      + #","ip":"\#(Self.address)","User-Agent":"Safari","User Agent":"Safari","idfa":"Safari","campaign":"winter"}"#
  }

  @Test func `reach no table by default`() async throws {
    let lines = [
      envelope(withMembers(try postback)), envelope(#"{"version":"9.9" , "a":[1,  2]}"#),
      String(envelope(#"{"version":"2.2"}"#).dropLast(9)),
    ]
    let tables = try await tables(lines)
    let accepted = try #require(tables["skan_postbacks"]?.first)
    #expect(accepted.text.contains(#""campaign":"winter""#))
    #expect(accepted.text.contains(#""query.campaign":"summer""#))
    for row in tables.values.joined() {
      #expect(!row.text.contains(Self.address), "\(row.text)")
      #expect(!row.text.contains("Safari"))
    }
    let rejects = try #require(tables["skan_rejects"])
    #expect(rejects.count == 2)
    #expect(rejects[0].string("raw_body") == #"{"version":"9.9" , "a":[1,  2]}"#)
    #expect(rejects[0].string("query") == "campaign=summer")
    #expect(rejects[0].string("forwarder") == "network-a")
    #expect(rejects[1].string("raw_body")?.contains(#""remote_address":"","#) == true)
  }

  @Test func `are kept if that is asked for`() async throws {
    let tables = try await tables([envelope(withMembers(try postback)), envelope("{}")], ["--keep-addresses"])
    let accepted = try #require(tables["skan_postbacks"]?.first)
    #expect(accepted.string("remote_address") == Self.address)
    #expect(accepted.text.contains(#""User-Agent":"Safari""#))
    let reject = try #require(tables["skan_rejects"]?.first)
    #expect(reject.string("remote_address") == Self.address)
    #expect(reject.string("query")?.contains("ip=\(Self.address)") == true)
    #expect(reject.string("raw_body") == "{}")
  }

  @Test func `a reject that is read again has the query and the forwarder of its envelope`() async throws {
    let folder = try TemporaryFolder()
    let made = try await BuiltCommand.run([
      "generate", "--count", "20", "--seed", "5", "--valid-only", "--envelopes", "--out", folder.path("dump"), "--keys",
      folder.path("keys"), "-q",
    ])
    #expect(made.status == 0)
    let lines = String(decoding: try folder.contents(of: "dump"), as: UTF8.self).split(separator: "\n").map { line in
      line.replacing(#""body":"#, with: #""query":"campaign=summer","body":"#) + "\n"
    }
    let dump = try folder.makeFile("in", holding: Array(lines.joined().utf8))
    let (first, again, direct) = (folder.path("first"), folder.path("again"), folder.path("direct"))
    let keys = try folder.words(of: "keys")
    for arguments in [
      [dump, "--out", first], ["--from-rejects", first, "--out", again] + keys, [dump, "--out", direct] + keys,
    ] {
      let ran = try await BuiltCommand.run(["run", "-q"] + arguments)
      #expect(ran.status == 0, "\(ran.errorText)")
    }
    let part = "skan_postbacks/part-00000001.jsonl"
    let rows = try folder.contents(of: "again/\(part)")
    #expect(try rows == folder.contents(of: "direct/\(part)"))
    #expect(String(decoding: rows, as: UTF8.self).contains("query.campaign"))
  }
}
