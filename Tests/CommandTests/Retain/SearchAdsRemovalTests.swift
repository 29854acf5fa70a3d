import Base
import Foundation
import JSON
import TestSupport
import Testing

/// `postback forget` and `postback retain` on `asa_attributions`, in an output without a state.
@Suite struct `The removal of attributions of Apple Search Ads` {
  private struct Site {
    let folder: TemporaryFolder
    let out: String

    /// Imports payloads of three tokens that are 400, 10 and 1 days old, one without a time, and one that is malformed.
    init() async throws {
      folder = try TemporaryFolder()
      out = folder.path("out")
      var text = ""
      for (token, age) in [("old-token", 400), ("mid-token", 10), ("new-token", 1)] {
        let time = Timestamp(milliseconds: Timestamp.now.milliseconds - Int64(age) * 86_400_000)
        text += """
          {"received_at":"\(time)","token":"\(token)","payload":{"attribution":true,"campaignId":5,"adId":\(age)}}

          """
      }
      text += #"{"payload":{"attribution":false}}"# + "\nbroken mid-token\n"
      try folder.makeFile("payloads.jsonl", holding: Array(text.utf8))
      let words = ["asa", "import", folder.path("payloads.jsonl"), "--out", out, "--format", "both"]
      #expect(try await BuiltCommand.run(words).status == 0)
    }

    func lines(_ path: String) throws -> [String] {
      String(decoding: try folder.contents(of: "out/\(path)"), as: UTF8.self).split(whereSeparator: \.isNewline).map(
        String.init
      )
    }

    func run(_ words: [String]) async throws -> JSONValue {
      let result = try await BuiltCommand.run(words + ["--out", out, "--json"])
      #expect(result.status == 0, "\(result.errorText)")
      return try JSONValue(parsing: result.output)
    }
  }

  private static let table = "asa_attributions/part-00000001.jsonl"
  private static let journal = "_asa/journal.jsonl"

  @Test func `forget warns if no row has the token or the key`() async throws {
    let site = try await Site()
    let first = try #require(try site.lines(Self.table).first { $0.contains(#""ad_id":400,"#) })
    let key = try #require(try JSONValue(parsing: Array(first.utf8))["attribution_key"]?.text)
    for (option, value, isFound) in [
      ("token", key, false), ("key", String(repeating: "0", count: 32), false), ("key", key, true), ("key", key, false),
      ("token", "mid-token", true),
    ] {
      let result = try await BuiltCommand.run(["forget", "--out", site.out, "--attribution-\(option)", value])
      let isWarned = result.errorText.contains("No row of asa_attributions has the token")
      #expect(result.status == 0 && isWarned != isFound, "\(option) \(value) \(result.errorText)")
    }
  }

