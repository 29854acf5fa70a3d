import Foundation
import JSON
import PostbackVerification
import TestSupport
import Testing

@testable import Ledger
@testable import Tables

@Suite(.serialized) struct `postback forget` {
  @Test(arguments: [[], ["--format", "both"], ["--partition", "received_day"]])
  func `leaves nothing of a transaction, and everything else as it was`(_ options: [String]) async throws {
    let site = try await ForgetSite(options: options)
    let (id, key) = try site.copied()
    let before = try ["skan_postbacks", "skan_rejects", "skan_settled"].map { try site.rows($0).map(\.text) }
    #expect(try site.files(holding: id).count >= 3)
    // As a process leaves it that is killed while it replaces the table.
    try FileManager.default.copyItem(
      atPath: "\(site.out)/skan_settled",
      toPath: "\(site.out)/.skan_settled.inprogress"
    )
    // As one is left that was killed before it had committed its first rows of another part.
    for name in [".part-00000099.jsonl.inprogress", ".part-00000001.csv.rewritten"] {
      try site.folder.makeFile("out/skan_rejects/\(name)", holding: Array("{\"raw_body\":\"\(id)\"}\n".utf8))
    }
    let answer = try await site.forget(["--transaction-id", id.uppercased()])
    #expect(answer["rows"]?["skan_postbacks"] == .integer(1))
    #expect(answer["derived_rows"]?["skan_settled"] == .integer(1))
    #expect(!FileManager.default.fileExists(atPath: "\(site.out)/.skan_settled.inprogress"))
    #expect(try site.files(holding: id) == [])
    #expect(try site.rows("skan_settled").allSatisfy { $0.string("postback_key") != key })
    for (table, rows) in zip(["skan_postbacks", "skan_rejects", "skan_settled"], before) {
      let after = try site.rows(table).map(\.text)
      #expect(!after.isEmpty && after == rows.filter { !$0.contains(id) && !$0.contains(key) })
    }
    #expect(try await site.check() == "sound\n")
    #expect(try await site.forget(["--transaction-id", id])["rows"]?["skan_postbacks"] != .integer(1))
  }

  @Test func `removes rows of earlier requests from a table that was written meanwhile`() async throws {
    let site = try await ForgetSite()
    let (id, key) = try site.copied()
    let settled = try site.folder.contents(of: "out/skan_settled/part-00000001.jsonl")
    _ = try await site.forget(["--transaction-id", id])
    try site.folder.makeFile("out/skan_settled/part-00000001.jsonl", holding: settled)
    #expect(try await site.forget(["--transaction-id", id])["derived_rows"]?["skan_settled"] == .integer(1))
    #expect(try site.rows("skan_settled").allSatisfy { $0.string("postback_key") != key })
  }

  @Test(arguments: [
    "skan_postbacks/part-00000001.jsonl", "skan_rejects/part-00000001.jsonl", "skan_settled/part-00000001.jsonl",
  ])
  func `changes nothing while a part is compressed, which is not searched`(_ part: String) async throws {
    let site = try await ForgetSite()
    let (id, _) = try site.copied()
    let (path, compressed) = ("\(site.out)/\(part)", "\(site.out)/\(part).gz")
    // What it holds does not matter.
    try FileManager.default.moveItem(atPath: path, toPath: compressed)
    let before = try site.files(holding: id)
    let command = ["forget", "--out", site.out, "--transaction-id", id]
    let refused = try await BuiltCommand.run(command)
    #expect(refused.status == 65 && refused.text.isEmpty)
    #expect(refused.errorText.contains("\(compressed): The file may have rows of the request and is not searched"))
    #expect(try site.files(holding: id) == before)
    // A request that the tables have nothing to do with, and the removal of replays from the spool.
    let token = try await BuiltCommand.run(["forget", "--out", site.out, "--attribution-token", "token"])
    #expect(token.status == 0, "\(token.errorText)")
    _ = try await site.forget([])
    try FileManager.default.moveItem(atPath: compressed, toPath: path)
    _ = try await site.forget(["--transaction-id", id])
    #expect(try site.files(holding: id) == [])
  }

  @Test func `changes nothing while a file of the spool has a compression that is not read`() async throws {
    let site = try await ForgetSite()
    let (id, _) = try site.copied()
    let file = "\(site.spool)/done/\(try #require(try site.folder.files(below: "spool/done").first))"
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    // As xz begins.
    try Data([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0] + bytes).write(to: URL(fileURLWithPath: file))
    let before = try site.files(holding: id)
    let refused = try await BuiltCommand.run([
      "forget", "--out", site.out, "--spool", site.spool, "--transaction-id", id,
    ])
    #expect(refused.status == 65 && refused.errorText.contains(file), "\(refused.errorText)")
    #expect(try site.files(holding: id) == before)
    try bytes.write(to: URL(fileURLWithPath: file))
    _ = try await site.forget(["--transaction-id", id])
    #expect(try site.files(holding: id) == [])
  }

