import Foundation
import JSON
import TestSupport
import Testing

@testable import PostbackLookup

/// `find` over the output of a consumer with copies, conflicts, derived tables and an index.
@Suite struct `The search for a postback` {
  private func find(_ out: String, _ id: String, _ options: [String] = [], input: [UInt8] = []) async throws
    -> BuiltCommand.Result
  {
    try await BuiltCommand.run(["find", out, id] + options, input: input)
  }

  private func json(_ out: String, _ id: String, _ options: [String] = []) async throws -> JSONValue {
    let result = try await find(out, id, ["--json"] + options)
    #expect(result.status == 0, "\(result.errorText)")
    return try JSONValue(parsing: result.output)
  }

  @Test func `finds the row, its copies, its events and its settlement by the id and by the key`() async throws {
    let site = try await ForgetSite()
    let (id, key) = try site.copied()
    let first = try await json(site.out, id.uppercased())
    #expect(first["search"]?["indexed"]?.integer ?? 0 > 2)
    let again = try await json(site.out, key)
    #expect(again["search"]?["indexed"]?.integer == 0 && again["search"]?["scanned"]?.integer == 0)
    #expect(first["postbacks"] == again["postbacks"])
    let postback = try #require(first["postbacks"]?.elements?.first)
    let lines = try site.folder.contents(of: "out/skan_postbacks/part-00000001.jsonl").split(separator: 10)
    let line = try #require(lines.first { String(decoding: $0, as: UTF8.self).contains(key) })
    #expect(postback["row"] == (try JSONValue(parsing: Array(line))))
    #expect(postback["row"]?["transaction_id"]?.text == id)
    let rejects = try site.rows("skan_rejects").filter { $0.string("first_seen_postback_key") == key }
    let copies = try #require(postback["copies"]?.elements)
    #expect(copies.count == rejects.count + 1)
    #expect(copies.filter { $0["verdict"]?.text == "accepted" }.count == 1)
    let settled = try #require(postback["skan_settled"]?.elements?.first)
    #expect(settled["postback_key"]?.text == key)
    let events = try site.rows("skan_events").filter { $0.string("postback_key") == key }
    #expect(postback["events"]?.elements?.count == events.count)
    let text = try await find(site.out, id)
    #expect(
      text.status == 0 && text.text.contains("* transaction_id") && text.text.contains("copies, in the order of time")
    )
  }

  @Test func `has the text that Apple signed, as explain has it`() async throws {
    let folder = try TemporaryFolder()
    let out = folder.path("out")
    let dump = Fixtures.path("postbacks")
    let run = ["run", dump, "--out", out, "--keep-raw", "--allow-development", "-q"]
    #expect(try await BuiltCommand.run(run).status == 0)
    let lines = try Object.lines(folder.contents(of: "out/skan_postbacks/part-00000001.jsonl"))
    #expect(lines.count == 11)
    for row in lines {
      let key = try #require(row.string("postback_key"))
      let found = try #require(try await json(out, key)["postbacks"]?.elements?.first)
      let raw = try #require(row.string("raw_body"))
      let file = try folder.makeFile("raw.json", holding: Array(raw.utf8))
      let explained = try await BuiltCommand.run(["explain", file, "--json", "--allow-development"])
      let signed = try JSONValue(parsing: explained.output)["signature"]?["signed_text"]?.text
      let text = found["signed_text"]?.text?.replacing("\u{2063}", with: " ⁞ ")
      #expect(row.string("framework") == "skadnetwork" ? text == signed : text == nil, "\(raw)")
      #expect(found["raw"]?.text == Data(raw.utf8).base64EncodedString())
      let pasted = try await find(out, file, ["--json", "--allow-development"])
      let given = try JSONValue(parsing: pasted.output)
      #expect(given["given"]?["signature"]?["signature_state"] != nil)
      let keys = given["postbacks"]?.elements?.compactMap { $0["postback_key"]?.text } ?? []
      #expect(keys.contains(key))
    }
    let unsigned = try #require(
      try await json(out, "6aafb7a5-0170-41b5-bbe4-fe71dedf1e30")["postbacks"]?.elements?.first
    )
    let signed = unsigned["signed_columns"]?.elements?.compactMap(\.text) ?? []
    #expect(signed.contains("source_domain") && !signed.contains("conversion_value") && !signed.contains("framework"))
  }

  @Test func `has the campaign, and why`() async throws {
    let folder = try TemporaryFolder()
    let out = folder.path("out")
    let run = ["run", Fixtures.path("postbacks"), "--out", out, "--received-at", "2026-03-10T00:00:00Z", "-q"]
    #expect(try await BuiltCommand.run(run).status == 0)
    let id = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e30"
    let before = try #require(try await json(out, id)["postbacks"]?.elements?.first)
    #expect(before["skan_enriched"] == nil && before["deliveries"] == .null)
    let enriched = try await BuiltCommand.run(["enrich", out, "--lookups", Fixtures.path("lookups")])
    #expect(enriched.status == 0, "\(enriched.errorText)")
    let postback = try #require(try await json(out, id)["postbacks"]?.elements?.first)
    let row = try #require(postback["skan_enriched"]?.elements?.first)
    #expect(row["enrich_status"]?.text != nil && row["postback_key"] == postback["postback_key"])
    let text = try await find(out, id)
    #expect(text.text.contains("\nskan_enriched\n") && text.text.contains("enrich_status"))
  }

  @Test func `tells what was changed in a copy, and if it is signed`() async throws {
    let folder = try TemporaryFolder()
    let lines = Fixtures.lines("postbacks/skadnetwork-4.0.jsonl").map { String(decoding: $0, as: UTF8.self) }
    let other = lines[0].replacing("\"conversion-value\":63", with: "\"conversion-value\":7")
    let broken = lines[0].replacing("\"source-identifier\":\"5239\"", with: "\"source-identifier\":\"5240\"")
    #expect(other != lines[0] && broken != lines[0])
    let dump = try folder.makeFile(
      "dump.jsonl",
      holding: Array([lines[0], other, broken].joined(separator: "\n").utf8)
    )
    let out = folder.path("out")
    #expect(try await BuiltCommand.run(["run", dump, "--out", out, "-q"]).status == 0)
    let id = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e30"
    let copies = try #require(try await json(out, id)["postbacks"]?.elements?.first?["copies"]?.elements)
    #expect(copies.map { $0["verdict"]?.text } == ["accepted", "duplicate_conflict", "signature_invalid"])
    let changes = copies.map { $0["changes"]?.elements ?? [] }
    #expect(changes[0].isEmpty && changes[1].count == 1 && changes[2].count == 1)
    #expect(changes[1][0]["column"]?.text == "conversion_value" && changes[1][0]["signed"] == .bool(false))
    #expect(changes[1][0]["accepted"]?.text == "63" && changes[1][0]["here"]?.text == "7")
    #expect(changes[2][0]["column"]?.text == "source_identifier" && changes[2][0]["signed"] == .bool(true))
    #expect(copies[2]["raw"]?.text == Data(broken.utf8).base64EncodedString())
    #expect(copies[2]["explanation"]?["diagnosis"] == nil)
    let diagnosed = try await json(out, id, ["--diagnose"])["postbacks"]?.elements?.first?["copies"]?.elements?.last
    #expect(diagnosed?["explanation"]?["diagnosis"] != nil)
    let one = try await json(out, id, ["--copies", "1"])["postbacks"]?.elements?.first
    #expect(one?["copies"]?.elements?.count == 2 && one?["omitted_copies"]?.integer == 1)
  }

  @Test(arguments: [
    ["--format", "csv"], ["--format", "csv", "--csv-safe"], ["--partition", "received_day"], ["--format", "both"],
  ])
  func `reads parts of every form`(_ options: [String]) async throws {
    let folder = try TemporaryFolder()
    let out = folder.path("out")
    let run = ["run", Fixtures.path("postbacks"), "--out", out, "--models", Fixtures.path("models"), "-q"]
    #expect(try await BuiltCommand.run(run + ["--received-at", "2026-03-10T00:00:00Z"] + options).status == 0)
    let plain = folder.path("plain")
    let other = ["run", Fixtures.path("postbacks"), "--out", plain, "--models", Fixtures.path("models"), "-q"]
    #expect(try await BuiltCommand.run(other + ["--received-at", "2026-03-10T00:00:00Z"]).status == 0)
    for id in ["6aafb7a5-0170-41b5-bbe4-fe71dedf1e30", "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"] {
      for _ in 0..<2 {
        let found = try await json(out, id)
        let expected = try await json(plain, id)
        let rows = [found, expected].map { $0["postbacks"]?.elements?.map { $0["row"] } }
        #expect(rows[0] == rows[1])
        let copies = [found, expected].map { $0["postbacks"]?.elements?.first?["copies"]?.elements?.map { $0["row"] } }
        #expect(copies[0] == copies[1])
        let events = [found, expected].map { $0["postbacks"]?.elements?.first?["events"] }
        #expect(events[0] == events[1])
      }
    }
  }

  @Test func `reads parts that were compressed, and those of a folder without a state`() async throws {
    let site = try await ForgetSite()
    let (id, _) = try site.copied()
    let before = try await json(site.out, id)
    for table in ["skan_postbacks", "skan_rejects"] {
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(site.out)/\(table)")
      where name.hasSuffix(".jsonl") {
        let zipped = try await BuiltCommand.run(executable: "/bin/gzip", ["\(site.out)/\(table)/\(name)"])
        #expect(zipped.status == 0)
      }
    }
    for _ in 0..<2 {
      let after = try await json(site.out, id)
      #expect(after["postbacks"]?.elements?.first?["row"] == before["postbacks"]?.elements?.first?["row"])
      #expect(after["postbacks"]?.elements?.first?["line"]?.integer ?? 0 > 0)
    }
    try FileManager.default.removeItem(atPath: "\(site.out)/_state")
    let without = try await json(site.out, id)
    #expect(without["postbacks"]?.elements?.first?["row"] == before["postbacks"]?.elements?.first?["row"])
  }
}

/// `find` where somebody sends one transaction again and again.
@Suite struct `The search for a flooded transaction` {
  @Test func `reads a bounded number of rejects, and counts the others`() async throws {
    let folder = try TemporaryFolder()
    let first = try #require(Fixtures.lines("postbacks/skadnetwork-4.0.jsonl").first)
    let dump = try folder.makeFile(
      "dump",
      holding: Array([[UInt8]](repeating: first, count: 3001).joined(separator: [10]))
    )
    let out = folder.path("out")
    #expect(try await BuiltCommand.run(["run", dump, "--out", out, "-q"]).status == 0)
    for _ in 0..<2 {
      let result = try await BuiltCommand.run(["find", out, "6aafb7a5-0170-41b5-bbe4-fe71dedf1e30", "--json"])
      let answer = try JSONValue(parsing: result.output)
      let postback = answer["postbacks"]?.elements?.first
      #expect(postback?["copies"]?.elements?.count == 21 && postback?["omitted_copies"]?.integer == 980)
      #expect(answer["omitted_rejects"]?.integer == 2000)
    }
  }
}
