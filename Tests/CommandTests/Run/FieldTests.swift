import Base
import JSON
import TestSupport
import Testing

/// A real postback with fields in another spelling, and the expected cells of its row.
private struct Spelling: CustomTestStringConvertible {
  let real: RealPostback
  let changes: [String: String?]
  let cells: [String: String]

  var testDescription: String { "\(real.name) with \(changes)" }

  init(_ real: RealPostback, _ changes: [String: String?], _ cells: [String: String]) {
    self.real = real
    self.changes = changes
    self.cells = cells
  }

  /// Signed fields in spellings with the same signed text, which are accepted.
  static let signed = [
    Self(
      .v4,
      ["source-identifier": "5239"],
      ["source_identifier": "\"5239\"", "coerced_fields": "[\"source-identifier\"]"]
    ),
    Self(.v4, ["redownload": "0"], ["redownload": "false", "coerced_fields": "[\"redownload\"]"]),
    Self(
      .v3,
      ["redownload": "1", "did-win": "\"TRUE\""],
      ["did_win": "true", "coerced_fields": "[\"redownload\",\"did-win\"]"]
    ),
    Self(.v3, ["app-id": "525463029.0"], ["app_id": "525463029", "coerced_fields": "[\"app-id\"]"]),
    Self(.v3, ["campaign-id": "\"42\""], ["campaign_id": "42", "coerced_fields": "[\"campaign-id\"]"]),
  ]

  /// Unsigned fields in spellings that have a meaning.
  static let read = [
    Self(
      .v4Coarse,
      ["coarse-conversion-value": "\"LOW\""],
      ["coarse_conversion_value": "\"low\"", "coerced_fields": "[\"coarse-conversion-value\"]", "tier_flags": "null"]
    ),
    Self(.v4, ["conversion-value": "23.0"], ["conversion_value": "23", "tier_flags": "null", "extras": "null"]),
    Self(.v4, ["country-code": "\"us\""], ["country_code": "\"US\"", "tier_flags": "null"]),
    Self(.v1, ["redownload": "1"], ["redownload": "true", "tier_flags": "null"]),
    Self(.adAttributionKit, ["ad-interaction-type": "\"VIEW\""], ["ad_interaction_type": "\"view\""]),
  ]

  /// Unsigned fields in spellings without a meaning.
  static let unreadable =
    [
      ("conversion-value", "64"), ("conversion-value", "\"abc\""), ("conversion-value", "{\"a\":[1]}"),
      ("conversion-value", "true"), ("coarse-conversion-value", "\"none\""), ("coarse-conversion-value", "7"),
      ("country-code", "\"USA\""), ("country-code", "\"ZZ\""), ("country-code", "false"),
    ].map { unreadable(.v4, $0, $1) }
    + [
      ("conversion-value", "-1"), ("coarse-conversion-value", "[]"), ("ad-interaction-type", "\"tap\""),
      ("country-code", "{}"),
    ].map { unreadable(.adAttributionKit, $0, $1) } + [
      unreadable(.v1, "redownload", "\"yes\""), unreadable(.v1, "source-app-id", "\"abc\""),
      unreadable(.v1, "country-code", "1"), unreadable(.v20, "conversion-value", "1.5"),
      unreadable(.v3, "conversion-value", "[]"),
    ]

  private static func unreadable(_ real: RealPostback, _ key: String, _ json: String) -> Self {
    let column = key.replacing("-", with: "_")
    return Self(real, [key: json], [column: "null", "tier_flags": "[\"unreadable_\(column)\"]", "extras": json])
  }
}

/// The result of `postback run` for some lines.
private struct Run {
  let postbacks: [JSONObject]
  let rejects: [JSONObject]

