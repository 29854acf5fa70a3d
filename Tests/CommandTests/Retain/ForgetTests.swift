import Foundation
import JSON
import PostbackVerification
import TestSupport
import Testing

@testable import Ledger
@testable import Tables

@Suite(.serialized) struct `postback forget` {
  /// An output with derived tables, and a spool whose files were read.
  private struct Site {
    let folder: TemporaryFolder
    let out: String
    let spool: String
    let keys: [String]

    init(options: [String] = []) async throws {
      folder = try TemporaryFolder()
      (out, spool) = (folder.path("out"), folder.path("spool"))
      let made = try await BuiltCommand.run([
        "generate", "--count", "400", "--seed", "7", "--duplicate", "0.2", "--envelopes", "--out", folder.path("dump"),
        "--keys", folder.path("keys"), "-q",
      ])
      #expect(made.status == 0, "\(made.errorText)")
      keys = try folder.words(of: "keys")
      for name in ["tmp", "new"] {
        try FileManager.default.createDirectory(atPath: "\(spool)/\(name)", withIntermediateDirectories: true)
      }
      try folder.makeFile("spool/new/a.jsonl", holding: try folder.contents(of: "dump"))
      try await watch(options)
      let settled = try await BuiltCommand.run(["settle", out])
      #expect(settled.status == 0, "\(settled.errorText)")
    }

    func watch(_ options: [String] = []) async throws {
      let ran = try await BuiltCommand.run(["watch", spool, "--out", out, "--once", "-q"] + keys + options)
      #expect(ran.status == 0, "\(ran.errorText)")
    }

    func rows(_ table: String) throws -> [Object] {
      try Partitioning.entries(of: "\(out)/\(table)").filter { $0.name.hasSuffix(".jsonl") }.flatMap { entry in
        let path = [table, entry.partition, entry.name].filter { !$0.isEmpty }.joined(separator: "/")
        return try Object.lines(folder.contents(of: "out/\(path)"))
      }
    }

    /// The transaction of an accepted postback with a copy.
    func copied() throws -> (id: String, key: String) {
      let copies = Set(try rows("skan_rejects").compactMap { $0.string("first_seen_postback_key") })
      let row = try #require(
        try rows("skan_postbacks").first { row in
          copies.contains(row.string("postback_key") ?? "") && row.string("framework") == "skadnetwork"
        }
      )
      return (try #require(row.string("transaction_id")), try #require(row.string("postback_key")))
    }

    func forget(_ options: [String]) async throws -> JSONValue {
      let result = try await BuiltCommand.run(["forget", "--out", out, "--spool", spool, "--json"] + options)
      #expect(result.status == 0, "\(result.errorText)")
      return try JSONValue(parsing: result.output)
    }

    /// The names of the files below the output and the spool that hold a text.
    func files(holding text: String) throws -> [String] {
      let names = FileManager.default.enumerator(atPath: folder.path(""))?.compactMap { $0 as? String } ?? []
      return names.filter { name in
        guard name.hasPrefix("out/") || name.hasPrefix("spool"),
          let bytes = try? folder.contents(of: name)
        else { return false }
        return String(decoding: bytes, as: UTF8.self).lowercased().contains(text.lowercased())
      }
    }

    func check() async throws -> String { try await BuiltCommand.run(["state", "check", out]).text }
  }

  @Test(arguments: [[], ["--format", "both"], ["--partition", "received_day"]])
  func `leaves nothing of a transaction, and everything else as it was`(_ options: [String]) async throws {
    let site = try await Site(options: options)
    let (id, key) = try site.copied()
    let before = try ["skan_postbacks", "skan_rejects", "skan_settled"].map { try site.rows($0).map(\.text) }
    #expect(try site.files(holding: id).count >= 3)
    // As a process leaves it that is killed while it replaces the table.
    try FileManager.default.copyItem(
      atPath: "\(site.out)/skan_settled",
      toPath: "\(site.out)/.skan_settled.inprogress"
    )
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
    let site = try await Site()
    let (id, key) = try site.copied()
    let settled = try site.folder.contents(of: "out/skan_settled/part-00000001.jsonl")
    _ = try await site.forget(["--transaction-id", id])
    try site.folder.makeFile("out/skan_settled/part-00000001.jsonl", holding: settled)
    #expect(try await site.forget(["--transaction-id", id])["derived_rows"]?["skan_settled"] == .integer(1))
    #expect(try site.rows("skan_settled").allSatisfy { $0.string("postback_key") != key })
  }

  @Test func `daily counts the rest once after a request`() async throws {
    let site = try await Site()
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
    let site = try await Site()
    let (id, key) = try site.copied()
    _ = try await site.forget(["--transaction-id", id])
    let dump = String(decoding: try site.folder.contents(of: "dump"), as: UTF8.self).split(separator: "\n")
    let line = try #require(dump.first { $0.contains(id) })
    try site.folder.makeFile("spool/new/replay.jsonl", holding: Array("\(line)\n".utf8))
    try await site.watch()
    #expect(try site.rows("skan_postbacks").allSatisfy { $0.string("postback_key") != key })
    let copies = try site.rows("skan_rejects").filter { $0.string("first_seen_postback_key") == key }
    #expect(copies.count == 1)
    #expect(try await site.check() == "sound\n")
  }

  @Test func `tells a follower which rows went, and lets it continue`() async throws {
    let site = try await Site()
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
    let site = try await Site()
    let dump = String(decoding: try site.folder.contents(of: "dump"), as: UTF8.self).split(separator: "\n")
    let (id, _) = try site.copied()
    let lines = dump.map { line in
      let address = line.contains(id) ? "203.0.113.7" : "203.0.113.77"
      return line.replacing(/"remote_address":"[^"]*"/, with: "\"remote_address\":\"\(address)\"") + "\n"
    }
    try site.folder.makeFile("spool/done/a.jsonl", holding: Array(lines.joined().utf8))
    let answer = try await site.forget(["--remote-address", "203.0.113.7"])
    #expect(answer["rows"]?["skan_postbacks"] == .integer(1))
    #expect(try site.files(holding: id) == [])
    let rest = lines.filter { !$0.contains(id) }
    #expect(try site.folder.contents(of: "spool/done/a.jsonl") == Array(rest.joined().utf8))
  }

  @Test func `refuses while a consumer runs, and for a file that waits`() async throws {
    let site = try await Site()
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
  @Test(arguments: [
    ("203.0.113.7", true), ("203.0.113.77", false), ("1203.0.113.7", false), ("[203.0.113.7]:80", true),
    ("::ffff:203.0.113.7", true), ("203.0.113.7.1", false), ("2001:DB8::1", true), ("2001:db8::12", false),
    ("12001:db8::1", false), ("", false), ("id ABC-1", true), ("abc-12", false), ("xabc-1", false),
  ])
  func `covers whole addresses and ids`(_ text: String, isCovered: Bool) {
    let request = RemovalRequest(transactionIDs: ["abc-1"], addresses: ["203.0.113.7", "2001:db8::1"])
    #expect(request.covers(Array(text.utf8)) == isCovered)
  }
}
