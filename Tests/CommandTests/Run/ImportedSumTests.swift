import JSON
import TestSupport
import Testing

/// The rows of `postback import` that may count otherwise than the vendor means them.
@Suite struct `Sums that are imported` {
  private let folder: TemporaryFolder
  private var out: String { folder.path("out") }

  init() throws { folder = try TemporaryFolder() }

  private func run(
    _ texts: [String],
    named name: String = "in.csv",
    _ options: [String] = ["--vendor", "house"]
  ) async throws -> (counts: JSONValue, errors: String) {
    let paths = try texts.enumerated().map { place, text in
      try folder.makeFile("\(place)-\(name)", holding: Array(text.utf8))
    }
    let result = try await BuiltCommand.run(["import"] + paths + ["--out", out, "--json"] + options)
    #expect(result.status == 0, "\(result.errorText)")
    return (try JSONValue(parsing: result.output), result.errorText)
  }

  private func rows() throws -> [Object] {
    Object.lines(try folder.contents(of: "out/skan_imported/part-00000001.jsonl"))
  }

  // MARK: - Sums

  @Test func `and are in several files are added up with a warning that shows one`() async throws {
    let header = "date,app,network,geo,count,revenue\n"
    let first = header + "2026-03-05,525463029,a.skadnetwork,US,3,1\n2026-03-06,525463029,a.skadnetwork,US,4,2\n"
    let second = header + "2026-03-06,525463029,a.skadnetwork,US,5,2.5\n2026-03-06,525463029,a.skadnetwork,DE,5,2\n"
    let (json, errors) = try await run([first, second], ["--vendor", "house", "--currency", "USD"])
    #expect(json["imported"]?.integer == 4 && json["overlapping"]?.integer == 1, "\(json)")
    #expect(errors.contains("1 rows without a transaction are in an earlier file too"), "\(errors)")
    #expect(errors.contains("such as 2026-03-06, the app 525463029 and the network a.skadnetwork, in "), "\(errors)")
    #expect(errors.contains("0-in.csv and ") && errors.contains("1-in.csv. If the exports have days"), "\(errors)")
    // Equal rows of one file, and rows with a transaction, are no such thing.
    let rows = "date,app,transaction_id,count\n2026-03-05,1,,3\n2026-03-05,1,,4\n"
    let other = "date,app,transaction_id,count\n2026-03-05,1,t,3\n"
    let (none, silence) = try await run([rows, other, other + "\n"])
    #expect(none["overlapping"]?.integer == 0 && none["duplicates"]?.integer == 1 && silence.isEmpty, "\(silence)")
  }

  @Test func `without a count are told, with the columns that may have it`() async throws {
    let text = "date,app_id,installs,cost,site,note\n2026-03-05,1,10,2.5,7,\n2026-03-06,1,20.0,3,a,\n"
    let (json, errors) = try await run([text])
    #expect(json["without_count"]?.integer == 2, "\(json)")
    #expect(errors.contains("2 rows have no transaction and no count, so each counts as one conversion."), "\(errors)")
    #expect(errors.contains("of the others these have whole numbers: installs."), "\(errors)")
    let (named, silence) = try await run([text.replacing("installs", with: "count")])
    #expect(named["without_count"]?.integer == 0 && silence.isEmpty, "\(silence)")
    #expect(try rows().map { $0["count"] } == ["10", "20"])
  }

  @Test(arguments: [
    (["--vendor", "house"], "in.csv", "date,app,count\n2026-03-05,1,3\n2026-03-05,2,\n", 3),
    (["--mapping", "singular"], "in.csv", "SKAN App ID,SKAN Installs\n1,3\n2,\n", 3),
    (["--vendor", "house"], "in.jsonl", "{\"app\":1,\"count\":3}\n{\"app\":2,\"count\":null}\n", 2),
    (["--vendor", "house"], "in.jsonl", "{\"app\":1,\"count\":3}\n{\"app\":2,\"count\":\"\"}\n", 2),
  ])
  func `with an empty count are no rows`(
    _ options: [String],
    _ name: String,
    _ text: String,
    _ line: Int
  ) async throws {
    let (json, errors) = try await run([text], named: name, options)
    #expect(json["imported"]?.integer == 1 && json["unreadable"]?.integer == 1, "\(json)")
    #expect(errors.contains("line \(line): The count of the row is empty, so the row counts nothing."), "\(errors)")
  }