  init(_ lines: [String], options: [String] = []) async throws {
    let folder = try TemporaryFolder()
    let result = try await BuiltCommand.run(
      ["run", "-", "--out", folder.path("out"), "--received-at", "2026-03-10T00:00:00Z", "--allow-development"]
        + options,
      input: Array(lines.joined(separator: "\n").utf8)
    )
    #expect(result.status == 0, "\(result.errorText)")
    postbacks = try JSONObject.lines(try folder.contents(of: "out/skan_postbacks/part-00000001.jsonl"))
    rejects = try JSONObject.lines(try folder.contents(of: "out/skan_rejects/part-00000001.jsonl"))
  }

  /// The values of a column of the rejects, in order.
  func rejected(_ column: String) -> [String?] { rejects.map { $0.cell(column) } }
}

@Suite struct `Fields of postbacks` {
  @Test(arguments: Spelling.signed + Spelling.read)
  fileprivate func `a value in another spelling is accepted, stored in one, and named`(_ spelling: Spelling)
    async throws
  {
    let run = try await Run([spelling.real.object.with(spelling.changes).text])
    let row = try #require(run.postbacks.first, "\(run.rejected("reject_detail"))")
    for (column, json) in spelling.cells { #expect(row[column]?.description == json, "\(column)") }
    #expect(row["coerced_fields"] != .null)
  }

  @Test(arguments: Spelling.unreadable)
  fileprivate func `an unsigned field that cannot be read rejects nothing`(_ spelling: Spelling) async throws {
    let run = try await Run([spelling.real.object.with(spelling.changes).text])
    let row = try #require(run.postbacks.first, "\(run.rejected("reject_detail"))")
    let key = try #require(spelling.changes.keys.first)
    for (column, json) in spelling.cells where column != "extras" {
      #expect(row[column]?.description == json, "\(column)")
    }
    #expect(Object(row["extras"]?.description ?? "{}")[key] == spelling.cells["extras"])
    #expect(["null", "not_won", "no_model"].contains(row.cell("decode_status")))
  }

  @Test(arguments: [
    (RealPostback.v4, "redownload", "1"), (.v4, "did-win", "0"), (.v4, "source-identifier", "39"),
    (.v3, "campaign-id", "42.0e1"), (.v3, "app-id", "5.25463028e8"),
  ])
  func `accepts a signed value in any spelling if the signature is valid`(
    _ real: RealPostback,
    key: String,
    json: String
  ) async throws {
    let run = try await Run([real.object.with([key: json]).text])
    let code = key == "campaign-id" ? "out_of_range" : "signature_invalid"
    #expect(run.rejected("reject_code") == [code])
  }

  @Test func `explain shows the values that run stores`() async throws {
    let edited = RealPostback.v4.object.with([
      "source-identifier": "5239", "conversion-value": "64", "country-code": "\"us\"",
    ])
    let result = try await BuiltCommand.run(["explain", "--json"], input: Array(edited.text.utf8))
    let postback = Object(Object(result.text)["postback"] ?? "{}")
    #expect(postback.string("source_identifier") == "5239" && postback.string("country_code") == "US")
    #expect(postback.string("coerced_fields") == "source-identifier, country-code")
    #expect(Object(Object(result.text)["outcome"] ?? "{}").string("tier_flags") == "unreadable_conversion_value")
    #expect(Object(result.text)["diagnosis"] == nil)
  }

  @Test func `copies with the same meaning are identical, and an unreadable field is reported`() async throws {
    let v4 = RealPostback.v4.object
    let copies = [
      ["country-code": "\"us\"", "conversion-value": "63"], ["country-code": "\"US\"", "conversion-value": "63.0"],
      ["country-code": "\"USA\"", "conversion-value": "63"], ["country-code": "\"US\"", "conversion-value": "99"],
    ]
    let run = try await Run(copies.map { v4.with($0.mapValues { $0 }).text })
    #expect(run.postbacks.count == 1)
    #expect(run.rejected("reject_code") == ["duplicate_identical", "duplicate_conflict", "duplicate_conflict"])
    #expect(
      run.rejected("conflicting_fields") == [
        nil, #"[{"field":"country-code","first":"US","later":"unreadable"}]"#,
        #"[{"field":"conversion-value","first":"63","later":"unreadable"}]"#,
      ]
    )
  }

