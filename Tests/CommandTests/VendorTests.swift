import Foundation
import JSON
import TestSupport
import Testing

/// The comparison of vendors' exports with the postbacks that Apple signed, by `daily`, `refresh`, `settle` and the page.
@Suite struct `Exports of vendors beside what Apple signed` {
  private let folder: TemporaryFolder
  private var out: String { folder.path("out") }

  init() throws { folder = try TemporaryFolder() }

  @discardableResult
  private func call(_ words: [String]) async throws -> String {
    let result = try await BuiltCommand.run(words)
    #expect(result.status == 0, "\(words.prefix(2)): \(result.errorText)")
    return result.text
  }

  private func json(_ words: [String]) async throws -> JSONValue {
    try JSONValue(parsing: Array(try await call(words + ["--json"]).utf8))
  }

  private func rows(_ table: String = "skan_vendor_daily", in output: String = "out") throws -> [Object] {
    Object.lines(try folder.contents(of: "\(output)/\(table)/part-00000001.jsonl"))
  }

  private func runBranch() async throws {
    let words = ["run", Fixtures.path("inputs/branch.csv"), "--mapping", "branch", "--models", Fixtures.path("models")]
    try await call(words + ["--out", out])
  }

  private func importBranch() async throws {
    try await call(["import", Fixtures.path("inputs/unsigned-branch.csv"), "--mapping", "branch", "--out", out])
  }

  private func importText(_ text: String, _ vendor: String, _ options: [String] = []) async throws {
    let path = try folder.makeFile("\(vendor).csv", holding: Array(text.utf8))
    try await call(["import", path, "--vendor", vendor, "--out", out] + options)
  }

  @Test func `keep what they say, and say what cannot be read`() async throws {
    let text = """
      date,network,app,transaction_id,revenue,currency
      2026-03-09,TikTok,,,1,USD
      2026-03-09,TikTok,id525463029,6AAF,10.333333333333334, usd
      2026-03-09,TikTok,525463029,6aaf,10.333333333333334,USD
      2026-03-09,TikTok,1,,5,US$
      2026-03-09,TikTok,2,,7,
      2026-03-09,TikTok,3

      """
    let path = try folder.makeFile("a.csv", holding: Array(text.utf8))
    let words = ["import", path, "--vendor", "v", "--out", out, "--currency", "EUR"]
    let result = try await BuiltCommand.run(words)
    #expect(result.status == 0, "\(result.errorText)")
    for text in [
      "line 2: The record names no app and no id of an ad network", "line 7: The record is no JSON object",
      "1 rows have revenue in no currency, or in one that cannot be read",
    ] {
      #expect(result.errorText.contains(text), "\(result.errorText)")
    }
    let rows = try rows("skan_imported")
    #expect(rows.map { $0["app_id"] } == ["525463029", "1", "2"])
    #expect(rows.map { $0["revenue"] } == ["10.333333", "5", "7"])
    #expect(rows.map { $0["currency"] } == [#""USD""#, "null", #""EUR""#])
    #expect(try await json(words)["without_currency"]?.integer == 1)
  }

  @Test func `have whole counts, or are no rows`() async throws {
    let text = """
      date,network,app,count
      2026-03-09,com.example,525463029,1200.0
      2026-03-10,com.example,525463029,"1,200"
      2026-03-11,com.example,525463029,-1
      12/03/2026,com.example,525463029,5
      ,com.example,525463029,7

      """
    let path = try folder.makeFile("sums.csv", holding: Array(text.utf8))
    let result = try await BuiltCommand.run(["import", path, "--vendor", "sums", "--out", out])
    #expect(result.status == 0, "\(result.errorText)")
    for text in ["line 3: 1,200 is no count", "line 4: -1 is no count", "1 rows have a date that cannot be read"] {
      #expect(result.errorText.contains(text), "\(result.errorText)")
    }
    #expect(try rows("skan_imported").map { $0["count"] } == ["1200", "5", "7"])
  }