  @Test func `daily counts the rest once after a request`() async throws {
    let site = try await ForgetSite()
    func postbacks() async throws -> Int {
      let result = try await BuiltCommand.run(["daily", site.out, "--environment", "custom"])
      #expect(result.status == 0, "\(result.errorText)")
      return try Object.lines(site.folder.contents(of: "out/skan_daily/part-00000001.jsonl"))
        .filter { $0.string("date_type") == "received" }.compactMap { $0["postbacks"].flatMap { Int($0) } }.reduce(0, +)
    }
    let before = try await postbacks()
    _ = try await site.forget(["--transaction-id", try site.copied().id])
    #expect(try await postbacks() == before - 1)
    #expect(try await postbacks() == before - 1)
  }

  @Test func `a replay of a forgotten postback is still a duplicate`() async throws {
    let site = try await ForgetSite()
    let (id, key) = try site.copied()
    _ = try await site.forget(["--transaction-id", id])
    let dump = String(decoding: try site.folder.contents(of: "dump"), as: UTF8.self).split(separator: "\n")
    let line = try #require(dump.first { $0.contains(id) })
    try site.folder.makeFile("spool/new/replay.jsonl", holding: Array("\(line)\n".utf8))
    try await site.watch()
    #expect(try site.rows("skan_postbacks").allSatisfy { $0.string("postback_key") != key })
    let copies = try site.rows("skan_rejects").filter { $0.string("first_seen_postback_key") == key }
    #expect(copies.map { $0.string("reject_code") } == ["duplicate_forgotten"])
    #expect(copies.allSatisfy { $0.string("raw_body") == "" && $0.string("transaction_id") == "" })
    #expect(try await site.check() == "sound\n")
    let status = try await BuiltCommand.run(["status", site.out, "--json"])
    #expect(status.text.contains(#""duplicate_forgotten":1"#), "\(status.text)")
    // The state and the tables know nothing of the person; the file in done/ does until the spool is searched again.
    let left = try site.files(holding: id)
    #expect(left.count == 1 && left[0].hasPrefix("spool/done/") && left[0].hasSuffix("/replay.jsonl"), "\(left)")
    #expect(try await site.forget([])["spool_records"] == .integer(1))
    #expect(try site.files(holding: id) == [])
    #expect(try site.rows("skan_rejects").filter { $0.string("first_seen_postback_key") == key }.count == 1)
  }

  @Test func `a replay that is cut or changed leaves nothing of the person`() async throws {
    let site = try await ForgetSite()
    let (id, key) = try site.copied()
    _ = try await site.forget(["--transaction-id", id])
    func pieces(_ id: String) -> [String] {
      let text = #"{"version":"4.0","transaction-id":"\#(id)""#
      let envelope = #"{"received_at":"2026-03-01T00:00:00Z","channel":"apple_direct","#
      let encoded = Data(text.utf8).base64EncodedString()
      return [
        text, text.uppercased(), envelope + #""body_base64":"\#(encoded)"}"#,
        envelope + #""query":"x=\#(id)","body":\#(text),"source-identifier":"1"}}"#,
      ]
    }
    // Those of others stay what they are, with their bytes.
    let lines = pieces(id) + pieces("0AD4CD75-3341-42D2-A10F-000000000000")
    try site.folder.makeFile("spool/new/replay.jsonl", holding: Array(lines.joined(separator: "\n").utf8))
    try await site.watch()
    let rows = try site.rows("skan_rejects").filter { ($0.string("source_file") ?? "").contains("replay.jsonl") }
    let forgotten = rows.filter { $0.string("reject_code") == "duplicate_forgotten" }
    #expect(rows.count == 8 && forgotten.count == 4, "\(rows.map(\.text))")
    #expect(forgotten.allSatisfy { $0.string("first_seen_postback_key") == key && $0.string("raw_body") == "" })
    let left = try site.files(holding: id)
    #expect(left.count == 1 && left[0].hasPrefix("spool/done/"), "\(left)")
    #expect(try await site.forget([])["spool_records"] == .integer(4))
    #expect(try site.files(holding: id) == [])
    #expect(try await site.check() == "sound\n")
  }

  @Test func `tells a follower which rows went, and lets it continue`() async throws {
    let site = try await ForgetSite()
    let (id, key) = try site.copied()
    var cursor: TableCursor?
    var count = 0
    for try await element in TableFeed(.postbacks, in: site.out, state: "\(site.out)/_state") {
      count += element.rows.rows.count
      cursor = element.cursor
    }
    _ = try await site.forget(["--transaction-id", id])
    var told: [String] = []
    for try await element in TableFeed(.postbacks, in: site.out, state: "\(site.out)/_state", after: cursor) {
      told += element.removals.flatMap(\.rows).compactMap { $0.key?.description }
      #expect(element.rows.rows.isEmpty)
    }
    #expect(told == [key])
    var rest = 0
    for try await element in TableFeed(.postbacks, in: site.out, state: "\(site.out)/_state") {
      rest += element.rows.rows.count
    }
    #expect(rest == count - 1)
  }

