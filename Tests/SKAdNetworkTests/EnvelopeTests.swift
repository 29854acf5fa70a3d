import Base
import JSON
import TestSupport
import Testing

@testable import SKAdNetwork

struct EnvelopeTests {
  private static let body = RealPostback.v4.object.text

  @Test func `an envelope has the time, channel and sender of receipt`() throws {
    let text =
      #"{"received_at":"2026-11-01T10:00:00Z","channel":"network_forwarded","forwarder":"n\u00e9t","#
      + #""remote_address":"192.0.2.1","body":\#(Self.body)}"#
    let reading = try Reading(text)
    let envelope = try #require(reading.envelope)
    #expect(reading.text(envelope.receivedAt) == "2026-11-01T10:00:00Z")
    #expect(envelope.channel == .networkForwarded)
    #expect(reading.text(envelope.forwarder) == "nét")
    #expect(try reading.extras == nil)
    #expect(try reading.signedMessage() == Reading(Self.body).signedMessage())
  }

  @Test(arguments: [
    "", #""received_at":null,"channel":null,"forwarder":null,"remote_address":null,"query":null,"#, #""channel":"","#,
  ])
  func `an envelope requires only the body`(_ members: String) throws {
    let reading = try Reading("{\(members)\"body\":\(Self.body)}")
    let envelope = try #require(reading.envelope)
    #expect(envelope.receivedAt == nil && envelope.channel == nil)
    #expect(envelope.forwarder == nil)
    #expect(try reading.postback.appID == 525_463_029)
  }