  @Test func `forget leaves nothing of a token, and everything else as it was`() async throws {
    let site = try await Site()
    let (table, journal) = (try site.lines(Self.table), try site.lines(Self.journal))
    let summary = try await site.run(["forget", "--attribution-token", "mid-token"])
    #expect(summary["asa_rows"]?.integer == 2)
    func isOther(_ line: String) -> Bool { !line.contains(#""ad_id":10,"#) && !line.contains("broken") }
    #expect(try site.lines(Self.table) == table.filter(isOther))
    #expect(try site.lines(Self.journal) == journal.filter(isOther))
    let records = try site.folder.contents(of: "out/asa_attributions/part-00000001.csv").split(
      separator: UInt8(ascii: "\n")
    )
    #expect(records.count == 4)
    #expect(try await site.run(["forget", "--attribution-token", "mid-token"])["asa_rows"]?.integer == 0)
  }

  @Test func `forget leaves the flags of other rows in CSV as they were`() async throws {
    let site = try await Site()
    let payload = #"{"attribution":true,"campaignId":"7","clickDate":5,"claimType":"Look"}"#
    let line = #"{"received_at":"2026-03-01T00:00:00Z","token":"other-token","payload":\#(payload)}"#
    try site.folder.makeFile("flagged.jsonl", holding: Array("\(line)\n".utf8))
    let words = ["asa", "import", site.folder.path("flagged.jsonl"), "--out", site.out, "--format", "both"]
    #expect(try await BuiltCommand.run(words).status == 0)
    let name = "asa_attributions/part-00000001.csv"
    let before = try site.lines(name).filter { $0.contains("coerced_values;") }
    #expect(before.count == 1)
    #expect(try await site.run(["forget", "--attribution-token", "mid-token"])["asa_rows"]?.integer == 2)
    #expect(try site.lines(name).filter { $0.contains("coerced_values;") } == before)
  }

  @Test func `forget finds a row by its key`() async throws {
    let site = try await Site()
    let row = try JSONValue(parsing: Array(try #require(try site.lines(Self.table).first).utf8))
    let key = try #require(row["attribution_key"]?.text)
    #expect(try await site.run(["forget", "--attribution-key", key.uppercased()])["asa_rows"]?.integer == 1)
    #expect(try site.lines(Self.table).count == 4)
    #expect(try site.lines(Self.journal).allSatisfy { !$0.contains(key) })
  }

  @Test func `daily says which attributions came after those of their days were removed`() async throws {
    let site = try await Site()
    let run = ["run", Fixtures.path("postbacks"), "--models", Fixtures.path("models"), "--out", site.out]
    #expect(try await BuiltCommand.run(run).status == 0)
    func daily() async throws -> (conversions: Int64?, errors: String) {
      let result = try await BuiltCommand.run(["daily", site.out, "--json"])
      return (try JSONValue(parsing: result.output)["apple_search_ads"]?["conversions"]?.integer, result.errorText)
    }
    #expect(try await daily().conversions == 3)
    let words = ["retain", "--older-than", "30d", "--tables", "asa_attributions", "--yes-remove-all"]
    #expect(try await site.run(words)["asa_rows"]?.integer == 1)
    let kept = try await daily()
    #expect(kept.conversions == 3 && !kept.errors.contains("because of their age"), "\(kept)")
    _ = try await site.run(["asa", "import", site.folder.path("payloads.jsonl")])
    let told = try await daily()
    #expect(told.conversions == 3 && told.errors.contains("1 attribution was received before"), "\(told)")
  }

  @Test func `retain waits until daily has counted`() async throws {
    let site = try await Site()
    let run = ["run", Fixtures.path("postbacks"), "--models", Fixtures.path("models"), "--out", site.out]
    #expect(try await BuiltCommand.run(run).status == 0)
    let time = Timestamp(milliseconds: Timestamp.now.milliseconds - 40 * 86_400_000)
    let late = #"{"received_at":"\#(time)","token":"late","payload":{"attribution":true,"campaignId":5}}"#
    try site.folder.makeFile("late.jsonl", holding: Array(late.utf8))
    let daily = ["daily", site.out, "--json"]
    #expect(try await BuiltCommand.run(daily).status == 0)
    _ = try await site.run(["asa", "import", site.folder.path("late.jsonl")])
    let words = ["retain", "--older-than", "30d", "--tables", "asa_attributions", "--yes-remove-all"]
    let waits = try await site.run(words)
    #expect(waits["asa_rows"]?.integer == 0, "\(waits)")
    #expect(waits["waiting"] == .array([.object([.init("follower", .string("daily")), .init("rows", .integer(1))])]))
    #expect(try await BuiltCommand.run(daily).status == 0)
    #expect(try await site.run(words)["asa_rows"]?.integer == 2)
    let counted = try JSONValue(parsing: try await BuiltCommand.run(daily).output)
    #expect(counted["apple_search_ads"]?["conversions"]?.integer == 4)
    // What is imported for these days later is never counted, so nothing waits for it.
    _ = try await site.run(["asa", "import", site.folder.path("late.jsonl")])
    #expect(try await site.run(words)["asa_rows"]?.integer == 1)
  }

  @Test func `retain removes what is older, and keeps rows without a time`() async throws {
    let site = try await Site()
    let words = ["retain", "--older-than", "30d", "--tables", "asa_attributions", "--yes-remove-all"]
    #expect(try await site.run(words)["asa_rows"]?.integer == 1)
    #expect(try site.lines(Self.table).count == 4)
    #expect(try site.lines(Self.journal).count == 4)
    let summary = try site.folder.contents(of: "out/asa_attributions/_summary.json")
    #expect(try JSONValue(parsing: summary)["rows"]?.integer == 4)
    #expect(try await site.run(words)["asa_rows"]?.integer == 0)
  }
}
