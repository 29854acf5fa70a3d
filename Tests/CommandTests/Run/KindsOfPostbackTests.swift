import JSON
import SKAdNetwork
import Signatures
import TestSupport
import Testing

/// Re-engagements, test postbacks, and future versions.
@Suite struct `Kinds of postbacks` {
  private let folder: TemporaryFolder
  private let signer: Signer

  init() throws {
    folder = try TemporaryFolder()
    signer = try Signer(.p256, id: "ours")
  }

  /// An AdAttributionKit postback that is signed with the key of this test.
  private func adAttributionKit(_ payload: [String: String], beside: [String: String] = [:]) throws -> Object {
    let ordinary = Object(
      """
      {"ad-network-identifier":"n.adattributionkit","postback-identifier":"p","advertised-item-identifier":1,\
      "conversion-type":"download","did-win":true,"postback-sequence-index":0}
      """
    )
    return try signer.sign(payload: ordinary.with(payload).text, beside: beside)
  }

  /// The rows of a table that `run` writes for postbacks, in their order.
  private func rows(
    of table: String = "skan_postbacks",
    _ postbacks: [Object],
    _ options: [String] = [],
    received: String = "2026-03-10T00:00:00Z"
  ) async throws -> [Object] {
    let dump = try folder.makeFile("dump", holding: Array(postbacks.map(\.text).joined(separator: "\n").utf8))
    let out = folder.path("out")
    let result = try await BuiltCommand.run(
      ["run", dump, "--out", out, "--received-at", received, "--trust-key", "ours=\(signer.base64)"] + options
    )
    #expect(result.status == 0, "\(result.errorText)")
    return try folder.contents(of: "out/\(table)/part-00000001.jsonl").split(separator: UInt8(ascii: "\n"))
      .map { Object(Array($0)) }
  }

  private func explain(_ postback: Object, _ options: [String] = []) async throws -> Object {
    let options = ["--json", "--trust-key", "ours=\(signer.base64)"] + options
    return Object(try await BuiltCommand.run(["explain"] + options, input: Array(postback.text.utf8)).text)
  }

  private func models(_ members: String = "", windows: String) throws -> [String] {
    let text =
      #"{"app_id":1,"model_id":"m","version":1,"effective_from":null,\#(members)"windows":[\#(windows)]}"#
    return ["--models", try folder.makeFile("model.json", holding: Array(text.utf8))]
  }

  // MARK: - Re-engagements