  @Test func `a source domain beside a signed source app is an extra, and another one a conflict`() async throws {
    let dump = try await GeneratedDump(
      count: 60,
      seed: 3,
      options: ["--versions", "4.0=1", "--zero-filled", "0", "--malformed", "0", "--edited", "0", "--forged", "0"]
    )
    let lines = dump.bytes.split(separator: UInt8(ascii: "\n")).map { Object(Array($0)) }
    let app = try #require(lines.first { $0["source-app-id"] != nil })
    let copies = ["\"a.example\"", "\"a.example\"", "\"b.example\"", nil].map { app.with(["source-domain": $0]).text }
    let run = try await Run(copies, options: dump.keys)
    let row = try #require(run.postbacks.first)
    #expect(row["source_domain"] == .null && row.cell("source_app_id") == app["source-app-id"])
    #expect(row["extras"]?.description == #"{"source-domain":"a.example"}"#)
    #expect(row["tier_flags"]?.description == #"["unsigned_source_domain"]"#)
    #expect(run.rejected("reject_code") == ["duplicate_identical", "duplicate_conflict", "duplicate_conflict"])
    #expect(run.rejected("found") == [nil, "b.example", nil])
    #expect(run.rejected("expected") == [nil, "other", "other"])
  }

  @Test func `half of a surrogate pair in an extra rejects nothing, and is no character in the row`() async throws {
    let v4 = RealPostback.v4.object
    let run = try await Run([
      v4.with(["note": #"{"a\ud83d":["\ud83d\ude00 \udead"]}"#, "country-code": #""\ud83d""#]).text,
      v4.with(["source-domain": #""example.com\ud83d""#]).text,
    ])
    let row = try #require(run.postbacks.first, "\(run.rejected("reject_detail"))")
    #expect(row["extras"]?.description == "{\"country-code\":\"\u{FFFD}\",\"note\":{\"a\u{FFFD}\":[\"😀 \u{FFFD}\"]}}")
    #expect(row["tier_flags"]?.description == #"["unreadable_country_code"]"#)
    #expect(run.rejected("reject_code") == ["not_json"])
    #expect(
      run.rejected("reject_detail") == ["source-domain contains half of a surrogate pair, which is not a character."]
    )
  }

  @Test(arguments: ["2016-12-31T23:59:60Z", "2017-01-01T00:59:60.000+01:00"])
  func `a leap second is read`(_ time: String) async throws {
    let run = try await Run([#"{"received_at":"\#(time)","body":\#(RealPostback.v4.object.text)}"#])
    #expect(run.postbacks.first?.cell("received_at") == "2017-01-01T00:00:00Z")
  }

  @Test func `what is found is cut after 200 bytes, between characters, and says so`() async throws {
    let long = String(repeating: "x", count: 199) + "é" + String(repeating: "y", count: 5000)
    let cut = String(repeating: "x", count: 199) + "…"
    let v4 = RealPostback.v4.object
    let aak = RealPostback.adAttributionKit.object
    let header = #"{"alg":"ES256","kid":"\#(long)"}"#
    let parts = try #require(aak.string("jws-string")).split(separator: ".").map(String.init)
    let encoded = String(decoding: Base64.url.encode(header.utf8), as: UTF8.self)
    let jws = [encoded, parts[1], parts[2]].joined(separator: ".")
    let run = try await Run(
      [
        v4.with(["version": Object.quoted(long)]).text, v4.text.dropLast() + ",\"\(long)\":1,\"\(long)\":2}",
        aak.with(["jws-string": Object.quoted(jws)]).text, v4.text,
      ].map { String($0) }
    )
    #expect(run.rejected("found") == [cut, nil, cut])
    #expect(run.rejected("field") == ["version", cut, "kid"])
    for detail in run.rejected("reject_detail") { #expect((detail ?? "").utf8.count < 600) }
  }
}
