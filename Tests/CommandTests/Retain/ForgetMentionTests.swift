import Foundation
import JSON
import SKAdNetwork
import TestSupport
import Testing

@Suite(.serialized) struct `postback forget, of others` {
  private static let id = "0AD4CD75-3341-42D2-A10F-A829777E0C7B"
  private static let hidden = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"

  /// The transaction in a line of the dump.
  private static func transaction(_ line: String) -> String? {
    line.firstMatch(of: /"transaction-id":"([^"]*)"/).map { String($0.output.1) }
  }

  /// Adds texts with the id to lines of other transactions, which are genuine and the first with theirs.
  private static func withMentions(_ lines: [String]) throws -> [String] {
    let escaped = #"\u0030\#(id.dropFirst())"#
    let members = [
      #""note":"refund of user-\#(id)","#, #""note":"\n\#(escaped)","#,
      #""note":"\#(Data("{\"id\":\"\(id)\"}".utf8).base64EncodedString())","#,
    ]
    var (lines, seen, count) = (lines, Set([id]), 0)
    for index in lines.indices {
      guard let other = transaction(lines[index]), seen.insert(other).inserted else { continue }
      guard count < 60, lines[index].contains(#""body":{"#) else { continue }
      let replacement = #""body":{"# + members[count % members.count]
      lines[index] = lines[index].replacing(#""body":{"#, with: replacement)
      if count % 5 == 0 {
        lines[index] = lines[index].replacing(
          #","body":{"#,
          with: #","query":"campaign=%30\#(id.dropFirst())","body":{"#
        )
      }
      count += 1
    }
    #expect(count == 60)
    return lines
  }

  @Test(arguments: [[], ["--format", "both", "--keep-raw"]])
  func `masks text that names the transaction, with and without a spool`(_ options: [String]) async throws {
    let site = try await ForgetSite(options: options, edit: Self.withMentions)
    try site.flattenDone()
    let before = try site.rows("skan_postbacks")
    let mentions = before.filter { $0.string("transaction_id") != Self.id && $0.text.contains(Self.id) }
    #expect(mentions.count >= 10)
    try FileManager.default.copyItem(atPath: site.out, toPath: site.folder.path("other"))
    let without = try await BuiltCommand.run([
      "forget", "--out", site.folder.path("other"), "--transaction-id", Self.id, "--json", "-q",
    ])
    #expect(without.status == 0, "\(without.errorText)")
    let answer = try await site.forget(["--transaction-id", Self.id])
    #expect(answer["kept"] == .array([]))
    for table in ["skan_postbacks", "skan_rejects", "skan_settled"] {
      #expect(
        try site.folder.contents(of: "out/\(table)/part-00000001.jsonl")
          == site.folder.contents(of: "other/\(table)/part-00000001.jsonl")
      )
    }
    #expect(try site.files(holding: Self.id) == [])
    let after = try site.rows("skan_postbacks")
    let others = before.filter { $0.string("transaction_id") != Self.id }
    #expect(after.map { $0.string("postback_key") } == others.map { $0.string("postback_key") })
    #expect(after.filter { $0.text.contains(Self.hidden) }.count >= mentions.count * 2 / 3)
    #expect(try await site.check() == "sound\n")
    // The same dump changes nothing, and a repetition finds nothing.
    let again = try await site.forget(["--transaction-id", Self.id])
    #expect(again["spool_records"] == .integer(0) && again["masked_spool_records"] == .integer(0))
    // The spool gives the same rows once more.
    let fresh = site.folder.path("fresh")
    let ran = try await BuiltCommand.run(
      ["run", "\(site.spool)/done/a.jsonl", "--out", fresh, "-q"] + site.keys + options
    )
    #expect(ran.status == 0, "\(ran.errorText)")
    func content(_ rows: [Object]) -> [String] {
      rows.map { $0.text.replacing(/"source_(file|line)":("[^"]*"|[0-9]+),?/, with: "") }
    }
    let imported = try Object.lines(site.folder.contents(of: "fresh/skan_postbacks/part-00000001.jsonl"))
    #expect(content(imported) == content(after))
  }

  @Test func `masks the same text in CSV for spreadsheets as in JSON Lines`() async throws {
    let folder = try TemporaryFolder()
    let made = try await BuiltCommand.run([
      "generate", "--count", "400", "--seed", "7", "--duplicate", "0.2", "--envelopes", "--out", folder.path("dump"),
      "--keys", folder.path("keys"), "-q",
    ])
    #expect(made.status == 0, "\(made.errorText)")
    let dump = String(decoding: try folder.contents(of: "dump"), as: UTF8.self).split(separator: "\n").map(String.init)
    let lines = try Self.withMentions(dump).map { $0 + "\n" }.joined()
    // The name of standard input gets an apostrophe.
    let ran = try await BuiltCommand.run(
      ["run", "-", "--out", folder.path("out"), "--format", "both", "--csv-safe", "-q"] + folder.words(of: "keys"),
      input: Array(lines.utf8)
    )
    #expect(ran.status == 0, "\(ran.errorText)")
    let table = "out/skan_postbacks/part-00000001.csv"
    #expect(String(decoding: try folder.contents(of: table), as: UTF8.self).contains(",'-,"))
    let forgot = try await BuiltCommand.run([
      "forget", "--out", folder.path("out"), "--transaction-id", Self.id, "--json", "-q",
    ])
    #expect(forgot.status == 0, "\(forgot.errorText)")
    #expect(try JSONValue(parsing: forgot.output)["kept"] == .array([]))
    for name in try folder.files(below: "out") {
      let text = String(decoding: try folder.contents(of: "out/\(name)"), as: UTF8.self)
      #expect(!text.lowercased().contains(Self.id.lowercased()), "\(name)")
    }
  }

  @Test func `lists in each format what it cannot mask`() async throws {
    let site = try await ForgetSite(options: ["--format", "both"])
    try site.flattenDone()
    // The name of a network is signed.
    let network = try #require(try site.rows("skan_postbacks").first?.string("ad_network_id"))
    guard case .array(let kept)? = try await site.forget(["--transaction-id", network])["kept"] else {
      Issue.record("nothing is listed")
      return
    }
    let places = kept.compactMap(\.text).filter { $0.contains("/skan_postbacks/") }
    #expect(places.contains { $0.contains(".jsonl:") })
    #expect(places.count { $0.contains(".csv:") } == places.count { $0.contains(".jsonl:") })
  }

  @Test func `removes pieces of the postback that no parser reads`() async throws {
    let body = #"{"version":"4.0","transaction-id":"\#(Self.id)","app-i"#
    let head = #"{"received_at":"2026-03-01T00:00:01Z","channel":"apple_direct","remote_address":"198.51.100.1","#
    let truncated = head + #""body_base64":"\#(Data(body.utf8).base64EncodedString())"}"#
    let escaped = body.replacing(Self.id, with: #"\u0030\#(Self.id.dropFirst())"#)
    let site = try await ForgetSite(edit: { $0 + [truncated, escaped] })
    try site.flattenDone()
    let rejects = try site.rows("skan_rejects").count
    let answer = try await site.forget(["--transaction-id", Self.id])
    #expect(try site.rows("skan_rejects").count <= rejects - 2)
    let left = String(decoding: try site.folder.contents(of: "spool/done/a.jsonl"), as: UTF8.self)
    #expect(!left.contains("body_base64") && !left.contains("u0030") && !left.contains(Self.id))
    #expect(answer["masked_spool_records"] == .integer(0))
    #expect(try site.files(holding: "0030\(Self.id.dropFirst())") == [])
  }

  @Test func `lists what it cannot mask`() async throws {
    let site = try await ForgetSite()
    try site.flattenDone()
    // The name of a network is signed.
    let network = try #require(try site.rows("skan_postbacks").first?.string("ad_network_id"))
    let before = try site.rows("skan_postbacks").map(\.text)
    guard case .array(let kept)? = try await site.forget(["--transaction-id", network])["kept"] else {
      Issue.record("nothing is listed")
      return
    }
    #expect(!kept.isEmpty)
    #expect(try site.rows("skan_postbacks").map(\.text) == before)
  }

  @Test func `lists the lines as they are when a record before them is gone`() async throws {
    // A domain that is signed cannot be masked.
    let site = try await ForgetSite { lines in
      let other = try #require(lines.first { $0.contains(#""source-domain":"#) && !$0.contains(Self.id) })
      let domain = #""source-domain":"\#(Self.id.lowercased()).example""#
      return lines + [other.replacing(/"source-domain":"[^"]*"/, with: domain)]
    }
    try site.flattenDone()
    let answer = try await site.forget(["--transaction-id", Self.id])
    #expect(answer["spool_records"] != .integer(0))
    guard case .array(let kept)? = answer["kept"] else {
      Issue.record("nothing is listed")
      return
    }
    let place = try #require(kept.compactMap { $0.text }.first { $0.contains("a.jsonl:") })
    let lines = String(decoding: try site.folder.contents(of: "spool/done/a.jsonl"), as: UTF8.self).split(
      separator: "\n"
    )
    let number = try #require(place.split(separator: ":").last.flatMap { Int($0) })
    #expect(lines.count == number && lines[number - 1].contains(Self.id.lowercased()))
  }

  @Test func `leaves the postbacks of others that were sent again from the address`() async throws {
    let site = try await ForgetSite()
    try site.flattenDone()
    let row = try #require(try site.rows("skan_postbacks").first { $0.string("framework") == "skadnetwork" })
    let id = try #require(row.string("transaction_id"))
    let dump = String(decoding: try site.folder.contents(of: "dump"), as: UTF8.self).split(separator: "\n")
    let line = String(try #require(dump.first { $0.contains(id) }))
      .replacing(/"received_at":"[^"]*"/, with: #""received_at":"2026-03-09T09:09:09.009Z""#)
      .replacing(/"remote_address":"[^"]*"/, with: #""remote_address":"198.51.100.9""#)
    try site.folder.makeFile("spool/new/b.jsonl", holding: Array("\(line)\n".utf8))
    try await site.watch()
    try site.flattenDone()
    let answer = try await site.forget(["--remote-address", "198.51.100.9"])
    #expect(answer["rows"]?["skan_postbacks"] == .integer(0) && answer["rows"]?["skan_rejects"] == .integer(1))
    #expect(try site.rows("skan_postbacks").contains { $0.string("transaction_id") == id })
    #expect(try site.folder.contents(of: "spool/done/b.jsonl") == [])
  }

  @Test(arguments: ["gzip", "zstd"])
  func `keeps name, mode, time and age of a file`(_ program: String) async throws {
    let site = try await ForgetSite()
    try site.flattenDone()
    let (plain, name) = (site.folder.path("spool/done/a.jsonl"), program == "gzip" ? "a.jsonl.gz" : "a.jsonl.zst")
    let script = """
      set -e; cd \(site.spool)/done; \(program) -q a.jsonl; rm -f a.jsonl; touch -d 2024-03-01T10:00:00Z \(name); chmod 0604 \(name)
      """
    #expect(try shell(script).status == 0)
    #expect(!FileManager.default.fileExists(atPath: plain))
    func look() throws -> String { try shell("cd \(site.spool)/done; ls; stat -c '%a %u %g %Y' \(name)").text }
    let before = try look()
    #expect(try await site.forget(["--transaction-id", Self.id])["spool_records"] != .integer(0))
    #expect(try look() == before)
    let text = try shell("cd \(site.spool)/done; \(program) -dc \(name)").text
    #expect(text.split(separator: "\n").count > 100 && !text.contains(Self.id))
    // The file was put away two years ago, as it says itself, and so it goes.
    let day = Int(Date(timeIntervalSince1970: 1_709_287_200).timeIntervalSince1970) * 1000
    let put = "import os, sys; os.setxattr(sys.argv[1], 'user.postback.put_away', sys.argv[2].encode())"
    #expect(try shell("python3 -c \"\(put)\" \(site.spool)/done/\(name) \(day)").status == 0)
    let result = try await BuiltCommand.run([
      "retain", "--out", site.out, "--older-than", "400d", "--spool", site.spool, "--yes-remove-all",
    ])
    #expect(result.text.contains("1 files of the spool"), "\(result.text) \(result.errorText)")
  }

  private func shell(_ script: String) throws -> (status: Int32, text: String) {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", script]
    process.standardOutput = pipe
    try process.run()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
  }
}