  @Test func `with a number that has two readings are no rows`() async throws {
    let text = """
      date;app;count;revenue;currency
      2026-03-05;1;2.000;1.50;EUR
      2026-03-05;1;74.0;1250;EUR
      2026-03-05;1;3;12.500;EUR
      2026-03-05;1;4;1.234.567;EUR
      2026-03-05;1;5;0.125;EUR
      2026-03-05;1;6;1234.500;EUR
      2026-03-05;1;7;-12.500;EUR
      2026-03-05;1;0.000;0.5;EUR

      """
    let (json, errors) = try await run([text])
    #expect(json["imported"]?.integer == 4 && json["unreadable"]?.integer == 4, "\(json)")
    #expect(errors.contains("line 2: The count 2.000 may be 2 or 2000."), "\(errors)")
    #expect(errors.contains("line 4: The revenue 12.500 may have points between thousands."), "\(errors)")
    #expect(errors.contains("line 5: The revenue 1.234.567 may have points between thousands."), "\(errors)")
    #expect(errors.contains("line 8: The revenue -12.500 may have points between thousands."), "\(errors)")
    #expect(try rows().map { $0["revenue"] } == ["1250", "0.125", "1234.5", "0.5"])
    #expect(try rows().last?["count"] == "0")
    let path = try folder.makeFile("in.csv", holding: Array(text.utf8))
    let look = try await BuiltCommand.run(["import", path, "--dry-run"]).text.split(whereSeparator: \.isWhitespace)
    #expect(look.contains(["CSV", "8", "0", "4"]), "\(look)")
    // Where commas part the fields, a point is one before decimals.
    let (_, silence) = try await run(["date,app,count,revenue,currency\n2026-03-05,1,3,12.500,EUR\n"])
    #expect(try rows().map { $0["revenue"] } == ["12.5"] && silence.isEmpty, "\(silence)")
  }

  // MARK: - Columns

