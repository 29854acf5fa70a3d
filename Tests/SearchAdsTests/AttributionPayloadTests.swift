import Base
import JSON
import Ledger
import Signatures
import Tables
import Testing

@testable import SearchAds

/// Payloads as Apple documents and publishes them.
enum Payloads {
  static let click = """
    {"attribution":true,"orgId":40669820,"campaignId":542370539,"conversionType":"Download","claimType":"Click",\
    "clickDate":"2024-10-08T17:17Z","adGroupId":542317095,"countryOrRegion":"US","keywordId":87675432,"adId":542317136,\
    "supplyPlacement":"APPSTORE_SEARCH_RESULTS"}
    """
  static let view = """
    {"attribution":true,"orgId":40669820,"campaignId":542370539,"conversionType":"Redownload","claimType":"Impression",\
    "impressionDate":"2025-03-27T09:05Z","adGroupId":542317095,"countryOrRegion":"US","adId":542317136}
    """
  static let test = """
    {"attribution":true,"orgId":1234567890,"campaignId":1234567890,"conversionType":"Download","claimType":"Click",\
    "adGroupId":1234567890,"countryOrRegion":"US","keywordId":12323222,"adId":542317136}
    """
  static let dictionary = """
    {
      “Version3.1” = {
        “iad-attribution” = true;
        "iad-org-name" = "Light Right";
        "iad-org-id" = 555555;
        "iad-campaign-id" = 12345678;
        "iad-campaign-name" = "Light Bright Launch";
        "iad-purchase-date" = "2019-10-14T17:17:00Z"
        "iad-conversion-date" = "2019-10-14T17:17:00Z";
        "iad-conversion-type" = "Download";
        "iad-click-date" = "2019-10-14T17:17:00Z";
        "iad-adgroup-id" = 12345678";
        "iad-adgroup-name" = "LightRight Launch Group";
        "iad-country-or-region" = "US";
        "iad-keyword" = "light right";
        "iad-keyword-id" = "12345678";
        "iad-keyword-matchtype" = "Broad";
        "iad-creativeset-id" = 12345678;
        "iad-creativeset-name" = "Light Right Launch Creative Set";
      };
    }

    """
}

@Suite struct AttributionPayloadTests {
  /// The rows of files with these texts.
  private func rows(_ texts: String...) throws -> [AttributionRow] {
    var rows: [AttributionRow] = []
    for (number, text) in texts.enumerated() {
      rows += try AttributionFile(path: "\(number).jsonl", bytes: Array(text.utf8)).payloads { _ in false }
    }
    return rows
  }

  private func row(_ text: String) throws -> AttributionRow { try #require(try rows(text).first) }

  private func flags(_ row: AttributionRow) -> [String] {
    guard case .array(let flags)? = row[.flags] else { return [] }
    return flags.compactMap(\.text)
  }

  @Test func `a click with all fields`() throws {
    let row = try row(Payloads.click)
    #expect(row.outcome == .payload && row.boolean(.attribution) == true)
    #expect(row.integer(.orgID) == 40_669_820 && row.integer(.campaignID) == 542_370_539)
    #expect(row.integer(.adGroupID) == 542_317_095 && row.integer(.keywordID) == 87_675_432)
    #expect(row.integer(.adID) == 542_317_136 && row.text(.country) == "US")
    #expect(row.time(.clickAt)?.description == "2024-10-08T17:17:00Z" && row.time(.impressionAt) == nil)
    #expect(row.text(.claimType) == "Click" && row.text(.supplyPlacement) == "APPSTORE_SEARCH_RESULTS")
    #expect(
      row.text(.environment) == "production" && row.text(.source) == "adservices" && row.text(.apiVersion) == "v1"
    )
    #expect(flags(row) == [] && row[.extras] == nil)
  }

  @Test func `a view has the time of the impression`() throws {
    let row = try row(Payloads.view)
    #expect(row.text(.claimType) == "Impression" && row.time(.clickAt) == nil && row.integer(.keywordID) == nil)
    #expect(row.time(.impressionAt)?.description == "2025-03-27T09:05:00Z")
  }

  @Test func `the payload of tests is of the environment test`() throws {
    #expect(try row(Payloads.test).text(.environment) == "test")
    let real = Payloads.test.replacing("\"orgId\":1234567890", with: "\"orgId\":1234567891")
    #expect(try row(real).text(.environment) == "production")
  }

  @Test func `the published dictionary is read after repair`() throws {
    let row = try row(Payloads.dictionary)
    #expect(row.outcome == .payload && row.text(.source) == "iad" && row.text(.apiVersion) == "3.1")
    #expect(row.time(.clickAt)?.description == "2019-10-14T17:17:00Z" && row.text(.keywordMatchType) == "Broad")
    #expect(row.integer(.adGroupID) == 12_345_678 && row.integer(.keywordID) == 12_345_678)
    #expect(row.text(.campaignName) == "Light Bright Launch" && row.text(.keyword) == "light right")
    #expect(row[.extras]?["iad-purchase-date"]?.text == "2019-10-14T17:17:00Z")
    #expect(flags(row) == ["repaired_text"])
  }