  private static let reengagement = ["conversion-type": #""reengagement""#]

  @Test func `both of Apple's spellings of re-engagement have the same rows`() async throws {
    let windows = """
      {"postback_sequence_index":0,"fine":{"5":[]}},\
      {"postback_sequence_index":0,"conversion_type":"re-engagement","fine":{"5":[{"event":"came_back"}]}}
      """
    let postbacks = try ["reengagement", "re-engagement"].map { type in
      let payload = ["conversion-type": Object.quoted(type), "postback-identifier": Object.quoted(type)]
      return try adAttributionKit(payload, beside: ["conversion-value": "5"])
    }
    let accepted = try await rows(postbacks, models(windows: windows))
    #expect(accepted.map { $0.string("conversion_type") } == ["re-engagement", "re-engagement"])
    #expect(accepted.map { $0.string("signature_state") } == ["valid", "valid"])
    let events = try folder.contents(of: "out/skan_events/part-00000001.jsonl").split(separator: UInt8(ascii: "\n"))
    #expect(events.map { Object(Array($0)).string("event_name") } == ["came_back", "came_back"])
  }

  @Test func `explain shows the spelling of the tables and the signed one`() async throws {
    let explanation = try await explain(adAttributionKit(Self.reengagement))
    let postback = Object(explanation["postback"] ?? "{}")
    let signature = Object(explanation["signature"] ?? "{}")
    #expect(postback.string("conversion_type") == "re-engagement")
    #expect(signature.string("signature_state") == "valid")
    #expect(signature.string("signed_payload")?.contains(#""conversion-type":"reengagement""#) == true)
    #expect(signature.string("signed_header") == #"{"alg":"ES256","kid":"ours"}"#)
  }

  @Test func `a signed spelling is recovered after somebody corrected it`() async throws {
    let signed = try #require(try adAttributionKit(Self.reengagement).string("jws-string")).split(separator: ".")
    let corrected = try #require(try adAttributionKit(["conversion-type": #""re-engagement""#]).string("jws-string"))
    let jws = [signed[0], corrected.split(separator: ".")[1], signed[2]].joined(separator: ".")
    let explanation = try await explain(Object("{}").with(["jws-string": Object.quoted(jws)]))
    #expect(Object(explanation["outcome"] ?? "{}").string("reject_code") == "signature_invalid")
    let diagnosis = Object(explanation["diagnosis"] ?? "{}")
    #expect(diagnosis.string("summary") == "The conversion type was changed from reengagement to re-engagement.")
  }

  @Test func `copies of a re-engagement differ by edits and not by spelling`() async throws {
    let postbacks = try ["5", "6"].map { try adAttributionKit(Self.reengagement, beside: ["conversion-value": $0]) }
    #expect(try await rows(of: "skan_rejects", postbacks)[0].string("reject_code") == "duplicate_conflict")
    let result = try await BuiltCommand.run(["rejects", folder.path("out"), "--diagnose"])
    #expect(result.text.contains("one transaction with several contents: 1"))
    #expect(result.text.contains("conversion-value") && !result.text.contains("conversion-type"), "\(result.text)")
  }

  // MARK: - Install dates

  @Test(arguments: [
    (0, "", "2026-03-06", "2026-03-09"), (1, "", "2026-02-25", "2026-03-07"), (2, "", "2026-01-28", "2026-03-02"),
    (0, #""reengagement":false,"#, "2026-03-06", "2026-03-07"),
    (1, #""reengagement":false,"#, "2026-02-25", "2026-03-02"),
    (2, #""reengagement":false,"#, "2026-01-28", "2026-02-02"),
    (1, #""reengagement":true,"#, "2026-02-25", "2026-03-07"),
  ])
  func `an AdAttributionKit window may end early unless the model excludes re-engagement`(
    _ window: Int,
    _ members: String,
    _ earliest: String,
    _ latest: String
  ) async throws {
    let postback = try adAttributionKit(["postback-sequence-index": "\(window)"])
    let models = try models(members, windows: #"{"postback_sequence_index":0,"fine":{}}"#)
    let row = try await rows([postback], models)[0]
    #expect(row.string("install_date_earliest") == "\(earliest)T00:00:00Z")
    #expect(row.string("install_date_latest") == "\(latest)T00:00:00Z")
  }

  @Test func `a re-engagement contradicts a model without re-engagement`() async throws {
    let postbacks = try [("a", "re-engagement"), ("b", "download")].map { id, type in
      try adAttributionKit(["postback-identifier": Object.quoted(id), "conversion-type": Object.quoted(type)])
    }
    let none = try models(#""reengagement":false,"#, windows: #"{"postback_sequence_index":0,"fine":{}}"#)
    let latest = try await rows(postbacks, none).map { $0.string("install_date_latest") }
    #expect(latest == ["2026-03-09T00:00:00Z", "2026-03-07T00:00:00Z"])
  }

  @Test func `SKAdNetwork has no re-engagement`() async throws {
    let row = try await rows([RealPostback.v4.object])[0]
    #expect(row.string("install_date_latest") == "2026-03-07T00:00:00Z")
  }

  @Test func `a test postback has an upper bound of its install date, and no estimate`() async throws {
    let row = try await rows([RealPostback.adAttributionKit.object], ["--allow-development"])[0]
    #expect(row.string("environment") == "development")
    #expect(row.string("install_date_latest") == "2026-03-10T00:00:00Z")
    #expect(row["install_date_earliest"] == "null" && row["estimated_install_date"] == "null")
  }

  // MARK: - Development

  @Test(arguments: [
    (["ad-network-identifier": #""development.adattributionkit""#], "development"),
    (["advertised-item-identifier": "0"], "development"), (["publisher-item-identifier": "0"], "development"),
    (["publisher-item-identifier": "7"], "custom"), (["ad-network-identifier": #""development.example""#], "custom"),
  ])
  func `a signed placeholder shows that an AdAttributionKit postback is a test`(
    _ payload: [String: String],
    _ environment: String
  ) async throws {
    let row = try await rows([adAttributionKit(payload)])[0]
    #expect(row.string("environment") == environment)
    #expect(row.string("key_id") == "ours" && row.string("signature_state") == "valid")
    #expect((row["install_date_earliest"] == "null") == (environment == "development"))
  }

  /// Source: Apple, "Creating postbacks in developer settings": of a build that Xcode installed the app is 0.
  @Test func `a model of app 0 decodes the test postbacks of builds that Xcode installed`() async throws {
    let test = try Signer(.p256, id: "apple-development-identifier/2")
    let postback = try test.sign(
      payload: """
        {"ad-network-identifier":"development.adattributionkit","postback-identifier":"p","advertised-item-identifier":0,\
        "publisher-item-identifier":0,"conversion-type":"download","did-win":true,"postback-sequence-index":0}
        """,
      beside: ["conversion-value": "5"]
    )
    let model = """
      {"app_id":0,"model_id":"test","version":1,"effective_from":null,"windows":[{"postback_sequence_index":0,\
      "fine":{"5":[{"event":"purchase"}]}}]}
      """
    let models = ["--models", try folder.makeFile("model.json", holding: Array(model.utf8))]
    let key = ["--apple-key", "apple-development-identifier/2=\(test.base64),development"]
    let row = try await rows([postback], models + key + ["--allow-development"])[0]
    #expect(row["app_id"] == "0" && row.string("environment") == "development")
    #expect(row.string("decode_status") == "decoded" && row.string("model_id") == "test", "\(row.text)")
    let events = try folder.contents(of: "out/skan_events/part-00000001.jsonl")
    #expect(String(decoding: events, as: UTF8.self).contains(#""event_name":"purchase""#))
  }

  @Test func `a source app of 0 shows a test if it is signed, and not if a forwarder filled it in`() async throws {
    let bare = RealPostback.v4.object.without("source-domain")
    let ids = ["a", "b", "c", "d"].map { ["transaction-id": Object.quoted($0)] }
    let postbacks = [
      try signer.sign(bare.with(ids[0]).with(["source-app-id": "0"])),
      try signer.sign(bare.with(ids[1])).with(["source-app-id": "0"]),
      try signer.sign(bare.with(ids[2]).with(["app-id": "0"])),
      try Signer(.p192, id: "old").sign(RealPostback.v1.object.with(ids[3])).with(["source-app-id": "0"]),
    ]
    let old = try Signer(.p192, id: "old").base64
    let rows = try await rows(postbacks, ["--trust-key", "old=\(old)"])
    #expect(rows.map { $0.string("environment") } == ["development", "custom", "development", "custom"])
    #expect(rows.map { $0.string("signature_state") } == ["valid", "valid_zero_filled", "valid", "valid"])
  }

  @Test func `development keys verify SKAdNetwork postbacks only if they are allowed`() async throws {
    let forged = RealPostback.v4.object.with(["app-id": "1"])
    for (options, keys) in [
      ([], "apple-cas-identifier/0, ours"),
      (
        ["--allow-development"],
        "apple-cas-identifier/0, apple-development-identifier/0, apple-development-identifier/1, ours"
      ),
    ] {
      let signature = Object(try await explain(forged, options)["signature"] ?? "{}")
      #expect(signature.string("keys_tried") == keys)
    }
  }

  @Test func `rows of tests and re-engagements are valid by their schemas`() async throws {
    let postbacks = try [
      ["conversion-type": #""reengagement""#], ["publisher-item-identifier": "0"], ["advertised-item-identifier": "0"],
      ["ad-network-identifier": #""development.adattributionkit""#],
    ].enumerated().map { index, payload in
      try adAttributionKit(payload.merging(["postback-identifier": "\"\(index)\""]) { $1 })
    }
    let tests = [try signer.sign(RealPostback.v4.object.without("source-domain").with(["source-app-id": "0"]))]
    let future = [RealPostback.v4.object.with(["version": #""4.1""#])]
    let real = [RealPostback.adAttributionKit.object, RealPostback.v3.object]
    let accepted = try await rows(postbacks + tests + future + real, ["--allow-development", "--format", "both"])
    #expect(accepted.count == 7)
    let arguments = [Fixtures.path("../Tests/validate.py"), folder.path("out")]
    var result = try await BuiltCommand.run(executable: "/usr/bin/env", ["python3"] + arguments)
    if result.status == 77 { result = try await BuiltCommand.run(executable: "/usr/bin/python3", arguments) }
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
  }

  // MARK: - Versions

  @Test(arguments: [
    ("4.1", "unsupported_version"), ("4.10", "unsupported_version"), ("5.0", "unsupported_version"),
    ("12.34", "unsupported_version"), ("2.7", "unknown_version"), ("1.1", "unknown_version"), ("5", "unknown_version"),
    ("4.1.0", "unknown_version"), ("4.+1", "unknown_version"), ("04.1", "unknown_version"),
    ("4.01", "unknown_version"), ("400.0", "unknown_version"), ("abc", "unknown_version"), ("-5.0", "unknown_version"),
  ])
  func `a future version has another reject code than an impossible one`(_ version: String, _ code: String) async throws
  {
    let postback = RealPostback.v4.object.with(["version": Object.quoted(version)])
    let row = try await rows(of: "skan_rejects", [postback])[0]
    #expect(row.string("reject_code") == code)
    #expect(row.string("stage") == "schema" && row.string("field") == "version")
    #expect([row.string("version"), row.string("found")] == [version, version])
    let outcome = Object(try await explain(postback)["outcome"] ?? "{}")
    #expect(outcome.string("reject_code") == code)
    #expect(outcome.string("reject_detail")?.contains("Update") == (code == "unsupported_version"))
  }
}
