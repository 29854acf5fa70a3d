import Base
import Foundation
import JSON
import TestSupport
import Testing

@testable import Ledger
@testable import Tables

/// The rows that `postback retain` keeps because they still count: no removal changes a number of the derived tables.
@Suite struct `Rows that still count` {
  /// Two postbacks that a forwarder sent on 20 March, and devices on 22 March with another value, which counts; and one of 28 March.
  private struct Site {
    let folder: TemporaryFolder
    let out: String
    private let options: [String]

    /// `alone` puts a postback of 20 March that has no copies before the others.
    init(_ options: [String], alone: Bool = false) async throws {
      folder = try TemporaryFolder()
      out = folder.path("out")
      self.options = options
      let apps = "app_id,app_name,direct_copies_since\n525463029,Example App,2026-01-01\n"
      try FileManager.default.createDirectory(atPath: folder.path("lookups"), withIntermediateDirectories: true)
      try folder.makeFile("lookups/apps.csv", holding: Array(apps.utf8))
      func lines(_ name: String) -> [String] {
        Fixtures.lines("postbacks/\(name)").map { String(decoding: $0, as: UTF8.self) }
      }
      let pair = lines("skadnetwork-4.0.jsonl").prefix(2)
      let forwarded = #""channel":"network_forwarded","forwarder":"cheap-clicks""#
      let further = alone ? lines("skadnetwork-2.2.jsonl").prefix(1) : []
      try await run((further + pair).map { envelope($0, "2026-03-20T23:00:00Z", forwarded) })
      let direct = pair.map { $0.replacing(#""conversion-value":63"#, with: #""conversion-value":20"#) }
      let forged = pair.map { $0.replacing(#""app-id":525463029"#, with: #""app-id":525463030"#) }
      try await run((direct + forged).map { envelope($0, "2026-03-22T22:00:00Z", #""channel":"apple_direct""#) })
      let third = lines("skadnetwork-3.0.jsonl").prefix(2)
      try await run(third.map { envelope($0, "2026-03-28T08:00:00Z", #""channel":"apple_direct""#) })
    }

    private func envelope(_ body: String, _ time: String, _ members: String) -> String {
      #"{"received_at":"\#(time)",\#(members),"body":\#(body)}"# + "\n"
    }

    private func run(_ records: [String]) async throws {
      let dump = try folder.makeFile("dump-\(records.hashValue).jsonl", holding: Array(records.joined().utf8))
      try await command(["run", dump, "--models", Fixtures.path("models"), "--out", out] + options)
    }

    @discardableResult func command(_ words: [String]) async throws -> String {
      let result = try await BuiltCommand.run(words + ["-q"])
      #expect(result.status == 0, "\(words): \(result.errorText)")
      return result.text
    }

    /// The derived tables of a night.
    func night(_ out: String) async throws {
      for step in ["settle", "enrich", "daily"] {
        try await command([step, out, "--lookups", folder.path("lookups")])
      }
    }

    /// Removes what is from before a time of a day, in some tables.
    func retain(_ day: String, _ tables: [String] = []) async throws -> JSONValue {
      let start = try #require(Timestamp("\(day)T00:00:00Z"))
      let age = (Timestamp.now.milliseconds - start.milliseconds) / 86_400_000
      var words = ["retain", "--out", out, "--older-than", "\(age)d", "--yes-remove-all", "--trust-clock", "--json"]
      if !tables.isEmpty { words += ["--tables", tables.joined(separator: ",")] }
      let result = try await BuiltCommand.run(words)
      #expect(result.status == 0, "\(result.errorText)")
      return try JSONValue(parsing: result.output)
    }

    /// The postbacks, the revenue and the contradictions by day.
    func days(_ out: String) throws -> [String] {
      try Object.lines(Array(Data(contentsOf: URL(filePath: "\(out)/skan_daily/part-00000001.jsonl")))).map { row in
        ["date_type", "date", "postbacks", "revenue", "conflicts"].map { row[$0] ?? "" }.joined(separator: " ")
      }
    }

    func rows(_ table: String) throws -> Int {
      let counts = try Ledger.reading("\(out)/_state").parts.filter { $0.table == table && $0.format == .jsonLines }
      return Int(counts.reduce(0) { $0 + $1.rows })
    }
  }

  @Test(arguments: [[], ["--format", "both"], ["--partition", "received_day"]])
  func `stay until their reason has gone`(_ options: [String]) async throws {
    let site = try await Site(options)
    try await site.night(site.out)
    let before = try site.days(site.out)
    #expect(before.contains { $0.contains("2026-03-22") && $0.contains("73.25") }, "\(before)")
    func expectSame() async throws {
      try await site.night(site.out)
      #expect(try site.days(site.out) == before)
      #expect(try await site.command(["state", "check", site.out]) == "sound\n")
    }
    // Rejects that are no copies go.
    let rejects = try await site.retain("2026-03-26", ["skan_rejects"])
    let formats: Int64 = options.contains("both") ? 2 : 1
    #expect(rejects["rows"] == .integer(2 * formats) && rejects["kept_rows"] == .integer(2))
    try await expectSame()
    #expect(try await site.retain("2026-03-26", ["skan_rejects"])["parts"] == .integer(0))
    // The first copies are old, those that decide are not.
    let early = try await site.retain("2026-03-21")
    #expect(early["kept_rows"] == .integer(2))
    #expect(try site.rows("skan_postbacks") == 4)
    try await expectSame()
    // Both are.
    let late = try await site.retain("2026-03-24")
    #expect(late["kept_rows"] == .integer(0))
    #expect(try site.rows("skan_postbacks") == 2)
    #expect(try site.rows("skan_rejects") == 0)
    try await expectSame()
    // A backup has the days that cannot be made again, and what follows from options.
    let backup = site.folder.path("backup")
    try await site.command(["state", "backup", site.out, "--to", backup])
    try await site.command(["refresh", backup])
    #expect(try site.days(backup) == before)
  }

  @Test(arguments: [[], ["--format", "both"], ["--partition", "received_day"]], [false, true])
  func `are in an archive once, also where they go later`(_ options: [String], _ isLost: Bool) async throws {
    let site = try await Site(options, alone: true)
    try await site.night(site.out)
    func lines(_ folder: String) throws -> [String] {
      let names = try site.folder.files(below: folder).filter { $0.hasSuffix("part-00000001.jsonl") }
      return try names.flatMap { name in
        String(decoding: try site.folder.contents(of: "\(folder)/\(name)"), as: UTF8.self).split(separator: "\n")
      }
      .map { String($0) }
    }
    let all = try lines("out/skan_postbacks")
    #expect(all.count == 3)
    let archive = site.folder.path("archive")
    var rest: [String] = []
    for (day, kept) in [("2026-03-21", 2), ("2026-03-21", 0), ("2026-03-24", 0)] as [(String, Int64)] {
      if isLost, day == "2026-03-24" { try FileManager.default.removeItem(atPath: archive) }
      rest = try lines("out/skan_postbacks")
      let start = try #require(Timestamp("\(day)T00:00:00Z"))
      let age = (Timestamp.now.milliseconds - start.milliseconds) / 86_400_000
      let words = ["retain", "--out", site.out, "--older-than", "\(age)d", "--archive", archive, "--trust-clock"]
      let result = try await BuiltCommand.run(words + ["--json"])
      #expect(result.status == 0, "\(result.errorText)")
      #expect(try JSONValue(parsing: result.output)["kept_rows"] == .integer(kept))
      #expect(try await site.command(["state", "check", site.out]) == "sound\n")
      try await site.night(site.out)
    }
    #expect(rest.count == 2 && rest.allSatisfy(all.contains))
    #expect(try lines("out/skan_postbacks") == [])
    #expect(try lines("archive/skan_postbacks") == (isLost ? rest : all))
  }

  @Test func `are where a follower expects them`() async throws {
    let site = try await Site([])
    try await site.night(site.out)
    let state = "\(site.out)/_state"
    var cursor: TableCursor?
    for try await element in TableFeed(.postbacks, in: site.out, state: state) {
      if cursor == nil { cursor = element.cursor }
    }
    let first = try #require(cursor)
    _ = try await site.retain("2026-03-21")
    var rows = 0
    for try await element in TableFeed(.postbacks, in: site.out, state: state, after: first) {
      rows += element.rows.rows.count
      #expect(element.missed.count == 0)
    }
    #expect(rows == 2)
  }
}
