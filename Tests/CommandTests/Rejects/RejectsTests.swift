import Answers
import Base
import ConversionModel
import Foundation
import JSON
import SKAdNetwork
import TestSupport
import Testing

@testable import postback

@Suite struct `postback rejects` {
  @Test func `counts all rejects, by stage and code by default`() async throws {
    let site = try await RejectsSite.shared.value
    let answer = try await site.answer([])
    #expect(answer["rejects"]?.integer == Int64(site.rejects.count))
    #expect(answer["read"]?.integer == Int64(site.rejects.count + site.postbacks.count))
    try expectGroups(of: answer, ["stage", "reject_code"], site.rejects, site.postbacks)
  }

  @Test func `counts copies, noise and what is suspicious apart, in all and in each group`() async throws {
    let site = try await RejectsSite.shared.value
    let answer = try await site.answer(["--group-by", "forwarder"])
    func counts(_ rejects: [JSONObject]) -> JSONValue {
      let codes = rejects.compactMap { $0.cell("reject_code").flatMap(RejectCode.init) }
      return .object(
        RejectClass.allCases.map { one in
          .init(one.rawValue, .integer(codes.count { $0.rejectClass == one }))
        }
      )
    }
    #expect(answer["rejects_by_class"] == counts(site.rejects))
    #expect(answer["rejects_by_class"]?["copies"]?.integer ?? 0 > 50)
    for group in answer["groups"]?.array ?? [] {
      let forwarder = group["values"]?["forwarder"]?.text
      #expect(group["rejects_by_class"] == counts(site.rejects.filter { $0.cell("forwarder") == forwarder }))
    }
    let text = try await BuiltCommand.run(["rejects", site.out, "--group-by", "forwarder"]).text
    #expect(text.contains("suspicious  noise  copies"))
  }

  @Test(arguments: ["forwarder", "ad_network_id,reject_code", "channel,version,stage", "field", "source_line"])
  func `groups by any columns`(_ columns: String) async throws {
    let site = try await RejectsSite.shared.value
    let answer = try await site.answer(["--group-by", columns])
    try expectGroups(of: answer, columns.split(separator: ",").map(String.init), site.rejects, site.postbacks)
  }

  @Test func `compares the rejects of a filter with all records of their kind`() async throws {
    let site = try await RejectsSite.shared.value
    let forwarder = try #require(site.rejects.compactMap { $0.cell("forwarder") }.first)
    let isOfIt: (JSONObject) -> Bool = {
      $0.cell("forwarder") == forwarder && $0.cell("channel") == "network_forwarded"
    }
    let answer = try await site.answer([
      "--where", "forwarder = \(forwarder)", "--where", "channel in (network_forwarded, \"\")", "--where",
      "reject_code=signature_invalid", "--group-by", "forwarder,reject_code",
    ])
    let matching = site.rejects.filter { isOfIt($0) && $0.cell("reject_code") == "signature_invalid" }
    #expect(answer["rejects"]?.integer == Int64(matching.count))
    #expect(matching.count > 10)
    let read = site.rejects.filter(isOfIt).count + site.postbacks.filter(isOfIt).count
    #expect(answer["read"]?.integer == Int64(read))
    let group = try #require(answer["groups"]?.array.first)
    #expect(group["read"]?.integer == Int64(read))
    #expect(group["share_of_read"] == .share(matching.count, of: read))
  }