  @Test func `are compared by day and campaign, and change no other table`() async throws {
    try await runBranch()
    try await call(["settle", out])
    let before = try await json(["daily", out])
    let tables = ["skan_daily", "skan_daily_events", "skan_modelled", "skan_settled"]
    let sums = try tables.map { try folder.contents(of: "out/\($0)/part-00000001.jsonl") }
    #expect(before["vendors"]?.elements == [])
    try await importBranch()
    let after = try await json(["daily", out])
    #expect(try tables.map { try folder.contents(of: "out/\($0)/part-00000001.jsonl") } == sums)
    for key in ["postbacks", "windows", "rows", "revenue", "changes"] { #expect(after[key] == before[key], "\(key)") }
    let compared = try rows().map { row in
      ["source_identifier", "campaign_id", "imported", "verified", "difference", "matched", "values_equal"].map {
        row[$0] ?? ""
      }
    }
    #expect(
      compared == [
        ["null", "42", "1", "1", "0", "1", "1"], [#""39""#, "null", "1", "0", "1", "0", "0"],
        [#""5239""#, "null", "1", "0", "1", "0", "0"], ["null", "42", "1", "1", "0", "1", "1"],
      ]
    )
    for row in try rows() { #expect(row.string("date") == "2026-03-05" && row["postback_sequence_index"] == "0") }
    let settled = try await json(["settle", out])
    let agreement = try #require(settled["vendors"]?.elements?.first)
    #expect(agreement["transactions"]?.integer == 4 && agreement["matched"]?.integer == 2)
  }

  @Test func `of several vendors stay beside each other, with revenue in exact amounts`() async throws {
    try await runBranch()
    try await importBranch()
    let columns = "received_at,app_id,ad_network_id,campaign_id,count,revenue,currency\n"
    let text = columns + "2026-03-05,525463029,COM.example,42,3,0.1,usd\n2026-03-05,525463029,com.example,42,2,0.2,\n"
    try await importText(
      text + "2026-03-06,525463029,com.example,7,1,5,EUR\n2026-03-06,1,com.example,7,1,x,EUR\n",
      "acme",
      ["--currency", "USD"]
    )
    let report = try await json(["daily", out])
    #expect(report["vendors"]?.elements?.map { $0["vendor"]?.text } == ["acme", "branch"])
    let found = try rows().filter { $0.string("vendor") == "acme" }
    #expect(found.map { $0["imported"] } == ["5", "1", "1"] && found.map { $0["verified"] } == ["1", "0", "0"])
    #expect(found[0]["imported_revenue"] == "0.3" && found[0]["verified_revenue"] == "8.75")
    #expect(found.map { $0.string("currency") } == ["USD", nil, "EUR"])
    #expect(found[1]["app_id"] == "1" && found[1]["imported_revenue"] == "null" && found[2]["imported_revenue"] == "5")
    // Importing one vendor again replaces its rows alone.
    try await importText(columns + "2026-03-05,525463029,com.example,42,1,,\n", "acme")
    #expect(
      try rows("skan_imported").map { $0.string("vendor") } == ["acme"] + [String?](repeating: "branch", count: 4)
    )
  }

  @Test func `without days, windows or networks are compared over all of them`() async throws {
    try await runBranch()
    try await importText("app_id,count\n525463029,5\n", "sums")
    let report = try await json(["daily", out])
    let row = try #require(try rows().first)
    #expect(row["imported"] == "5" && row["verified"] == "2" && row["date"] == "null" && row["ad_network_id"] == "null")
    #expect(report["vendors"]?.elements?.first?["counts_not_tested"]?.text == "no_days")
  }

  @Test func `that name networks only by names are compared with no other network, unless a lookup table has the name`()
    async throws
  {
    try await runBranch()
    let sums = "date,network,app,count\n2026-03-05,Acme,525463029,5\n"
    try await importText(sums, "names")
    try await importText(sums + "2026-03-05,com.example.skadnetwork,525463029,1\n2026-03-05,,525463029,7\n", "mixed")
    let result = try await BuiltCommand.run(["daily", out, "--json"])
    #expect(result.errorText.contains("names has 1 row whose ad network is not known by an id, such as Acme."))
    #expect(result.errorText.contains("mixed has 2 rows whose ad network is not known"), "\(result.errorText)")
    let vendors = try #require(try JSONValue(parsing: result.output)["vendors"]?.elements)
    #expect(vendors.map { $0["imported"]?.integer } == [1, 0] && vendors.map { $0["verified"]?.integer } == [0, 0])
    #expect(vendors.map { $0["unmatched"]?["network_not_known"]?.integer } == [2, 1])
    #expect(vendors.last?["counts_not_tested"]?.text == "not_matched")
    #expect(try rows().map { $0.string("vendor") } == ["mixed"])
    let lookups = folder.path("lookups")
    try FileManager.default.createDirectory(atPath: lookups, withIntermediateDirectories: false)
    try folder.makeFile("lookups/networks.csv", holding: Array("ad_network_id,network_name\ncom.example,acme\n".utf8))
    let report = try await json(["daily", out, "--lookups", lookups])
    let named = try #require(report["vendors"]?.elements?.last)
    #expect(named["imported"]?.integer == 5 && named["verified"]?.integer == 1, "\(named)")
    #expect(named["unmatched"]?["network_not_known"]?.integer == 0)
    #expect(try rows().last?.string("ad_network_id") == "com.example")
  }

  @Test func `whose windows or apps cannot be read are not taken for others`() async throws {
    try await runBranch()
    let header = "date,app,postback_sequence_index,count\n"
    try await importText(header + "2026-03-05,525463029,1,1\n2026-03-05,525463029,3,1\n", "windows")
    try await importText(header + "2026-03-05,525463029,0,1\n2026-03-05,525463029,None,1\n", "absent")
    try await importText("date,ad_network_id,app,count\n2026-03-05,com.example,Shop,4\n", "apps")
    let result = try await BuiltCommand.run(["daily", out, "--json"])
    #expect(result.errorText.contains("windows has 1 row with a conversion window that cannot be read"))
    #expect(result.errorText.contains("apps has 1 row whose app is not known"), "\(result.errorText)")
    let found = try rows().map { row in
      ["vendor", "postback_sequence_index", "imported", "verified"].map { row[$0] ?? "" }
    }
    #expect(found == [[#""absent""#, "0", "2", "2"], [#""windows""#, "null", "2", "2"]])
  }

  @Test func `are matched with postbacks of the chosen environments alone`() async throws {
    try await runBranch()
    try await importBranch()
    let report = try await json(["daily", out, "--environment", "custom"])
    let vendor = try #require(report["vendors"]?.elements?.first)
    #expect(vendor["transactions"]?.integer == 4 && vendor["verified"]?.integer == 0)
    #expect(vendor["matched"]?.integer == 0 && vendor["values_equal"]?.integer == 0, "\(vendor)")
  }

  @Test func `are compared again each night, and the result is that of all rows at once`() async throws {
    let reporting = folder.path("reporting")
    let dump = try await GeneratedDump(
      count: 1500,
      seed: 4,
      options: ["--campaigns", "6", "--days", "9", "--reporting", reporting]
    )
    let lines = dump.bytes.split(separator: UInt8(ascii: "\n"))
    let models = ["--models", "\(reporting)/models"] + dump.keys
    for (name, part) in [("first", lines[..<700]), ("second", lines[700...])] {
      _ = try folder.makeFile(name, holding: Array(part.joined(separator: [UInt8(ascii: "\n")])))
    }
    func export(_ output: String) async throws {
      try await call(["import", folder.path("export.csv"), "--vendor", "acme", "--out", folder.path(output)])
    }
    for output in ["out", "whole"] {
      try await call(["run", folder.path("first"), "--format", "both", "--out", folder.path(output)] + models)
      guard output == "out" else { continue }
      let text = try folder.contents(of: "out/skan_postbacks/part-00000001.csv")
      _ = try folder.makeFile("export.csv", holding: text)
      try await export(output)
      try await call(["settle", out])
      try await call(["daily", out, "--environment", "custom"])
      #expect(try rows().contains { $0["verified"] != "0" })
    }
    func refreshed() async throws -> [String?] {
      let report = try await json(["refresh", out])
      return report["steps"]?.elements?.filter { $0["step"]?.text == "daily" }.map { $0["state"]?.text } ?? []
    }
    #expect(try await refreshed() == ["current"])
    try await call(["run", folder.path("second"), "--format", "both", "--out", out] + models)
    #expect(try await refreshed() == ["made"])
    try await export("out")
    #expect(try await refreshed() == ["made"])
    // All of it at once, and nothing kept from before.
    try await call(["run", folder.path("second"), "--format", "both", "--out", folder.path("whole")] + models)
    try await export("whole")
    try await call(["settle", folder.path("whole")])
    try await call(["daily", folder.path("whole"), "--environment", "custom"])
    let table = "skan_vendor_daily/part-00000001.jsonl"
    #expect(try folder.contents(of: "out/\(table)") == folder.contents(of: "whole/\(table)"))
    // The verified sums are those of the daily report.
    let days = try rows("skan_daily").filter { $0.string("date_type") == "received" }
    let daily = try Dictionary(
      days.map { (try #require($0["date"]), try #require(Int($0["postbacks_won"] ?? ""))) },
      uniquingKeysWith: +
    )
    let verified = try Dictionary(
      rows().map { (try #require($0["date"]), try #require(Int($0["verified"] ?? ""))) },
      uniquingKeysWith: +
    )
    let exported = verified.keys.sorted()
    #expect(exported.count > 5 && exported.dropFirst().dropLast().allSatisfy { verified[$0] == daily[$0] })
    // Without rows of vendors the table is empty, and not what it was.
    try FileManager.default.removeItem(atPath: folder.path("out/skan_imported"))
    #expect(try await refreshed() == ["made"])
    #expect(try folder.contents(of: "out/\(table)").isEmpty)
  }

  @Test func `that differ beyond chance are said to, with innocent reasons first, and equal ones are not`() async throws
  {
    let reporting = folder.path("reporting")
    let dump = try await GeneratedDump(
      count: 3000,
      seed: 2,
      options: ["--campaigns", "6", "--days", "20", "--reporting", reporting]
    )
    let path = try folder.makeFile("dump", holding: dump.bytes)
    try await call(["run", path, "--format", "both", "--out", out, "--models", "\(reporting)/models"] + dump.keys)
    let text = String(decoding: try folder.contents(of: "out/skan_postbacks/part-00000001.csv"), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline)
    try await importText(lines.joined(separator: "\n") + "\n", "same")
    let doubled = lines.enumerated().flatMap { place, line -> [String] in
      guard place > 0, place % 3 == 0 else { return [String(line)] }
      var fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      fields[4] = "again-\(fields[4])"
      return [String(line), fields.joined(separator: ",")]
    }
    try await importText(doubled.joined(separator: "\n") + "\n", "more")
    let daily = try await call(["daily", out, "--environment", "custom"])
    #expect(daily.contains("The export of more counts ") && !daily.contains("The export of same"), "\(daily)")
    let sentence = try #require(daily.range(of: "The export of more"))
    let reasons = try #require(daily.range(of: "Days of another time zone"))
    #expect(reasons.lowerBound < sentence.lowerBound)
    let signals = try await json(["rejects", out, "--signals"])
    let vendors = try #require(signals["signals"]?["vendors"]?.elements)
    func found(_ vendor: JSONValue) -> Set<String> {
      Set(
        (vendor["tests"]?.elements ?? []).filter { $0["significant"] == .bool(true) }.compactMap { $0["test"]?.text }
      )
    }
    #expect(vendors.map(found) == [["more_postbacks"], []])
    #expect(signals["signals"]?["alarms"]?.elements == [])
    // The page has the sentences, the table and the plot.
    try await call(["report", out, "--html", folder.path("page.html")])
    let page = String(decoding: try folder.contents(of: "page.html"), as: UTF8.self)
    #expect(
      page.contains(##"<a href="#vendors">"##) && page.contains(#"<figure id="vendor-days" data-chart="vendorDays""#)
    )
    #expect(page.contains("The export of more counts") && !page.contains("The export of same counts"))
    #expect(!page.contains("<strong>The export"))
  }

  @Test func `are not compared on days whose postbacks were removed because of their age`() async throws {
    try await runBranch()
    try await importBranch()
    let before = try await json(["daily", out])
    #expect(before["vendors"]?.elements?.first?["verified"]?.integer == 2)
    let words = ["retain", "--out", out, "--older-than", "30d", "--tables", "skan_postbacks,skan_events,skan_rejects"]
    try await call(words + ["--yes-remove-all", "--without-waiting"])
    let after = try await json(["daily", out])
    let vendor = try #require(after["vendors"]?.elements?.first)
    #expect(vendor["before_removed_days"]?.integer == 4 && vendor["imported"]?.integer == 0, "\(vendor)")
    #expect(try rows().isEmpty)
  }

  @Test func `are no section of a page without an import`() async throws {
    try await runBranch()
    try await call(["daily", out])
    try await call(["report", out, "--html", folder.path("page.html")])
    let page = String(decoding: try folder.contents(of: "page.html"), as: UTF8.self)
    #expect(!page.contains("id=\"vendors\""))
    #expect(!FileManager.default.fileExists(atPath: folder.path("out/skan_vendor_daily")))
  }
}
