import TestSupport
import Testing

@testable import SKAdNetwork

/// A real postback and the literal text that Apple signed.
private struct SignedText: CustomTestStringConvertible {
  let name: String
  let text: String
  var layout = SignedLayout.asSent

  var testDescription: String { name }

  static let all = [
    Self(
      name: "real-1.0-ironsource",
      text: "su67r6k2v3.skadnetwork\u{2063}51\u{2063}1176027022\u{2063}583e867c-0bc5-4980-8766-6d8cf992f24a"
    ),
    Self(
      name: "apple-doc-2.0",
      text: "2.0\u{2063}com.example\u{2063}42\u{2063}525463029\u{2063}6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
        + "\u{2063}true\u{2063}1234567891"
    ),
    Self(
      name: "real-2.0-facebook",
      text: "2.0\u{2063}v9wttpbfk9.skadnetwork\u{2063}75\u{2063}1176027022"
        + "\u{2063}c4a69044-1c85-4755-9e25-97d8daa30c55\u{2063}true"
    ),
    Self(
      name: "real-2.1-ironsource",
      text: "2.1\u{2063}su67r6k2v3.skadnetwork\u{2063}92\u{2063}1196764367"
        + "\u{2063}240b7588-90a3-4ecc-84c6-4e5263395c40\u{2063}false\u{2063}1299956969"
    ),
    Self(
      name: "apple-doc-2.2",
      text: "2.2\u{2063}com.example\u{2063}42\u{2063}525463029\u{2063}6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
        + "\u{2063}true\u{2063}1234567891\u{2063}1"
    ),
    Self(
      name: "real-2.2-unity",
      text: "2.2\u{2063}4dzt52r2t5.skadnetwork\u{2063}10\u{2063}1661087323"
        + "\u{2063}ea032a08-c21a-496a-bdf8-cc30a8899c81\u{2063}true\u{2063}0\u{2063}0"
    ),
    Self(
      name: "real-2.2-unity",
      text: "2.2\u{2063}4dzt52r2t5.skadnetwork\u{2063}10\u{2063}1661087323"
        + "\u{2063}ea032a08-c21a-496a-bdf8-cc30a8899c81\u{2063}true\u{2063}0",
      layout: .withoutZeroFilled
    ),
    Self(
      name: "apple-doc-3.0-win",
      text: "3.0\u{2063}example123.skadnetwork\u{2063}42\u{2063}525463029"
        + "\u{2063}6aafb7a5-0170-41b5-bbe4-fe71dedf1e28\u{2063}true\u{2063}1234567891\u{2063}1\u{2063}true"
    ),
    Self(
      name: "apple-doc-3.0-nonwinning",
      text: "3.0\u{2063}example123.skadnetwork\u{2063}42\u{2063}525463029"
        + "\u{2063}f9ac267a-a889-44ce-b5f7-0166d11461f0\u{2063}true\u{2063}1\u{2063}false"
    ),
    Self(
      name: "apple-doc-4.0-web-high-tier",
      text: "4.0\u{2063}com.example\u{2063}5239\u{2063}525463029\u{2063}6aafb7a5-0170-41b5-bbe4-fe71dedf1e30"
        + "\u{2063}false\u{2063}example.com\u{2063}1\u{2063}true\u{2063}0"
    ),
    Self(
      name: "apple-doc-4.0-web-low-tier",
      text: "4.0\u{2063}com.example\u{2063}39\u{2063}525463029\u{2063}6aafb7a5-0170-41b5-bbe4-fe71dedf1e31"
        + "\u{2063}false\u{2063}example.com\u{2063}1\u{2063}true\u{2063}0"
    ),
    Self(
      name: "apple-doc-aak-dev1",
      text: "eyJraWQiOiJhcHBsZS1kZXZlbG9wbWVudC1pZGVudGlmaWVyXC8xIiwiYWxnIjoiRVMyNTYifQ."
        + "eyJwb3N0YmFjay1pZGVudGlmaWVyIjoiODU1NDZFQjctRkQzOS00NEJDLTg5OTAtQzk4QTRBQzM2QTQ5IiwicHVibGlzaGVyLWl0ZW0taWRl"
        + "bnRpZmllciI6MCwibWFya2V0cGxhY2UtaWRlbnRpZmllciI6ImNvbS5hcHBsZS5BcHBTdG9yZSIsImltcHJlc3Npb24tdHlwZSI6ImFwcC1p"
        + "bXByZXNzaW9uIiwiYWQtbmV0d29yay1pZGVudGlmaWVyIjoiZGV2ZWxvcG1lbnQuYWRhdHRyaWJ1dGlvbmtpdCIsImRpZC13aW4iOnRydWUs"
        + "InBvc3RiYWNrLXNlcXVlbmNlLWluZGV4IjowLCJjb252ZXJzaW9uLXR5cGUiOiJyZS1lbmdhZ2VtZW50Iiwic291cmNlLWlkZW50aWZpZXIi"
        + "OiIxMjM0IiwiYWR2ZXJ0aXNlZC1pdGVtLWlkZW50aWZpZXIiOjEwNzM4MDI3NzU2fQ"
    ),
  ]
}