  @Test func `reads the parts of one or more runs, compressed files and standard input alike`() async throws {
    let site = try await RejectsSite.shared.value
    let whole = try await site.answer(["--group-by", "reject_code,version"])
    let rows = try site.folder.contents(of: "out/skan_rejects/part-00000001.jsonl")
    let folder = try TemporaryFolder()
    let table = folder.path("out/skan_rejects")
    try FileManager.default.createDirectory(atPath: table, withIntermediateDirectories: true)
    let half = rows.count / 2 + rows[(rows.count / 2)...].prefix { $0 != UInt8(ascii: "\n") }.count + 1
    try folder.makeFile("out/skan_rejects/part-00000001.jsonl", holding: Array(rows[..<half]))
    try folder.makeFile("out/skan_rejects/part-00000002.jsonl", holding: Array(rows[half...]))
    try folder.makeFile("out/skan_rejects/.part-00000003.jsonl.inprogress", holding: Array("{".utf8))
    for part in ["\(table)/part-00000001.jsonl", "\(table)/part-00000002.jsonl"] {
      let gzip = try await BuiltCommand.run(executable: "/usr/bin/env", ["gzip", part])
      #expect(gzip.status == 0)
    }
    for paths in [
      [folder.path("out")], [table], ["\(table)/part-00000001.jsonl.gz", "\(table)/part-00000002.jsonl.gz"],
    ] {
      let answer = try await site.answer(["--group-by", "reject_code,version"], of: paths)
      #expect(answer["rejects"] == whole["rejects"])
      #expect(counts(answer) == counts(whole))
      // A run whose folder has no table of accepted postbacks has accepted none.
      #expect(answer["read"] == (paths == [folder.path("out")] ? whole["rejects"] : .null))
    }
    let piped = try await BuiltCommand.run(
      ["rejects", "-", "--format", "json", "--group-by", "reject_code,version"],
      input: rows
    )
    #expect(counts(try JSONValue(parsing: piped.output)) == counts(whole))
    let second = folder.path("second")
    for table in ["skan_postbacks", "skan_rejects"] {
      try FileManager.default.createDirectory(atPath: second, withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: "\(site.out)/\(table)", toPath: "\(second)/\(table)")
    }
    let twice = try await site.answer(["--group-by", "reject_code,version"], of: [site.out, second])
    #expect(twice["rejects"]?.integer == Int64(2 * site.rejects.count))
    #expect(twice["read"]?.integer == Int64(2 * (site.rejects.count + site.postbacks.count)))
  }