  @Test(arguments: [
    ("campaign=summer", #"{"query.campaign":"summer"}"#),
    ("a=1&b=&c&=d", #"{"query.a":"1","query.b":"","query.c":"","query.":"d"}"#),
    ("n=%F0%9F%8D%93+%2B%c3%A9", #"{"query.n":"🍓 +é"}"#),
    ("a=1&b=2&a=3&a=", #"{"query.a":["1","3",""],"query.b":"2"}"#),
    (
      "a=%FF&b=%zz&c=%4&d=%00&%FF=1",
      #"{"query.a":"%FF","query.b":"%zz","query.c":"%4","query.d":"%00","query.%FF":"1"}"#
    ),
    ("x%3Dy=%22%5C%0A", #"{"query.x=y":"\"\\\n"}"#), ("&&a=b=c&", #"{"query.a":"b=c"}"#), ("", nil), ("&", nil),
  ]) func `the query of an envelope is in the extras`(_ query: String, _ extras: String?) throws {
    for body in [Self.body, RealPostback.adAttributionKit.object.text] {
      let bare = try Reading(body).extras
      let reading = try Reading(#"{"query":"\#(query)","body":\#(body)}"#)
      let all = bare.map { bare in extras.map { bare.dropLast() + "," + $0.dropFirst() } ?? bare } ?? extras
      #expect(try reading.extras == all)
      #expect(try reading.signedMessage() == Reading(body).signedMessage())
    }
  }

  @Test func `a query parameter never replaces a key of the postback`() throws {
    let body = RealPostback.v4.object.with(["query.a": "1", "query": "2"]).text
    let reading = try Reading(#"{"body":\#(body),"query":"a=3&query.a=4&app-id=5"}"#)
    let extras = try JSONValue(parsing: Array(try #require(try reading.extras).utf8))
    guard case .object(let members) = extras else { return }
    let values = Dictionary(uniqueKeysWithValues: members.map { ($0.key, "\($0.value)") })
    let expected = [
      "query.a": "1", "query": "2", "query.query.a": "\"3\"", "query.query.query.a": "\"4\"",
      "query.app-id": "\"5\"",
    ]
    #expect(values == expected)
    #expect(try reading.postback.appID == 525_463_029)
  }

  @Test func `a query with very many parameters is kept`() throws {
    let query = (0..<100).map { "p\($0)=\($0)" }
    let reading = try Reading(#"{"query":"\#(query.joined(separator: "&"))","body":\#(Self.body)}"#)
    let extras = try #require(try reading.extras)
    #expect(extras.contains(#""query.p63":"63","query":"\#(query[64...].joined(separator: "&"))"}"#))
  }

  @Test(arguments: RealPostback.all)
  func `a postback in base64 is read like a plain one`(_ real: RealPostback) throws {
    let (bare, encoded) = (try Reading(real.bytes), Base64.standard.encode(real.bytes))
    let text = #"{"channel":"apple_direct","body_base64":"\#(String(decoding: encoded, as: UTF8.self))"}"#
    let reading = try Reading(text)
    #expect(reading.envelope?.channel == .appleDirect)
    #expect(try reading.signedMessage() == bare.signedMessage())
    #expect(try reading.unsignedFields == bare.unsignedFields)
    #expect(try reading.extras == bare.extras)
  }

  @Test func `an envelope is read even if its body is not a postback`() throws {
    let reading = try Reading(#"{"received_at":"2026-11-01T10:00:00Z","channel":"apple_direct","body_base64":"eA=="}"#)
    #expect(reading.defect?.code == .notJSON)
    #expect(reading.envelope?.channel == .appleDirect)
    #expect(reading.text(reading.envelope?.receivedAt) == "2026-11-01T10:00:00Z")
  }

  @Test(arguments: RealPostback.all)
  func `a postback in an envelope is read like a plain one`(_ real: RealPostback) throws {
    let bare = try Reading(real.bytes)
    let text = String(decoding: real.bytes, as: UTF8.self)
    for body in ["{ \"body\" :\n \(text) , \"channel\":\"apple_direct\"}", "{\"body\":\(text)}"] {
      let reading = try Reading(body)
      #expect(reading.envelope != nil && bare.envelope == nil)
      for field in Field.allCases { #expect(try reading.value(of: field) == bare.value(of: field)) }
      #expect(try reading.extras == bare.extras)
      #expect(try reading.signedMessage() == bare.signedMessage())
    }
  }

  @Test func `body is an extra beside keys of a postback`() throws {
    let object = RealPostback.v4.object.with(["body": #"{"a":1}"#, "channel": "7"])
    let reading = try Reading(object.text)
    #expect(reading.envelope == nil)
    #expect(try reading.extras == #"{"channel":7,"body":{"a":1}}"#)
  }

  @Test func `envelope keys without a body are extras`() throws {
    let reading = try Reading(RealPostback.v4.object.with(["received_at": "\"2026-11-01T10:00:00Z\""]).text)
    #expect(reading.envelope == nil)
    #expect(try reading.extras == #"{"received_at":"2026-11-01T10:00:00Z"}"#)
  }

  @Test func `an object with a key of a postback is not an envelope`() throws {
    let reading = try Reading("{\"body\":\(Self.body),\"status\":200}")
    #expect(reading.envelope == nil)
    #expect(reading.defect?.code == .missingField)
    #expect(reading.defect?.field == "ad-network-id")
  }

  @Test func `an object with the configured time field is not an envelope`() throws {
    let text = "{\"body\":\(Self.body),\"timestamp\":5}"
    let reading = try Reading(text, receivedAtField: "timestamp")
    #expect(reading.envelope == nil)
    #expect(reading.defect?.code == .missingField)
    #expect(reading.text(reading.receivedAtField.text) == "5")
  }

  @Test func `the envelope of a refused postback is read`() throws {
    let body = RealPostback.v4.object.with(["app-id": nil]).text
    let reading = try Reading("{\"channel\":\"apple_direct\",\"body\":\(body)}")
    #expect(reading.defect?.code == .missingField)
    #expect(reading.envelope?.channel == .appleDirect)
    #expect(reading.text(reading.claims.adNetworkID) == "com.example")
  }

  @Test func `the configured time field is read from the body`() throws {
    let body = RealPostback.v21.object.text
    let reading = try Reading("{\"channel\":\"apple_direct\",\"body\":\(body)}", receivedAtField: "timestamp")
    #expect(reading.text(reading.receivedAtField.text) == "1613095729")
  }
}

struct ClaimsTests {
  private func claims(_ reading: Reading) -> [String?] {
    let claims = reading.claims
    return [claims.adNetworkID, claims.transactionID, claims.appID, claims.version].map(reading.text)
  }

  @Test(arguments: ["redownload", "attribution-signature", "fidelity-type"])
  func `a refused postback still has its claimed app, network and transaction`(_ key: String) throws {
    let reading = try Reading(RealPostback.v4.object.with([key: nil]).text)
    #expect(reading.defect?.field == key)
    #expect(claims(reading) == ["com.example", "6aafb7a5-0170-41b5-bbe4-fe71dedf1e30", "525463029", "4.0"])
  }

  @Test func `claimed values are not checked`() throws {
    let object = RealPostback.v4.object.with([
      "version": "9", "app-id": "-1.5e3", "ad-network-id": "\"\"", "transaction-id": "[1]",
    ])
    #expect(claims(try Reading(object.text)) == ["", nil, "-1.5e3", "9"])
  }

  @Test func `claims are read from the payload of a JWS`() throws {
    let object = RealPostback.adAttributionKit.object.with(["version": "\"4.0\""])
    let identifiers = ["development.adattributionkit", "85546EB7-FD39-44BC-8990-C98A4AC36A49", "10738027756"]
    #expect(claims(try Reading(object.text)) == identifiers + ["4.0"])
  }

  @Test func `unreadable text has no claims, and none of the text before it`() throws {
    var parser = PostbackParser()
    _ = Reading(Array("{\"body\":\(RealPostback.v4.object.text)}".utf8), with: &parser)
    for text in ["{", "[]", "42", ""] {
      let reading = Reading(Array(text.utf8), with: &parser)
      #expect(claims(reading) == [nil, nil, nil, nil])
      #expect(reading.envelope == nil)
    }
  }
}