  @Test func `finds the postbacks of an address by the files of the spool`() async throws {
    let site = try await ForgetSite()
    let dump = String(decoding: try site.folder.contents(of: "dump"), as: UTF8.self).split(separator: "\n")
    let (id, _) = try site.copied()
    let lines = dump.map { line in
      let address = line.contains(id) ? "203.0.113.7" : "203.0.113.77"
      return line.replacing(/"remote_address":"[^"]*"/, with: "\"remote_address\":\"\(address)\"") + "\n"
    }
    let names = try FileManager.default.subpathsOfDirectory(atPath: site.folder.path("spool/done"))
    let name = "spool/done/\(try #require(names.first { $0.hasSuffix("a.jsonl") }))"
    try FileManager.default.removeItem(atPath: site.folder.path(name))
    try site.folder.makeFile(name, holding: Array(lines.joined().utf8))
    let answer = try await site.forget(["--remote-address", "203.0.113.7"])
    #expect(answer["rows"]?["skan_postbacks"] == .integer(1))
    #expect(try site.files(holding: id) == [])
    let rest = lines.filter { !$0.contains(id) }
    #expect(try site.folder.contents(of: name) == Array(rest.joined().utf8))
  }

  @Test func `refuses while a consumer runs, and for a file that waits`() async throws {
    let site = try await ForgetSite()
    let (id, _) = try site.copied()
    try site.folder.makeFile("spool/new/b.jsonl", holding: try site.folder.contents(of: "dump"))
    let waiting = try await BuiltCommand.run([
      "forget", "--out", site.out, "--spool", site.spool, "--transaction-id", id,
    ])
    #expect(waiting.status == 75)
    #expect(waiting.errorText.contains("new/b.jsonl"))
    #expect(!(try site.files(holding: id)).isEmpty)
    let watch = try WatchSite()
    let process = try watch.start()
    try await watch.waitFor("watching")
    let locked = try await BuiltCommand.run(["forget", "--out", watch.folder.path("out"), "--transaction-id", id])
    #expect(locked.status == 75, "\(locked.errorText)")
    process.terminate()
  }
}

@Suite struct `A request for removal` {
  private static let id = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
  private static let hidden = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"

  @Test(arguments: [
    ("203.0.113.7", true), ("203.0.113.77", false), ("1203.0.113.7", false), ("[203.0.113.7]:80", true),
    ("::ffff:203.0.113.7", true), ("203.0.113.7.1", false), ("2001:DB8::1", true), ("2001:db8::12", false),
    ("12001:db8::1", false), ("", false), ("id ABC-1-defg", true), ("abc-1-defgh", false), ("xabc-1-defg", false),
    // A number or a short word cannot be told from others.
    ("123456789", false), ("abc", false),
  ])
  func `finds whole addresses and ids`(_ text: String, isCovered: Bool) {
    let request = RemovalRequest(
      transactionIDs: ["abc-1-defg", "123456789", "abc"],
      addresses: ["203.0.113.7", "2001:db8::1"]
    )
    #expect((request.masked(text) != nil) == isCovered)
  }

  @Test(arguments: [
    ("user-\(id)", "user-\(hidden)"), ("refund\(id)x", "refund\(hidden)x"),
    (id.replacing("-", with: ""), String(repeating: "x", count: 32)),
    (#"\n\#(id)"#, #"\n\#(hidden)"#),
    (#"\u0036\#(id.dropFirst())"#, #"\u0078\#(hidden.dropFirst())"#),
    (#"\\u0036\#(id.dropFirst())"#, #"\\u0078\#(hidden.dropFirst())"#),
    ("a=%36\(id.dropFirst())&b", "a=%78\(hidden.dropFirst())&b"),
    ("a=%2536\(id.dropFirst())", "a=%2578\(hidden.dropFirst())"),
    (#""\#(encoded(id))""#, #""\#(encoded(hidden))""#),
    ("e30.\(encoded(encoded(id))).x", "e30.\(encoded(encoded(hidden))).x"),
    (#"\n\#(encoded(id))"#, #"\n\#(encoded(hidden))"#),
  ])
  func `masks an id in every form, and keeps the length`(_ text: String, _ masked: String) {
    #expect(RemovalRequest(transactionIDs: [Self.id], addresses: []).masked(text) == masked)
    #expect(text.utf8.count == masked.utf8.count)
  }

  private static func encoded(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
}