  @Test func `shows whole rows, and is valid by its schema`() async throws {
    let site = try await RejectsSite.shared.value
    let answers = [
      try await site.answer(["--show", "20", "--signals"]),
      try await site.answer(["--top", "1", "--group-by", "raw_sha256"]),
      try await site.answer(["--where", "forwarder=nobody"]),
      try await site.answer(["--diagnose", "--diagnose-limit", "5"]),
      try await site.answer(["--compare", "2020-01-01/2026-03-04,2026-03-05/2027-12-31"]),
    ]
    #expect(answers[0]["rows"]?.array.map { $0["raw_sha256"] } == site.rejects.prefix(20).map { $0["raw_sha256"] })
    #expect(answers[1]["groups"]?.array.count == 1)
    #expect(answers[2]["groups"] == .array([]))
    let folder = try TemporaryFolder()
    let file = try folder.makeFile("answers", holding: Array(answers.map { "\($0)\n" }.joined().utf8))
    let arguments = [Fixtures.path("../Tests/validate.py"), "--rejects", file]
    var result = try await BuiltCommand.run(executable: "/usr/bin/env", ["python3"] + arguments)
    if result.status == 77 { result = try await BuiltCommand.run(executable: "/usr/bin/python3", arguments) }
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.text.contains("5 answers valid"))
  }

  @Test func `escapes control characters of hostile postbacks`() async throws {
    let folder = try TemporaryFolder()
    let out = folder.path("out")
    let hostile: [[UInt8]] = [
      Array("\u{1B}[2J\u{202E}</script>".utf8), [0xFF, 0x1B, 0x00, UInt8(ascii: "x"), 0xC3],
      Array("{\"a\u{7}\":1}".utf8),
    ]
    let input = try folder.makeFile("in\u{1B}[31m", holding: Array(hostile.joined(separator: [UInt8(ascii: "\n")])))
    #expect(try await BuiltCommand.run(["run", input, "--out", out]).status == 0)
    let result = try await BuiltCommand.run([
      "rejects", out, "--show", "9", "--group-by", "source_file,reject_code,raw_body",
    ])
    #expect(result.status == 0)
    #expect(result.text.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isControl })
    #expect(result.text.contains(#"  \u{1b}[2J\u{202e}</script>"#))
    #expect(result.text.contains(#"  \xff\u{1b}\u{0}x\xc3"#))
  }

  @Test func `escapes control characters in sentences about hostile senders`() async throws {
    let folder = try TemporaryFolder()
    // A fine and a coarse value in one postback are impossible, and are not signed.
    let signed = String(decoding: Fixtures.lines("postbacks/skadnetwork-4.0.jsonl")[0], as: UTF8.self)
    let body = signed.dropLast() + #","coarse-conversion-value":"high"}"#
    let envelope = #"{"channel":"network_forwarded","forwarder":"\u001b]0;x\u0007\nFAKE","body":\#(body)}"#
    let input = try folder.makeFile("in", holding: Array(envelope.utf8))
    #expect(try await BuiltCommand.run(["run", input, "--out", folder.path("out")]).status == 0)
    let result = try await BuiltCommand.run(["rejects", folder.path("out"), "--signals"])
    #expect(result.text.contains(#"fewer than 30 postbacks: \u{1b}]0;x\u{7}\u{a}FAKE."#))
    #expect(result.text.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isControl })
  }

  @Test func `prints the groups as CSV, with quotes where necessary`() async throws {
    let folder = try TemporaryFolder()
    let row =
      #"{"stage":"parse","reject_code":"not_json","forwarder":"a,\"b\"\n","received_at":"2026-03-10T00:00:00Z"}"#
    let rows = try folder.makeFile(
      "rows",
      holding: Array((row + "\n" + #"{"stage":"parse","forwarder":""}"# + "\n").utf8)
    )
    let result = try await BuiltCommand.run(["rejects", rows, "--group-by", "forwarder,field", "--format", "csv"])
    #expect(
      result.text == """
        forwarder,field,rejects,share_of_rejects,read,share_of_read,first_seen,last_seen,copies,noise,suspicious\r
        "",,1,0.5,,,,,0,1,0\r
        "a,""b""\n",,1,0.5,,,2026-03-10T00:00:00Z,2026-03-10T00:00:00Z,0,1,0\r\n
        """
    )
  }

  @Test func `reports lines that are not rows, and counts the others`() async throws {
    let folder = try TemporaryFolder()
    let rows = try folder.makeFile(
      "rows",
      holding: Array("{\"stage\":\"parse\"}\nnothing\n{\"stage\":\"schema\"}\n[{}]\n".utf8)
    )
    let result = try await BuiltCommand.run(["rejects", rows, "--format", "json"])
    #expect(result.status == 65)
    #expect(try JSONValue(parsing: result.output)["rejects"]?.integer == 2)
    #expect(
      result.errorText.contains(
        "2 lines are not rows and were skipped. The first is line 2 of \(rows): the line is not JSON."
      )
    )
  }

  @Test func `refuses an output that is given twice, also as a link`() async throws {
    let site = try await RejectsSite.shared.value
    let (out, folder) = (site.out, try TemporaryFolder())
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: out)
    for other in ["\(out)/", folder.path("link")] {
      let result = try await BuiltCommand.run(["rejects", out, other])
      #expect(result.status == 65)
      #expect(result.errorText.contains("\(other): It is the same output as \(out), or a copy of it"))
    }
  }

  @Test func `refuses a table or a file that is given twice, in any spelling or as a link`() async throws {
    let site = try await RejectsSite.shared.value
    let (out, folder) = (site.out, try TemporaryFolder())
    let (table, part) = ("\(out)/skan_rejects", "\(out)/skan_rejects/part-00000001.jsonl")
    let link = folder.path("rows")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: part)
    for (first, second) in [(out, table), (part, out), (table, "\(out)/./skan_rejects/"), (part, part), (link, part)] {
      let result = try await BuiltCommand.run(["rejects", first, second])
      #expect(result.status == 65)
      #expect(result.text.isEmpty)
      #expect(result.errorText.contains("are also those of \(first), and would count twice"))
      #expect(result.errorText.contains("\(second): "))
    }
    let events = Fixtures.path("implementation/fine_range.jsonl")
    let result = try await BuiltCommand.run(["validate-implementation", events, events])
    #expect(result.status == 65)
    #expect(result.errorText.contains("\(events): Its rows are also those of \(events), and would count twice."))
  }

  @Test func `says what to do if the tables do not exist`() async throws {
    let site = try await RejectsSite(format: "csv", count: 200)
    let csv = try await BuiltCommand.run(["rejects", site.out])
    #expect(csv.status == 66)
    #expect(csv.errorText.contains("part-00000001.csv: Only JSON Lines are read. Read the dumps into another"))
    let folder = try TemporaryFolder()
    try folder.makeFile("other")
    let other = try await BuiltCommand.run(["rejects", folder.path(".")])
    #expect(other.status == 66)
    #expect(other.errorText.contains("There are no tables in this directory. Give the directory that --out named"))
    #expect(try await BuiltCommand.run(["rejects", folder.path("missing")]).status == 66)
  }

  @Test(arguments: [
    [], ["x", "--group-by", "campaign"], ["x", "--where", "campaign=1"], ["x", "--since", "yesterday"],
    ["x", "--show", "0"], ["x", "--format", "csv", "--show", "1"], ["x", "--format", "xml"], ["-", "--diagnose"],
  ])
  func `exits with 64 for an invalid query`(_ arguments: [String]) async throws {
    let result = try await BuiltCommand.run(["rejects"] + arguments)
    #expect(result.status == 64)
    #expect(result.errorText.hasPrefix("postback: "))
  }

  @Test func `counts the signals of accepted rows and of their copies`() async throws {
    let site = try await RejectsSite.shared.value
    let signals = try #require(try await site.answer(["--signals", "--late-days", "0"])["signals"])
    let networks = try #require(signals["networks"]?.array)
    let accepted = Dictionary(grouping: site.postbacks) { $0.cell("ad_network_id") }
    #expect(networks.count == accepted.count)
    let copies = site.rejects.filter { $0.cell("reject_code") == "duplicate_identical" }
    let again = site.rejects.filter { ["duplicate_identical", "duplicate_conflict"].contains($0.cell("reject_code")) }
    let blameless = [
      "zero_may_be_null", "lost_with_source_app", "lost_in_later_window", "source_digits_in_later_window",
      "source_app_in_later_window",
    ]
    for network in networks {
      let name = network["ad_network_id"]?.text
      let rows = accepted[name] ?? []
      #expect(network["accepted"]?.integer == Int64(rows.count))
      #expect(network["redownload"]?["count"]?.integer == Int64(rows.count { $0["redownload"] == .bool(true) }))
      #expect(network["view_through"]?["count"]?.integer == Int64(rows.count { $0.cell("fidelity_type") == "0" }))
      let impossible = rows.count { row in
        let flags = (row.cell("tier_flags") ?? "").matches(of: /[a-z_0-9]{3,}/).map { String($0.output) }
        return flags.contains { !blameless.contains($0) && !$0.hasPrefix("unreadable_") }
      }
      #expect(network["tier_impossible"]?.integer == Int64(impossible))
      let own = copies.filter { $0.cell("ad_network_id") == name }
      #expect(network["copies"]?.integer == Int64(own.count))
      let sent = Dictionary(
        grouping: rows.map { ($0.cell("postback_key"), $0) }
          + again.filter { $0.cell("ad_network_id") == name }.map { ($0.cell("first_seen_postback_key"), $0) }
      ) { key, row in
        [key, row.cell("channel") == "apple_direct" ? "device" : row.cell("forwarder")]
      }
      let late = Set(
        sent.filter { _, copies in
          let times = copies.map { time($0.1.cell("received_at")) }
          return times.min() != times.max()
        }.map { $0.key[0] }
      )
      #expect(network["late_replays"]?.integer == Int64(late.count))
    }
  }

  // MARK: - Expectations

  private func time(_ text: String?) -> Int64 { text.flatMap { Timestamp($0) }?.milliseconds ?? 0 }

  private func counts(_ answer: JSONValue) -> [String] {
    (answer["groups"]?.array ?? []).map { "\($0["values"] ?? .null) \($0["rejects"] ?? .null)" }
  }

  /// Expects every group to have the counts that a plain count of the rows gives.
  private func expectGroups(
    of answer: JSONValue,
    _ columns: [String],
    _ rejects: [JSONObject],
    _ postbacks: [JSONObject]
  ) throws {
    let shared = columns.filter { postbacks[0][$0] != nil }
    func key(_ row: JSONObject, _ columns: [String]) -> [String?] { columns.map { row.cell($0) } }
    let groups = Dictionary(grouping: rejects) { key($0, columns) }
    let read = Dictionary(grouping: rejects + postbacks) { key($0, shared) }
    let found = try #require(answer["groups"]?.array)
    #expect(found.count == groups.count)
    #expect(found.compactMap { $0["rejects"]?.integer } == groups.values.map { Int64($0.count) }.sorted(by: >))
    for group in found {
      let values = columns.map { group["values"]?[$0]?.text }
      let rows = try #require(groups[values], "\(values)")
      let kind = read[shared.map { group["values"]?[$0]?.text }]?.count
      #expect(group["rejects"]?.integer == Int64(rows.count))
      #expect(group["share_of_rejects"] == .share(rows.count, of: rejects.count))
      #expect(group["read"]?.integer == kind.map(Int64.init))
      let times = rows.compactMap { $0.cell("received_at") }.sorted()
      #expect(group["first_seen"]?.text?.prefix(19) == times.first?.prefix(19))
      #expect(group["last_seen"]?.text?.prefix(19) == times.last?.prefix(19))
    }
  }
}