struct SignedMessageTests {
  @Test(arguments: SignedText.all)
  fileprivate func `what is signed of a real postback`(_ signed: SignedText) throws {
    let reading = try Reading(RealPostback[signed.name].bytes)
    let message = try reading.signedMessage(signed.layout)
    #expect(Array(message.utf8) == Array(signed.text.utf8))
  }

  @Test func `the message is appended to the buffer`() throws {
    let reading = try Reading(RealPostback.v4.bytes)
    var message = Array("before".utf8)
    try reading.postback.appendSignedMessage(.asSent, of: reading.bytes, to: &message)
    #expect(String(decoding: message, as: UTF8.self) == "before" + (try reading.signedMessage()))
  }

  @Test(arguments: [
    ("com.Example", "com.Example"), (#"\u0063om.example"#, "com.example"), ("cafe\u{301}", "cafe\u{301}"),
  ])
  func `text is signed as it was sent, in its letter case and Unicode form`(
    sent: String,
    signed: String
  ) throws {
    let reading = try Reading(RealPostback.v1.object.with(["ad-network-id": "\"\(sent)\""]).text)
    #expect(try Array(reading.signedMessage().utf8).starts(with: Array(signed.utf8)))
  }

  @Test(arguments: RealPostback.all.filter { $0.version != "aak" })
  func `the order of keys, white space and unsigned fields do not matter`(_ real: RealPostback) throws {
    let object = real.object
    let spaced = object.keys.reversed().map { " \(Object.quoted($0)) : \(object[$0] ?? "") " }
    let reading = try Reading("{\n" + spaced.joined(separator: ",\r\n\t") + "}")
    #expect(try reading.signedMessage() == Reading(real.bytes).signedMessage())
    let edited = object.with(["country-code": "\"DE\"", "x": "1"])
    #expect(try Reading(edited.text).signedMessage() == reading.signedMessage())
  }

  @Test(arguments: [
    ("real-1.0-ironsource", ["ad-network-id", "campaign-id", "app-id", "transaction-id"]),
    (
      "apple-doc-2.0",
      ["version", "ad-network-id", "campaign-id", "app-id", "transaction-id", "redownload", "source-app-id"]
    ),
    ("real-2.1-tiktok", ["version", "ad-network-id", "campaign-id", "app-id", "transaction-id", "redownload"]),
    (
      "apple-doc-3.0-win",
      [
        "version", "ad-network-id", "campaign-id", "app-id", "transaction-id", "redownload", "source-app-id",
        "fidelity-type", "did-win",
      ]
    ),
    (
      "apple-doc-4.0-web-high-tier",
      [
        "version", "ad-network-id", "source-identifier", "app-id", "transaction-id", "redownload", "source-domain",
        "fidelity-type", "did-win", "postback-sequence-index",
      ]
    ),
    ("apple-doc-aak-dev1", []),
  ])
  func `signed fields are listed by their names`(_ name: String, fields: [String]) throws {
    #expect(try Reading(RealPostback[name].bytes).postback.signedFields(.asSent).map(\.name) == fields)
  }

  @Test(arguments: zip(Version.allCases, [true, true, false, false, false, false]))
  func `1.0 and 2.0 are signed with P-192`(_ version: Version, isP192: Bool) {
    #expect(version.isSignedWithP192 == isP192)
  }

  @Test func `a postback is identified by framework, network, transaction and window`() throws {
    func identity(_ text: String) throws -> String {
      let reading = try Reading(text)
      var message: [UInt8] = []
      try reading.postback.appendIdentity(of: reading.bytes, to: &message)
      return String(decoding: message, as: UTF8.self)
    }
    let v4 = RealPostback.v4.object
    let transaction = "\u{2063}com.example\u{2063}6aafb7a5-0170-41b5-bbe4-fe71dedf1e30\u{2063}"
    #expect(try identity(v4.text) == "skadnetwork" + transaction + "0")
    #expect(try identity(v4.with(["postback-sequence-index": "2"]).text) == "skadnetwork" + transaction + "2")
    #expect(
      try identity(RealPostback.v1.object.text)
        == "skadnetwork\u{2063}su67r6k2v3.skadnetwork\u{2063}583e867c-0bc5-4980-8766-6d8cf992f24a\u{2063}0"
    )
    #expect(
      try identity(RealPostback.adAttributionKit.object.text)
        == "adattributionkit\u{2063}development.adattributionkit\u{2063}85546EB7-FD39-44BC-8990-C98A4AC36A49\u{2063}0"
    )
  }
}
