import Foundation
import JSON
import TestSupport
import Testing

@Suite struct `postback import --out` {
  private let folder: TemporaryFolder
  private var out: String { folder.path("out") }

  init() throws { folder = try TemporaryFolder() }

  private func run(_ inputs: [String], _ options: [String]) async throws -> (counts: JSONValue, errors: String) {
    let result = try await BuiltCommand.run(["import"] + inputs + ["--out", out, "--json"] + options)
    #expect(result.status == 0, "\(result.errorText)")
    return (try JSONValue(parsing: result.output), result.errorText)
  }

  private func rows() throws -> [Object] {
    Object.lines(try folder.contents(of: "out/skan_imported/part-00000001.jsonl"))
  }

  private func counts(_ json: JSONValue) -> [Int64] {
    ["read", "imported", "duplicates", "signed", "unreadable"].map { json[$0]?.integer ?? -1 }
  }

  @Test func `writes sums of a vendor with their counts and names`() async throws {
    let (json, _) = try await run([Fixtures.path("inputs/unsigned-appsflyer.csv")], ["--mapping", "appsflyer"])
    #expect(counts(json) == [3, 3, 0, 0, 0] && json["vendor"]?.text == "appsflyer")
    let rows = try rows()
    #expect(
      rows.map { $0["count"] } == ["3", "5", "2"] && rows.map { $0["conversion_value"] } == ["20", "21", "null"]
    )
    for row in rows {
      #expect(row.string("verification") == "none" && row.string("network_name") == "acme_int")
      #expect(row.string("campaign_name") == "spring" && row["app_id"] == "525463029")
      #expect(row.string("received_at") == "2026-03-05T00:00:00Z" && row["redownload"] == "false")
      #expect(row["extras"] == "{\"geo\":\"US\"}")
    }
    #expect(Set(rows.compactMap { $0.string("import_key") }).count == 3)
  }

  @Test func `has one row for each transaction, and the same rows each time`() async throws {
    let path = Fixtures.path("inputs/unsigned-branch.csv")
    #expect(counts(try await run([path], ["--mapping", "branch"]).counts) == [5, 4, 1, 0, 0])
    let first = try folder.contents(of: "out/skan_imported/part-00000001.jsonl")
    #expect(try rows().map { $0.string("forwarder") } == [String?](repeating: "a_example_ads", count: 4))
    // A second export with the same rows changes nothing but the place of none.
    let copy = try folder.makeFile("copy.csv", holding: Fixtures.bytes("inputs/unsigned-branch.csv") + [0x0A])
    #expect(counts(try await run([path, copy], ["--mapping", "branch"]).counts) == [10, 4, 6, 0, 0])
    #expect(try folder.contents(of: "out/skan_imported/part-00000001.jsonl") == first)
    // One that says something else is told, and the first row counts.
    let text = String(decoding: Fixtures.bytes("inputs/unsigned-branch.csv"), as: UTF8.self)
      .replacing("m2,1772704800000,a", with: "m2,1772704800000,b")
    try folder.makeFile("other.csv", holding: Array(text.utf8))
    let (other, errors) = try await run([path, folder.path("other.csv")], ["--mapping", "branch"])
    #expect(other["differing"]?.integer == 1 && errors.contains("1 rows differ from an earlier row"), "\(errors)")
    #expect(try folder.contents(of: "out/skan_imported/part-00000001.jsonl") == first)
    // Equal rows without a transaction are different ones.
    let singular = Fixtures.path("inputs/unsigned-singular.csv")
    #expect(counts(try await run([singular], ["--mapping", "singular"]).counts) == [2, 2, 0, 0, 0])
    let keys = try rows().filter { $0.string("vendor") == "singular" }.compactMap { $0.string("import_key") }
    #expect(Set(keys).count == 2)
    // The rows of another vendor stay.
    #expect(try rows().count == 6)
  }

  @Test func `never takes a signed postback, and no other table takes its rows`() async throws {
    let signed = Fixtures.path("inputs/branch.csv")
    let (json, errors) = try await run([signed, Fixtures.path("inputs/unsigned-branch.csv")], ["--mapping", "branch"])
    #expect(counts(json) == [7, 4, 1, 2, 0])
    #expect(errors.contains("2 postbacks have a signature and were not imported"), "\(errors)")
    let run = try await BuiltCommand.run(["run", signed, "--mapping", "branch", "--out", out, "--json"])
    let summary = try JSONValue(parsing: run.output)
    #expect(summary["accepted"]?.integer == 2 && summary["rows"]?["skan_postbacks"]?.integer == 2, "\(run.errorText)")
    // Reading the output as an input does not reach the rows, and settlement and daily sums do not either.
    let again = try await BuiltCommand.run(["daily", out, "--json"])
    #expect(again.status == 0, "\(again.errorText)")
    #expect(try JSONValue(parsing: again.output)["postbacks"]?.integer == 2, "\(again.text)")
    let rejected = try await BuiltCommand.run(
      [
        "run", Fixtures.path("inputs/unsigned-branch.csv"), "--mapping", "branch", "--out", folder.path("other"),
        "--json",
      ]
    )
    #expect(try JSONValue(parsing: rejected.output)["by_code"]?["missing_field"]?.integer == 5)
  }

  @Test func `says which records are no rows, and keeps what a column cannot have`() async throws {
    let text = "app_id;conversion_value;skan_version;ip;note\nid1;99;x;192.0.2.7;a\n;1;;;\n2;5;4.0;;\nbroken\n"
    let path = try folder.makeFile("in.csv", holding: Array(text.utf8))
    let (json, errors) = try await run([path], ["--vendor", "house", "--format", "both"])
    #expect(counts(json) == [4, 2, 0, 0, 2])
    #expect(errors.contains("in.csv: line 3: The record names no app and no id of an ad network,"), "\(errors)")
    let row = try #require(try rows().first)
    #expect(row["app_id"] == "1" && row["conversion_value"] == "null" && row.string("vendor") == "house")
    #expect(row["extras"]?.contains("\"conversion-value\":99") == true && row["extras"]?.contains("192.0.2.7") == false)
    #expect(try folder.words(of: "out/skan_imported/part-00000001.csv").first?.hasPrefix("import_key,vendor") == true)
  }

  @Test(arguments: [
    ("appsflyer", "skad_app_id,skad_conversion_value,skad_revenue,currency,count", "525463029,20,100,EUR,4"),
    // Both names for a column: that of the mapping counts, and the other one is kept.
    ("appsflyer", "revenue,skad_app_id,skad_revenue,currency,count", "7,525463029,100,eur,4"),
    ("singular", "SKAN App ID,revenue,currency,count", "525463029,100,EUR,4"),
    ("singular", "SKAN App ID,SKAN Revenue,currency,SKAN Installs", "525463029,100,EUR,4"),
    ("singular", "skan_app_id,skan_revenue,Currency,skan_installs", "525463029,100,EUR,4"),
    ("branch", "body_app_id,revenue,currency,count", "525463029,100,EUR,4"),
    ("adjust-placeholders", "sk_app_id,revenue,currency,count", "525463029,100,EUR,4"),
  ])
  func `takes the revenue, the currency and the count of a row, whatever the mapping and --currency`(
    _ mapping: String,
    _ header: String,
    _ line: String
  ) async throws {
    let path = try folder.makeFile("in.csv", holding: Array("\(header)\n\(line)\n".utf8))
    for options in [[], ["--currency", "USD"]] {
      let (json, errors) = try await run([path], ["--mapping", mapping] + options)
      #expect(json["without_currency"]?.integer == 0 && errors.isEmpty, "\(errors)")
      let row = try #require(try rows().first)
      #expect(row["revenue"] == "100" && row.string("currency") == "EUR" && row["count"] == "4", "\(row)")
      #expect(row["extras"] == (header.hasPrefix("revenue") ? "{\"revenue\":\"7\"}" : "null"), "\(row)")
    }
  }

  @Test func `counts revenue in a currency that ISO 4217 does not have`() async throws {
    let text = "app_id,revenue,currency,count\n525463029,2.5,XXY,1\n525463029,3,usd,1\n"
    let path = try folder.makeFile("in.csv", holding: Array(text.utf8))
    let (json, errors) = try await run([path], ["--vendor", "acme", "--currency", "USD"])
    #expect(
      json["without_currency"]?.integer == 1 && errors.contains("1 rows have revenue in no currency"),
      "\(errors)"
    )
    let found = try rows()
    #expect(found.map { $0["currency"] } == ["null", #""USD""#], "\(found)")
    #expect(found.first?["extras"] == #"{"currency":"XXY"}"#, "\(found)")
  }

  @Test func `a mapping can say that a name of a column is none`() async throws {
    let mapping = #"{"name": "a", "form": "csv", "fields": {"count": null}, "exported": {"sum": "revenue"}}"#
    let file = try folder.makeFile("mapping.json", holding: Array(mapping.utf8))
    let path = try folder.makeFile("in.csv", holding: Array("app_id,count,sum\n525463029,9,2.5\n".utf8))
    let (json, errors) = try await run([path], ["--mapping", file])
    #expect(
      json["without_currency"]?.integer == 1 && errors.contains("1 rows have revenue in no currency"),
      "\(errors)"
    )
    let row = try #require(try rows().first)
    #expect(row["count"] == "1" && row["revenue"] == "2.5" && row["extras"] == "{\"count\":\"9\"}", "\(row)")
  }

  @Test func `refuses a count that is a column of ids`() async throws {
    let text = "day,app,count\n2026-03-05,525463029,1000000000000\n2026-03-05,525463030,99887766554433221\n"
    let path = try folder.makeFile("in.csv", holding: Array(text.utf8))
    let (json, errors) = try await run([path], ["--vendor", "house"])
    #expect(counts(json) == [2, 1, 0, 0, 1])
    #expect(errors.contains("99887766554433221 is no count."), "\(errors)")
    let daily = try await BuiltCommand.run(["daily", out])
    #expect(daily.status == 66, "\(daily.errorText)")
    #expect(daily.errorText.contains("has the table skan_imported, but not the postbacks that Apple signed"))
  }

  @Test func `rows whose transaction is a word for none are of no transaction`() async throws {
    let text = """
      app,network,transaction-id,date
      525463029,a.skadnetwork,N/A,2026-03-05
      525463029,a.skadnetwork,N/A,2026-03-06
      525463029,N/A,NaN,2026-03-06

      """
    let path = try folder.makeFile("in.csv", holding: Array(text.utf8))
    let (json, errors) = try await run([path], ["--vendor", "house"])
    #expect(json["imported"]?.integer == 3 && json["without_count"]?.integer == 3, "\(json) \(errors)")
    #expect(!errors.contains("cannot be read"), "\(errors)")
    #expect(try rows().allSatisfy { $0["transaction_id"] == "null" && $0["extras"] == "null" })
    #expect(try rows().map { $0.string("ad_network_id") }.contains(nil))
    // Other letters of a name, and a number of JSON.
    let lines = #"{"App_ID": 525463029, "ad-network-id": "a.skadnetwork"}"# + "\n"
    let other = try folder.makeFile("in.jsonl", holding: Array(lines.utf8))
    _ = try await run([other], ["--vendor", "house"])
    #expect(try rows().map { $0["app_id"] } == ["525463029"])
  }

  @Test func `counts values that cannot be read, and takes words for no value as none`() async throws {
    let text = """
      app,network,postback_sequence_index,conversion_value,coarse_conversion_value
      525463029.0,a.skadnetwork,P0,CV20,coarse_low
      id525463029,a.skadnetwork,3,NaN,None
      com.example.shop,a.skadnetwork,-1,20.0,LOW

      """
    let path = try folder.makeFile("in.csv", holding: Array(text.utf8))
    let (json, errors) = try await run([path], ["--vendor", "house"])
    let counts = ["app_id", "postback_sequence_index", "conversion_value", "coarse_conversion_value", "campaign_id"]
      .map { json["values_left_out"]?[$0]?.integer }
    #expect(counts == [1, 2, 1, 1, nil], "\(json)")
    #expect(errors.contains("2 rows have a postback_sequence_index that cannot be read, such as P0."), "\(errors)")
    #expect(errors.contains("1 rows have a conversion_value that cannot be read, such as CV20."), "\(errors)")
    let rows = try rows()
    #expect(rows.map { $0["app_id"] } == ["525463029", "525463029", "null"])
    #expect(rows.map { $0["conversion_value"] } == ["null", "null", "20"])
    #expect(rows.map { $0.string("coarse_conversion_value") } == [nil, nil, "low"])
    #expect(rows[1]["extras"] == #"{"postback-sequence-index":3}"#, "\(rows[1])")
    #expect(rows[2]["extras"] == #"{"app":"com.example.shop"}"#, "\(rows[2])")
  }

  @Test func `takes a day with a UTC offset as the export writes it, and a time of receipt in UTC`() async throws {
    let days = ["2026-03-06T00:00:00+08:00", "2026-03-06T23:59:59-05:00", "2026-03-06T13:00:00+08:00", "2026-03-06"]
    let text = "app,date\n" + days.map { "525463029,\($0)\n" }.joined()
    let path = try folder.makeFile("in.csv", holding: Array(text.utf8))
    _ = try await run([path], ["--vendor", "house"])
    let midnight = "2026-03-06T00:00:00Z"
    #expect(try rows().map { $0.string("received_at") } == [midnight, midnight, "2026-03-06T05:00:00Z", midnight])
    let line = #"{"received_at":"2026-03-06T01:00:00+08:00","body":{"app-id":525463029}}"# + "\n"
    let received = try folder.makeFile("in.jsonl", holding: Array(line.utf8))
    _ = try await run([received], ["--vendor", "house"])
    #expect(try rows().map { $0.string("received_at") } == ["2026-03-05T17:00:00Z"])
  }

  @Test func `reads source identifiers as spreadsheets write them, and guesses none`() async throws {
    let ids = ["74.0", "5239.0", "5.00", "0074", "74.5", "74.", "12345.0"]
    let text = "app,source_identifier\n" + ids.map { "525463029,\($0)\n" }.joined()
    let path = try folder.makeFile("in.csv", holding: Array(text.utf8))
    let (json, errors) = try await run([path], ["--vendor", "house"])
    #expect(try rows().map { $0.string("source_identifier") } == ["74", "5239", "05", "0074", nil, nil, nil])
    #expect(json["values_left_out"]?["source_identifier"]?.integer == 3)
    #expect(errors.contains("3 rows have a source_identifier that cannot be read, such as 74.5."), "\(errors)")
  }

  @Test func `leaves out what says something about a person or a device, however it is written`() async throws {
    let text = "app,IP Address,User Agent,geo_ip,IDFA,idfv,E-Mail,Advertising ID,ad_id\n1,a1,b1,c1,d1,e1,f1,g1,h1\n"
    let path = try folder.makeFile("in.csv", holding: Array(text.utf8))
    _ = try await run([path], ["--vendor", "house"])
    #expect(try rows().first?["extras"] == #"{"ad_id":"h1"}"#)
  }

  @Test func `takes plain names of days, networks and apps, and says which revenue is no amount`() async throws {
    let text =
      "day,network,app,campaign_name,count,revenue,currency\n2026-03-05,acme.skadnetwork,525463029,spring,3,9.90,USD\n"
      + "2026-03-06,Acme,525463029,spring,1,-3.50,USD\nyesterday,,525463029,x,1,1e400,USD\n"
    let path = try folder.makeFile("in.csv", holding: Array(text.utf8))
    let (json, errors) = try await run([path], ["--vendor", "house"])
    #expect(counts(json) == [3, 3, 0, 0, 0] && json["revenue_left_out"]?.integer == 2)
    #expect(errors.contains("2 rows have a revenue that is no amount of 0 or more."), "\(errors)")
    let rows = try rows()
    #expect(rows.map { $0.string("received_at") } == ["2026-03-05T00:00:00Z", "2026-03-06T00:00:00Z", nil])
    #expect(rows.map { $0.string("ad_network_id") } == ["acme.skadnetwork", nil, nil])
    #expect(rows.map { $0.string("network_name") } == [nil, "Acme", nil])
    #expect(rows.map { $0["revenue"] } == ["9.9", "null", "null"] && rows.allSatisfy { $0["app_id"] == "525463029" })
    #expect(rows[1]["extras"]?.contains("-3.50") == true && rows[2]["extras"]?.contains("yesterday") == true)
  }

  @Test func `leaves an input out whose content an earlier one has`() async throws {
    let text = Array("date,network,app,count\n2026-03-05,a.skadnetwork,525463029,3\n".utf8)
    try FileManager.default.createDirectory(atPath: folder.path("in"), withIntermediateDirectories: false)
    for name in ["in/a.csv", "in/b.csv"] { try folder.makeFile(name, holding: text) }
    try folder.makeFile("in/c.csv", holding: text + Array("2026-03-06,a.skadnetwork,525463029,4\n".utf8))
    let gzip = try await BuiltCommand.run(executable: "/usr/bin/env", ["gzip", folder.path("in/b.csv")])
    #expect(gzip.status == 0)
    let (json, errors) = try await run([folder.path("in"), folder.path("in/a.csv")], ["--vendor", "acme"])
    #expect(counts(json) == [3, 3, 0, 0, 0] && json["repeated_inputs"]?.integer == 2, "\(json)")
    #expect(errors.contains("b.csv.gz (as \(folder.path("in/a.csv")))"), "\(errors)")
    #expect(try rows().map { $0["count"] } == ["3", "3", "4"])
  }

  @Test(arguments: ["id,text\n1,a\n", "app_id,conversion_value\n", ""])
  func `of a file without a row changes nothing`(_ text: String) async throws {
    _ = try await run([Fixtures.path("inputs/unsigned-branch.csv")], ["--mapping", "branch", "--vendor", "house"])
    let before = try folder.contents(of: "out/skan_imported/part-00000001.jsonl")
    let path = try folder.makeFile("wrong.csv", holding: Array(text.utf8))
    let result = try await BuiltCommand.run(["import", path, "--out", out, "--vendor", "house"])
    #expect(result.status == 65 && result.errorText.contains("There is no row to import"), "\(result.errorText)")
    let signed = Fixtures.path("inputs/branch.csv")
    let other = try await BuiltCommand.run(["import", signed, "--out", out, "--vendor", "house", "--mapping", "branch"])
    #expect(other.status == 65 && other.errorText.contains("read them with postback run"), "\(other.errorText)")
    #expect(try folder.contents(of: "out/skan_imported/part-00000001.jsonl") == before)
  }

  @Test(arguments: [
    ["x", "--out", "o"], ["x", "--dry-run", "--out", "o"], ["x"], ["-", "--out", "o", "--vendor", "a"],
    ["--out", "o", "--vendor", "a"], ["a", "b", "--dry-run"],
    ["x", "--out", "o", "--vendor", "a", "--currency", "XXY"],
  ]) func `refuses options that do not fit`(_ words: [String]) async throws {
    #expect(try await BuiltCommand.run(["import"] + words).status == 64)
  }
}
