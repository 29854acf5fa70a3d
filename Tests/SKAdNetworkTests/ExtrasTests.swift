import Base
import JSON
import TestSupport
import Testing

@testable import SKAdNetwork

struct ExtrasTests {
  private func extras(of real: RealPostback, adding members: String) throws -> String? {
    try Reading(real.object.text.dropLast() + "," + members + "}").extras
  }

  @Test(arguments: [
    ("real-1.0-ironsource", nil),
    ("apple-doc-2.0", #"{"timestamp":"12342352346"}"#),
    ("real-2.1-ironsource", #"{"timestamp":1613095729}"#),
    (
      "real-2.1-tiktok",
      #"{"adjust-campaign":"a_campaign","adjust-campaign-id":"112233445566","adjust-adgroup":"a_group_uid","#
        + #""adjust-adgroup-id":"112233445566","timestamp":1622794663}"#
    ),
    ("real-2.2-unity", #"{"did-win":false}"#),
    ("apple-doc-4.0-web-high-tier", nil),
  ])
  func `a key that the version does not have is kept as an extra`(_ name: String, extras: String?) throws {
    #expect(try Reading(RealPostback[name].bytes).extras == extras)
  }

  @Test(arguments: [
    ("real-1.0-ironsource", #""conversion-value":"abc""#),
    ("real-1.0-ironsource", #""fidelity-type":7"#),
    ("apple-doc-2.1", #""fidelity-type":1"#),
    ("apple-doc-2.2", #""did-win":0"#),
    ("apple-doc-3.0-win", #""source-identifier":5239"#),
    ("apple-doc-3.0-win", #""source-domain":"example.com""#),
    ("apple-doc-3.0-win", #""postback-sequence-index":9"#),
    ("apple-doc-3.0-win", #""coarse-conversion-value":"high""#),
    ("apple-doc-4.0-web-high-tier", #""campaign-id":42"#),
    ("apple-doc-4.0-web-high-tier", #""conversion-type":"download""#),
    ("apple-doc-4.0-web-high-tier", #""jws-string":null"#),
    ("apple-doc-aak-dev1", #""version":"4.0""#),
    ("apple-doc-aak-dev1", #""app-id":1"#),
    ("apple-doc-aak-dev1", #""did-win":false"#),
    ("apple-doc-aak-dev1", #""attribution-signature":"x""#),
  ])
  func `a field of another version is an extra with any value`(_ name: String, member: String) throws {
    #expect(try extras(of: RealPostback[name], adding: member) == "{\(member)}")
    #expect(
      try Reading(RealPostback[name].object.text.dropLast() + "," + member + "}").signedMessage()
        == Reading(RealPostback[name].bytes).signedMessage()
    )
  }

  @Test(arguments: [
    (#""a":1.50e+3"#, #"{"a":1.50e+3}"#),
    (#""a":123456789012345678"#, #"{"a":123456789012345678}"#),
    (#""a" : null , "b" : true"#, #"{"a":null,"b":true}"#),
    (#""a":"say \"hi\" \\ \/ \u0001\t\n\u00e9 \ud83d\ude00""#, #"{"a":"say \"hi\" \\ / \u0001\t\né 😀"}"#),
    (#""\u0061\"":"\u0000""#, #"{"a\"":"\u0000"}"#),
    ("\"a\":\"x\u{2063}y\"", "{\"a\":\"x\u{2063}y\"}"),
    ("\"a\":{\n  \"b\": [1,\r\n 2]\n}", "{\"a\":{   \"b\": [1,   2] }}"),
    (#""a":{"b":"\n\u00e9"}"#, #"{"a":{"b":"\n\u00e9"}}"#),
    (#""a":[],"b":{},"c":"""#, #"{"a":[],"b":{},"c":""}"#),
    (#""":1"#, #"{"":1}"#),
  ])
  func `extras keep values on one line`(_ members: String, extras: String) throws {
    #expect(try self.extras(of: .v4, adding: members) == extras)
    #expect(try self.extras(of: .adAttributionKit, adding: members) == extras)
    #expect(Object(extras).keys == Object("{\(members)}").keys)
  }

  @Test func `keys that resemble a field are extras`() throws {
    let members = #""App-id":1,"app-id ":2,"app_id":3"#
    #expect(try extras(of: .v4, adding: members) == "{\(members)}")
  }

  @Test func `extras of a payload have a key of their own`() throws {
    let real = RealPostback.adAttributionKit.object
    let parts = try #require(real.string("jws-string")).split(separator: ".").map(String.init)
    var payload: [UInt8] = []
    #expect(Base64.url.decode(Array(parts[1].utf8).span, appendingTo: &payload))
    let edited = Object(payload).with(["new": "[1]", "conversion-value": "3"]).text
    let jws = [parts[0], String(decoding: Base64.url.encode(edited.utf8), as: UTF8.self), parts[2]]
    let text = real.with(["jws-string": Object.quoted(jws.joined(separator: ".")), "timestamp": "5"]).text
    let reading = try Reading(text)
    #expect(try reading.extras == #"{"timestamp":5,"jws-string":{"conversion-value":3,"new":[1]}}"#)
    #expect(try reading.value(of: .conversionValue) == "24")
  }

  @Test func `the configured time field is an extra, and its value is found`() throws {
    for (name, kind) in [("real-2.1-ironsource", "1613095729"), ("apple-doc-2.0", "12342352346")] {
      let reading = try Reading(RealPostback[name].bytes, receivedAtField: "timestamp")
      #expect(reading.text(reading.receivedAtField.text) == kind)
      #expect(try reading.extras == Reading(RealPostback[name].bytes).extras)
    }
    let known = try Reading(RealPostback.v4.bytes, receivedAtField: "transaction-id")
    #expect(known.text(known.receivedAtField.text) == "6aafb7a5-0170-41b5-bbe4-fe71dedf1e30")
    #expect(try known.extras == nil)
    #expect(try Reading(RealPostback.v4.bytes, receivedAtField: "timestamp").receivedAtField.kind == .absent)
  }

  @Test(arguments: [
    "ip", "UA", "User_Agent", "USER-AGENT", "User Agent", "userAgent", "x_Forwarded-for", "http_x_forwarded_for",
    "IP Address", " ip ", "geo_ip", "GEO.IP", "idfa", "IDFV", "GAID", "Advertising ID", "device-id", "e-mail",
    "Phone Number",
    "Customer User ID",
  ])
  func `a personal member is known in any letter case, with any separators`(_ name: String) {
    #expect(PersonalMember.contains(name.utf8))
  }

  @Test(arguments: Field.allCases.filter { $0 != .remoteAddress })
  func `no field of Apple's or of an envelope is a personal member`(_ field: Field) {
    #expect(!PersonalMember.contains(field.name.utf8))
  }

  @Test(arguments: [
    "", "_", "i", "ipv7", "us\u{E9}r-agent", "ip\t", "campaign", "http-x-forwarded-for-x", "ad_id", "advertiser_id",
    "device", "device_model", "app_id",
  ])
  func `another name is no personal member`(_ name: String) {
    #expect(!PersonalMember.contains(name.utf8))
  }
}