  @Test func `have a mapping that reads their columns, which is named`() async throws {
    let export = String(decoding: Fixtures.bytes("inputs/unsigned-appsflyer.csv"), as: UTF8.self)
    let (_, errors) = try await run([export])
    #expect(
      errors.contains("Columns that the mapping appsflyer reads are among the extras: arrival_date, "),
      "\(errors)"
    )
    #expect(errors.contains("and 3 more. If the export has its form, give --mapping appsflyer."), "\(errors)")
    let (_, silence) = try await run([export], ["--mapping", "appsflyer"])
    let (_, own) = try await run(["postback_key,app_id,count,skan_revenue\nk,1,3,2\n"])
    #expect(silence.isEmpty && own.isEmpty, "\(silence) \(own)")
    for (name, mapping) in [("appsflyer", "appsflyer"), ("branch", "branch"), ("singular", "singular")] {
      let path = Fixtures.path("inputs/unsigned-\(name).csv")
      let result = try await BuiltCommand.run(["import", path, "--dry-run"])
      #expect(result.status == 0, "\(result.errorText)")
      let command = "Import them with: postback import \(path) --mapping \(mapping) --out OUT"
      #expect(result.text.contains(command), "\(result.text)")
    }
    let plain = try folder.makeFile("plain.csv", holding: Array("date,app,count\n2026-03-05,1,3\n".utf8))
    let result = try await BuiltCommand.run(["import", plain, "--dry-run"])
    #expect(result.text.contains("postback import \(plain) --vendor NAME --out OUT"), "\(result.errorText)")
  }

  @Test func `have the names of CSV in JSON too`() async throws {
    let members =
      #""received_at":1772704800,"AD_NETWORK_ID":"a.skadnetwork","transaction_id":"t1","campaign_id":7,"country":"US""#
    let lines = "{\(members),\"app_id\":525463029,\"remote_address\":\"192.0.2.7\",\"note\":1}\n"
    let (json, errors) = try await run([lines], named: "in.jsonl")
    #expect(json["imported"]?.integer == 1 && errors.isEmpty, "\(errors)")
    let row = try #require(try rows().first)
    #expect(row.string("received_at") == "2026-03-05T10:00:00Z" && row.string("ad_network_id") == "a.skadnetwork")
    #expect(row.string("transaction_id") == "t1" && row["campaign_id"] == "7" && row.string("country_code") == "US")
    #expect(row["extras"] == #"{"note":1}"#, "\(row)")
    let signed = "{\(members),\"app_id\":1,\"attribution_signature\":\"MEUCIQ==\"}\n{\"app_id\":2}\n"
    #expect(try await run([signed], named: "in.jsonl").counts["signed"]?.integer == 1)
  }

  @Test(arguments: [
    ("csv", "app,source_id,country\n1,Spring,3\n"), ("json", #"{"app":1,"source_id":"Spring","country":3}"#),
  ])
  func `have the columns that a mapping without fields gives them`(_ form: String, _ text: String) async throws {
    let exported = #"{"source_id":"campaign_name","country":"count"}"#
    let mapping = try folder.makeFile(
      "own.json",
      holding: Array(#"{"name":"own","form":"\#(form)","exported":\#(exported)}"#.utf8)
    )
    let (json, errors) = try await run([text], named: "in.\(form)", ["--vendor", "house", "--mapping", mapping])
    #expect(json["imported"]?.integer == 1, "\(errors)")
    let row = try #require(try rows().first)
    #expect(row.string("campaign_name") == "Spring" && row["count"] == "3" && row["extras"] == "null", "\(row)")
  }

  @Test func `keep members of JSON with other names of an envelope`() async throws {
    let line = #"{"app":1,"count":2,"forwarder":"f","channel":"search","query":"q","remote_address":"192.0.2.7"}"#
    _ = try await run([line], named: "in.jsonl")
    let row = try #require(try rows().first)
    #expect(row["extras"] == #"{"channel":"search","query":"q"}"# && row.string("forwarder") == "f", "\(row)")
  }

  @Test func `leave out a header that comes again`() async throws {
    let text = "day,ad_network_id,App-ID,count,note\n2026-03-05,a.skadnetwork,1,3,x\n"
    let (json, errors) = try await run([text + text])
    #expect(json["imported"]?.integer == 2 && json["unreadable"]?.integer == 1, "\(json)")
    #expect(errors.contains("line 3: The row repeats the header."), "\(errors)")
    let export = String(decoding: Fixtures.bytes("inputs/unsigned-branch.csv"), as: UTF8.self)
    let (mapped, _) = try await run([export + export], ["--mapping", "branch"])
    #expect(mapped["imported"]?.integer == 4 && mapped["unreadable"]?.integer == 1, "\(mapped)")
  }

  // MARK: - Values

  @Test func `have days in the forms of times`() async throws {
    let days = [
      "20260305", "2026-03-05 00:00:00", "1772704800", "2026-03-05 23:00:00 -0800", "2026-03-05T10:00:00+0530",
    ]
    let (json, errors) = try await run(["app,date,count\n" + (days + ["1234567890"]).map { "1,\($0),1\n" }.joined()])
    #expect(json["dates_left_out"]?.integer == 1 && errors.contains("1 rows have a date"), "\(errors)")
    let found = try rows().map { $0.string("received_at")?.prefix(10) }
    #expect(found == days.map { _ in "2026-03-05" } + [nil], "\(found)")
  }

  @Test func `have words for no signature and no currency, and transactions in formulas`() async throws {
    let text = #"""
      app,transaction_id,attribution_signature,count,revenue,currency
      1, t1 ,-,1,2,null
      2,"=""t2""",n/a,1,2,USD
      ="3",T1,null,1,2,

      """#
    let (json, errors) = try await run([text], ["--vendor", "house", "--currency", "EUR"])
    #expect(json["signed"]?.integer == 0 && json["duplicates"]?.integer == 1, "\(json)")
    #expect(errors.contains("1 rows differ from an earlier row of the same transaction"), "\(errors)")
    let found = try rows().map { [$0["app_id"], $0.string("transaction_id"), $0.string("currency"), $0["extras"]] }
    #expect(found == [["1", "t1", "EUR", "null"], ["2", "t2", "USD", "null"]], "\(found)")
  }

  @Test func `are not of UTF-16`() async throws {
    let text = "date,app,count\n2026-03-05,1,3\n".utf8
    let little: [UInt8] = [0xFF, 0xFE] + text.flatMap { [$0, 0] }
    let big: [UInt8] = [0xFE, 0xFF] + text.flatMap { [0, $0] }
    for bytes in [little, big] {
      let path = try folder.makeFile("in.csv", holding: bytes)
      let result = try await BuiltCommand.run(["import", path, "--vendor", "house", "--out", out])
      #expect(result.status == 65 && result.errorText.contains("Its text is UTF-16. Save it as UTF-8."))
    }
  }
}