  /// A payload of AdServices as Foundation prints it, with its keys in quotes or without.
  private func printed(_ quote: String) -> String {
    let fields = [
      ("attribution", "1"), ("orgId", "40669820"), ("campaignId", "542370539"), ("conversionType", "Download"),
      ("clickDate", #""2026-03-09T17:17Z""#), ("countryOrRegion", "US"), ("keywordId", "87675432"),
    ]
    return "{\n" + fields.map { "    \(quote)\($0.0)\(quote) = \($0.1);\n" }.joined() + "}\n"
  }

  @Test func `payloads of AdServices are read as apps print them`() throws {
    let line = printed("").replacing("\n", with: " ")
    let swift =
      #"["keywordId": 87675432, "attribution": 1, "orgId": 40669820, "campaignId": 542370539, "#
      + #""conversionType": "Download", "countryOrRegion": "US", "clickDate": "2026-03-09T17:17Z"]"#
    for text in [
      printed(""), printed("\""), line, swift, "\(swift)\n\(swift)\n", printed("") + printed(""), "\(line)\n\(line)",
    ] {
      for row in try rows(text) {
        #expect(
          row.outcome == .payload && row.boolean(.attribution) == true && row.text(.source) == "adservices",
          "\(text)"
        )
        #expect(row.integer(.orgID) == 40_669_820 && row.integer(.campaignID) == 542_370_539 && flags(row) == [])
        #expect(row.integer(.keywordID) == 87_675_432 && row.text(.conversionType) == "Download")
        #expect(row.time(.clickAt)?.description == "2026-03-09T17:17:00Z" && row.text(.country) == "US")
      }
    }
    #expect(try rows(printed("") + printed("")).count == 2 && rows("\(swift)\n\(swift)\n").count == 2)
    #expect(try rows("\(line)\n\(line)").map { $0.integer(.sourceLine) } == [1, 2])
    #expect(try row("{ attribution = 0; }").boolean(.attribution) == false)
  }

  @Test func `payloads of AdServices in a log have the flag of a repair, and other lines are no payloads`() throws {
    let line = printed("").replacing("\n", with: " ")
    let log = "started\n12:00 App[1:2] payload: \(printed(""))12:01 App[1:2] \(line)\nidle {x}\n\(Payloads.view)\n"
    let rows = try rows(log)
    #expect(rows.map(\.outcome) == [.malformed, .payload, .payload, .malformed, .payload])
    #expect(rows.map { $0.integer(.sourceLine) } == [1, 2, 11, 12, 13])
    #expect(rows.map(flags) == [[], ["repaired_text"], ["repaired_text"], [], []])
    #expect(rows[4].text(.claimType) == "Impression")
  }

  @Test func `a name of digits is a text`() throws {
    let names = "\"iad-campaign-name\" = 2019; \"iad-org-name\" = 007; \"iad-keyword\" = \"5\";"
    let row = try row("{ \"iad-attribution\" = true; \(names) }")
    #expect(row.text(.campaignName) == "2019" && row.text(.orgName) == "007" && row.text(.keyword) == "5")
    #expect(flags(row) == [])
  }

  @Test func `dictionaries of a log, with other lines before, between and behind them`() throws {
    let log = "2019-10-14 17:17:01.107 App[1:2] Attribution: " + Payloads.dictionary
    let rows = try rows("started\n" + log + "a line\nanother\n" + Payloads.dictionary + "and so on")
    #expect(rows.map(\.outcome) == [.malformed, .payload, .malformed, .payload, .malformed])
    #expect(rows.map { $0.text(.rawBody) } == ["started", nil, "a line\nanother", nil, "and so on"])
    #expect(rows.map { $0.integer(.sourceLine) } == [1, 2, 23, 25, 46] && Set(rows.map(\.key)).count == 5)
  }

  @Test(arguments: [1, 2]) func `a dictionary without its last braces is read and flagged`(_ count: Int) throws {
    let cut = Payloads.dictionary.split(separator: "\n").dropLast(count).joined(separator: "\n") + "\n"
    let row = try row(cut)
    #expect(row.outcome == .payload && row.integer(.orgID) == 555_555 && flags(row) == ["repaired_text"])
  }

  @Test func `a dictionary that is cut within a value is malformed, and the next one is read`() throws {
    let cut = Payloads.dictionary.split(separator: "\n").prefix(4).joined(separator: "\n") + "\n\"iad-adgroup-id\" =\n"
    #expect(try rows(cut + Payloads.dictionary).map(\.outcome) == [.malformed, .payload])
  }

  @Test func `words are read in any letter case, and unknown ones are kept`() throws {
    let row = try row(
      #"{"attribution":true,"conversionType":"preorder","claimType":"CLICK","supplyPlacement":"APPSTORE_MAPS"}"#
    )
    #expect(row.text(.conversionType) == "PreOrder" && row.text(.claimType) == "Click")
    #expect(row.text(.supplyPlacement) == "APPSTORE_MAPS" && flags(row) == ["unknown_values"] && row[.extras] == nil)
  }

