import JSON
import TestSupport
import Testing

/// `postback asa import`, and the line of Apple Search Ads in `postback daily`.
@Suite struct SearchAdsCommandTests {
  private static let payloads = """
    {"received_at":"2026-03-10T10:00:00Z","token":"a","payload":{"attribution":true,"campaignId":5,"conversionType":"Download",\
    "clickDate":"2026-03-09T17:17Z","countryOrRegion":"US"}}
    {"received_at":"2026-03-10T11:00:00Z","token":"b","payload":{"attribution":true,"campaignId":5,"conversionType":"Redownload",\
    "claimType":"Impression","impressionDate":"2026-03-09T17:17Z","countryOrRegion":"US"}}
    {"received_at":"2026-03-10T11:00:00Z","token":"b","payload":{"attribution":true,"campaignId":6}}
    {"received_at":"2026-03-11T11:00:00Z","token":"c","payload":{"attribution":false}}
    {"received_at":"2026-03-11T11:00:00Z","token":"d","payload":{"attribution":true,"orgId":1234567890,\
    "campaignId":1234567890,"adGroupId":1234567890}}
    broken

    """

  private func rows(_ folder: TemporaryFolder, _ table: String) throws -> [JSONValue] {
    try folder.contents(of: "out/\(table)/part-00000001.jsonl").split(separator: UInt8(ascii: "\n"))
      .map { try JSONValue(parsing: Array($0)) }
  }

  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    _ = try folder.makeFile("payloads.jsonl", holding: Array(Self.payloads.utf8))
    _ = try folder.makeFile("names.csv", holding: Array("level,id,name\ncampaign,5,Spring\n".utf8))
    return folder
  }

  @Test func `an import is repeatable, and each token has one row`() async throws {
    let folder = try folder()
    let words = ["asa", "import", folder.path("payloads.jsonl"), "--out", folder.path("out"), "--json"]
    let first = try await BuiltCommand.run(words + ["--names", folder.path("names.csv")])
    #expect(first.status == 0 && first.errorText.contains("payloads.jsonl: line 6: "))
    let summary = try JSONValue(parsing: Array(first.text.utf8))
    #expect(summary["rows"]?.integer == 5 && summary["attributed"]?.integer == 2 && summary["tests"]?.integer == 1)
    let before = try rows(folder, "asa_attributions")
    #expect(before[0]["campaign_name"] == .string("Spring") && before[1]["campaign_id"]?.integer == 5)
    let again = try await BuiltCommand.run(words + ["--names", folder.path("names.csv")])
    #expect(try JSONValue(parsing: Array(again.text.utf8))["new"]?.integer == 0)
    #expect(try rows(folder, "asa_attributions") == before)
  }

  @Test func `a file with the content of an earlier one is left out`() async throws {
    let folder = try TemporaryFolder()
    let payload = #"{"received_at":"2026-03-10T10:00:00Z","payload":{"attribution":true,"campaignId":5}}"#
    for name in ["a", "b"] { try folder.makeFile(name, holding: Array("\(payload)\n\(payload)\n".utf8)) }
    let files = ["a", "b", "a"].map(folder.path)
    let read = try await BuiltCommand.run(["asa", "import"] + files + ["--out", folder.path("out"), "--json"])
    #expect(try JSONValue(parsing: read.output)["rows"]?.integer == 2, "\(read.text)")
    #expect(read.errorText.contains("\(files[1]) has the same content as \(files[0])"), "\(read.errorText)")
  }

  @Test(arguments: ["gzip", "zstd"]) func `a compressed file is read, and one that is cut is refused`(
    _ program: String
  ) async throws {
    let folder = try folder()
    let text = Array(Self.payloads.utf8)
    let packed = try await BuiltCommand.run(executable: "/usr/bin/env", [program, "-c"], input: text).output
    let words = ["asa", "import", try folder.makeFile("a", holding: packed), "--out", folder.path("out"), "--json"]
    let read = try await BuiltCommand.run(words)
    #expect(try JSONValue(parsing: read.output)["rows"]?.integer == 5, "\(read.errorText)")
    try folder.makeFile("a", holding: packed.dropLast(9))
    let cut = try await BuiltCommand.run(words)
    #expect(cut.status == 65 && cut.errorText.contains("Give the whole file"), "\(cut.errorText)")
  }

  @Test(arguments: ["import", "exchange"])
  func `a file that is no text, or CSV, is refused before anything is kept`(_ command: String) async throws {
    let folder = try folder()
    let utf16 = Self.payloads.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    let csv = Array("token,received_at\na,2026-03-10T10:00:00Z\n".utf8)
    for bytes in [csv, [0xFF, 0xFE] + utf16, [0x42, 0x5A, 0x68, 0]] {
      let paths = [folder.path("payloads.jsonl"), try folder.makeFile("a", holding: bytes)]
      let refused = try await BuiltCommand.run(["asa", command] + paths + ["--out", folder.path("out")])
      #expect(refused.status == 65 && refused.errorText.contains("\(paths[1]): The file is "), "\(refused.errorText)")
      #expect(throws: (any Error).self) { try folder.contents(of: "out/_asa/journal.jsonl") }
    }
  }

  @Test func `equal records in several files count once, which a warning says`() async throws {
    let folder = try TemporaryFolder()
    let payload = #"{"received_at":"2026-03-10T10:00:00Z","payload":{"attribution":true,"campaignId":5}}"#
    for count in [2, 3] {
      try folder.makeFile("\(count)", holding: Array(String(repeating: payload + "\n", count: count).utf8))
    }
    for names in [["2"], ["3"], ["2", "3"], ["3", "2"]] {
      let words = ["asa", "import"] + names.map(folder.path) + ["--out", folder.path("out"), "--json"]
      let read = try await BuiltCommand.run(words)
      #expect(try JSONValue(parsing: read.output)["rows"]?.integer == (names == ["2"] ? 2 : 3))
      let isWarned = read.errorText.contains("2 records without a token have the time")
      #expect(isWarned == (names.count > 1), "\(read.errorText)")
    }
  }

  @Test func `an array on one line has a record in each element`() async throws {
    let folder = try TemporaryFolder()
    let payload = #"{"received_at":"2026-03-10T10:00:00Z","token":"t","payload":{"attribution":false}}"#
    let other = payload.replacing(#""t""#, with: #""u""#)
    try folder.makeFile("a", holding: Array("[\(payload),\(other)]\n[]\n[1]\n\(payload)\n".utf8))
    let read = try await BuiltCommand.run(["asa", "import", folder.path("a"), "--out", folder.path("out"), "--json"])
    let summary = try JSONValue(parsing: Array(read.text.utf8))
    #expect(summary["rows"]?.integer == 3 && summary["by_outcome"]?["malformed"]?.integer == 1, "\(read.text)")
    #expect(try rows(folder, "asa_attributions").map { $0["source_line"]?.integer } == [1, 1, 3])
  }

  @Test func `a byte order mark is no part of the first record`() async throws {
    let folder = try TemporaryFolder()
    let payload = #"{"received_at":"2026-03-10T10:00:00Z","token":"t","payload":{"attribution":true,"campaignId":5}}"#
    try folder.makeFile("a", holding: [0xEF, 0xBB, 0xBF] + Array(payload.utf8))
    let read = try await BuiltCommand.run(["asa", "import", folder.path("a"), "--out", folder.path("out"), "--json"])
    #expect(try JSONValue(parsing: read.output)["attributed"]?.integer == 1, "\(read.errorText)")
  }

  @Test func `of two payloads of a token the newer one counts, whatever the order of files`() async throws {
    let folder = try TemporaryFolder()
    for (day, name) in [(10, "a"), (11, "b")] {
      let text = """
        {"received_at":"2026-03-\(day)T10:00:00Z","token":"t","payload":{"attribution":true,"campaignId":\(day)}}

        """
      _ = try folder.makeFile(name, holding: Array(text.utf8))
    }
    for names in [["a", "b"], ["b", "a"]] {
      let out = names.joined()
      let words = ["asa", "import"] + names.map(folder.path) + ["--out", folder.path(out)]
      let summary = try JSONValue(parsing: Array(try await BuiltCommand.run(words + ["--json"]).text.utf8))
      #expect(summary["rows"]?.integer == 1 && summary["new"]?.integer == 1 && summary["superseded"]?.integer == 1)
      let row = try JSONValue(parsing: folder.contents(of: "\(out)/asa_attributions/part-00000001.jsonl"))
      #expect(row["campaign_id"]?.integer == 11)
      let again = try await BuiltCommand.run(words)
      #expect(again.text.contains("superseded by another payload of the token  1"), "\(again.text)")
    }
  }

  @Test func `wrong names are listed with their lines, and nothing is written`() async throws {
    let folder = try folder()
    _ = try folder.makeFile(
      "names.csv",
      holding: Array("level,id,name\ncampain,5,a\nkeyword,x,b\nkeyword,1,\nad,1,a\nad,1,b\n".utf8)
    )
    let words = ["asa", "import", folder.path("payloads.jsonl"), "--out", folder.path("out")]
    let result = try await BuiltCommand.run(words + ["--names", folder.path("names.csv")])
    #expect(result.status == 65 && result.errorText.split(separator: "\n").count == 4, "\(result.errorText)")
    #expect(throws: (any Error).self) { try rows(folder, "asa_attributions") }
  }

  @Test func `the line of Search Ads leaves all sums of postbacks as they are`() async throws {
    let folder = try folder()
    let run = ["run", Fixtures.path("postbacks"), "--models", Fixtures.path("models"), "--out", folder.path("out")]
    #expect(try await BuiltCommand.run(run + ["--received-at", "2026-03-10T06:00:00Z"]).status == 0)
    let daily = ["daily", folder.path("out"), "--json"]
    let before = try JSONValue(parsing: Array(try await BuiltCommand.run(daily).text.utf8))
    #expect(before["apple_search_ads"] == .null)
    let tables = ["skan_daily", "skan_daily_events", "skan_modelled"]
    let sums = try tables.map { try rows(folder, $0) }

    let words = ["asa", "import", folder.path("payloads.jsonl"), "--out", folder.path("out")]
    #expect(try await BuiltCommand.run(words + ["--names", folder.path("names.csv")]).status == 0)
    let after = try JSONValue(parsing: Array(try await BuiltCommand.run(daily).text.utf8))
    #expect(try tables.map { try rows(folder, $0) } == sums)
    for key in ["postbacks", "windows", "rows", "revenue", "changes"] { #expect(after[key] == before[key], "\(key)") }
    #expect(try rows(folder, "skan_daily_changes") == [])

    let line = try #require(after["apple_search_ads"])
    #expect(line["conversions"]?.integer == 2 && line["installs"]?.integer == 1 && line["tests_left_out"]?.integer == 1)
    #expect(line["conversions_click"]?.integer == 1 && line["conversions_view"]?.integer == 1)
    #expect(line["note"]?.text == "asa_overlap_unknown")
    let row = try #require(try rows(folder, "asa_daily").first)
    #expect(row["date"]?.text == "2026-03-10" && row["network_name"]?.text == "Apple Search Ads")
    #expect(
      row["campaign_name"]?.text == "Spring" && row["conversions"]?.integer == 2 && row["redownloads"]?.integer == 1
    )
  }

  @Test func `a wrong command line and a missing file end with their statuses`() async throws {
    let folder = try folder()
    #expect(try await BuiltCommand.run(["asa", "import", folder.path("payloads.jsonl")]).status == 64)
    #expect(
      try await BuiltCommand.run(["asa", "import", folder.path("none"), "--out", folder.path("out")]).status == 66
    )
    let words = ["asa", "exchange", folder.path("payloads.jsonl"), "--out", folder.path("out"), "--endpoint"]
    for endpoint in ["ftp://a", "https://", "http:///a", "a"] {
      #expect(try await BuiltCommand.run(words + [endpoint]).status == 64, "\(endpoint)")
    }
  }

  @Test func `the page has attributions by campaign, keyword, country and day, and nothing without them`() async throws
  {
    let folder = try folder()
    let (out, page) = (folder.path("out"), folder.path("page.html"))
    let run = ["run", Fixtures.path("postbacks"), "--models", Fixtures.path("models"), "--out", out]
    #expect(try await BuiltCommand.run(run + ["--received-at", "2026-03-10T06:00:00Z"]).status == 0)
    func text() async throws -> String {
      #expect(try await BuiltCommand.run(["report", out, "--html", page, "--force"]).status == 0)
      return String(decoding: try folder.contents(of: "page.html"), as: UTF8.self)
    }
    let without = try await text()
    #expect(!without.contains("Apple Search Ads"))
    let words = ["asa", "import", folder.path("payloads.jsonl"), "--out", out, "--names", folder.path("names.csv")]
    #expect(try await BuiltCommand.run(words).status == 0)
    let found = try await text()
    #expect(found.contains(##"<a href="#search-ads">"##) && found.contains(#"<h2 id="search-ads">"#))
    #expect(found.contains("Payloads without an attribution: 1. Payloads of tests, which are left out: 1."))
    let counts = [2, 1, 1, 0, 1, 1].map { "<td class=\"number\">\($0)</td>" }.joined()
    for title in ["Spring</th><td>5</td>", "US</th>", "2026-03-10</th>"] {
      #expect(found.contains("<th scope=\"row\">\(title)\(counts)"), "\(title)")
    }
  }
}