  @Test(
    arguments: [
      ("2024-10-08T17:17Z", "2024-10-08T17:17:00Z"), ("2024-10-08T17:17:09Z", "2024-10-08T17:17:09Z"),
      ("2024-10-08T17:17+02:00", "2024-10-08T15:17:00Z"), ("2024-10-08T17:17:09.5-01:00", "2024-10-08T18:17:09.500Z"),
      ("2024-10-08T17:17", nil), ("2024-13-08T17:17Z", nil), ("yesterday", nil), ("", nil),
    ] as [(String, String?)]
  )
  func `a date may have seconds and an offset`(_ text: String, _ expected: String?) {
    #expect(AttributionPayload.time(text)?.description == expected)
  }

  @Test func `false with other fields is kept and flagged`() throws {
    let row = try row(#"{"attribution":false,"campaignId":5,"new":[1]}"#)
    #expect(row.boolean(.attribution) == false && row.integer(.campaignID) == 5)
    #expect(flags(row) == ["fields_without_attribution"] && row[.extras]?["new"] == .array([.integer(1)]))
    #expect(flags(try self.row(#"{"attribution":false}"#)) == [])
  }

  @Test func `numbers as texts are read and flagged, and large ids are exact`() throws {
    let row = try row(#"{"attribution":"true","campaignId":"9007199254740993","orgId":9223372036854775807}"#)
    #expect(row.integer(.campaignID) == 9_007_199_254_740_993 && row.integer(.orgID) == .max)
    #expect(flags(row) == ["coerced_values"])
    let json = row.json.description
    #expect(json.contains("9007199254740993") && json.contains("9223372036854775807"))
  }

  @Test func `values that no column can hold are in extras`() throws {
    let row = try row(
      #"{"attribution":true,"campaignId":-1,"adId":1.5,"clickDate":"soon","countryOrRegion":"USA","orgId":null}"#
    )
    #expect(row.outcome == .payload && flags(row) == ["invalid_values"])
    guard case .object(let extras)? = row[.extras] else { throw Missing() }
    #expect(extras.map(\.key) == ["campaignId", "adId", "clickDate", "countryOrRegion"])
  }

  private struct Missing: Error {}

  @Test(arguments: [
    "{", "[1]", "5", #""text""#, "{}", #"{"attribution":5}"#, #"{"received_at":"x","payload":{"attribution":true}}"#,
  ])
  func `a record that is no payload is a row`(_ text: String) throws {
    let row = try row(text)
    #expect(row.outcome == .malformed && row.text(.detail) != nil && row.text(.rawBody) != nil)
    #expect(row.integer(.sourceLine) == 1 && row[.attribution] == nil)
  }

  @Test func `records with an envelope, and the payload as text`() throws {
    let rows = try rows(
      """
      {"received_at":"2026-03-01T10:00:00Z","token":"abc","app_id":525463029,"payload":{"attribution":true}}
      {"received_at":"2026-03-01T10:00:00Z","attribution":true}

      {"token":"abd","payload":"{\\"attribution\\":true}"}
      not json
      """
    )
    #expect(rows.map(\.outcome) == [.payload, .payload, .payload, .malformed])
    #expect(rows[0].text(.tokenSHA256) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(rows[0].key == "ba7816bf8f01cfea414140de5dae2223" && rows[0].integer(.appID) == 525_463_029)
    #expect(rows[3].integer(.sourceLine) == 5)
  }

  @Test func `equal payloads without a token are as many rows as there are in a file`() throws {
    let record = #"{"received_at":"2026-03-01T10:00:00Z","payload":{"attribution":true}}"#
    let first = try rows("\(record)\n\(record)")
    #expect(Set(first.map(\.key)).count == 2)
    #expect(try rows(record, record).map(\.key) == [first[0].key, first[0].key])
    let bare = #"{"attribution":true}"#
    #expect(try Set(rows(bare, " " + bare).map(\.key)).count == 2)
  }

  @Test func `a row is read back as it was written`() throws {
    for text in [Payloads.click, Payloads.view, Payloads.dictionary, "{"] {
      let row = try row(text)
      #expect(AttributionRow(try JSONValue(parsing: Array(row.json.description.utf8))) == row)
    }
    #expect(AttributionRow(.object([.init("attribution_key", .integer(1))])) == nil)
  }

  @Test func `rows are encoded as CSV and JSON`() throws {
    var encoder = RowEncoder(.searchAdsAttributions, TableEncoding([.jsonLines, .csv]))
    for text in [Payloads.click, Payloads.dictionary, "{"] { try row(text).encode(into: &encoder) }
    let rows = encoder.take()
    #expect(rows.count == 3)
    let json = try JSONValue(parsing: Array(rows.jsonLines.prefix { $0 != UInt8(ascii: "\n") }))
    #expect(json["campaign_id"]?.integer == 542_370_539 && json["keyword"] == .null)
  }
}
