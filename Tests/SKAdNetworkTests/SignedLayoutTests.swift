import JSON
import TestSupport
import Testing

@testable import SKAdNetwork

/// Source app and source domain of a 4.0 postback as JSON, and the signed text between `redownload` and `fidelity-type`.
private struct Sources: CustomTestStringConvertible {
  let app: String?
  let domain: String?
  let asSent: String
  /// The signed text without the filled-in values; nil if nothing was filled in.
  let withoutZeroFilled: String?

  var testDescription: String { "app \(app ?? "none"), domain \(domain ?? "none")" }

  static let all = [
    Self(app: nil, domain: nil, asSent: "", withoutZeroFilled: nil),
    Self(app: "null", domain: "null", asSent: "", withoutZeroFilled: nil),
    Self(app: "7", domain: nil, asSent: "\u{2063}7", withoutZeroFilled: nil),
    Self(app: nil, domain: "\"a.example\"", asSent: "\u{2063}a.example", withoutZeroFilled: nil),
    Self(app: "7", domain: "\"a.example\"", asSent: "\u{2063}7", withoutZeroFilled: nil),
    Self(app: "7", domain: "\"\"", asSent: "\u{2063}7", withoutZeroFilled: nil),
    Self(app: "0", domain: nil, asSent: "\u{2063}0", withoutZeroFilled: ""),
    Self(app: "\"0\"", domain: nil, asSent: "\u{2063}0", withoutZeroFilled: ""),
    Self(app: nil, domain: "\"\"", asSent: "\u{2063}", withoutZeroFilled: ""),
    Self(app: "0", domain: "\"\"", asSent: "\u{2063}0", withoutZeroFilled: ""),
    Self(app: "0", domain: "\"a.example\"", asSent: "\u{2063}0", withoutZeroFilled: "\u{2063}a.example"),
  ]
}

struct SignedLayoutTests {
  @Test(arguments: Sources.all)
  fileprivate func `of source app and source domain one is signed, and a filled-in one also left out`(
    _ sources: Sources
  ) throws {
    let object = RealPostback.v4.object.with(["source-app-id": sources.app, "source-domain": sources.domain])
    let reading = try Reading(object.text)
    let start =
      "4.0\u{2063}com.example\u{2063}5239\u{2063}525463029\u{2063}6aafb7a5-0170-41b5-bbe4-fe71dedf1e30\u{2063}false"
    let end = "\u{2063}1\u{2063}true\u{2063}0"
    #expect(try reading.signedMessage(.asSent) == start + sources.asSent + end)
    let isZeroFilled = sources.withoutZeroFilled != nil
    #expect(try reading.postback.isZeroFilled == isZeroFilled)
    #expect(try reading.postback.layouts == (isZeroFilled ? [.asSent, .withoutZeroFilled] : [.asSent]))
    #expect(
      try reading.signedMessage(.withoutZeroFilled) == start + (sources.withoutZeroFilled ?? sources.asSent) + end
    )
  }

  @Test func `a source domain beside a source app is an extra`() throws {
    let object = RealPostback.v4.object.with(["source-app-id": "7"])
    let reading = try Reading(object.text)
    #expect(try reading.postback.sourceDomain == nil)
    #expect(try reading.postback.sourceAppID == 7)
    #expect(try reading.extras == #"{"source-domain":"example.com"}"#)
    #expect(try reading.text(reading.postback.unsignedSourceDomain) == "example.com")
  }

  @Test(arguments: ["7", #""12""#, #""a\u2063b""#, "{}"])
  func `an invalid domain beside a source app of 0 is an extra`(_ json: String) throws {
    let object = RealPostback.v4.object.with(["source-app-id": "0", "source-domain": json])
    let reading = try Reading(object.text)
    #expect(try reading.postback.sourceDomain == nil && reading.postback.unsignedSourceDomain != nil)
    #expect(Object(try reading.extras ?? "")["source-domain"] != nil)
    #expect(try Reading(object.with(["source-app-id": nil]).text).defect?.field == "source-domain")
  }

  @Test func `a source domain beside a signed source app of 0 is an extra`() throws {
    let reading = try Reading(RealPostback.v4.object.with(["source-app-id": "0", "x": "1"]).text)
    for layout in [SignedLayout.asSent, .withoutZeroFilled] {
      var postback = try reading.postback
      postback.restoreSigned(layout)
      let isSigned = layout == .withoutZeroFilled
      #expect(reading.text(postback.sourceDomain) == (isSigned ? "example.com" : nil))
      #expect(reading.text(postback.unsignedSourceDomain) == (isSigned ? nil : "example.com"))
      #expect(reading.text(postback.extras) == (isSigned ? #"{"x":1}"# : #"{"source-domain":"example.com","x":1}"#))
      #expect(postback.tierFlags.contains(.unsignedSourceDomain) == !isSigned)
    }
  }

  @Test(arguments: [RealPostback.v20, .v21, .v22, .v3])
  func `a filled-in source app is left out of the signed text from 2.0 on`(_ real: RealPostback) throws {
    let zero = try Reading(real.object.with(["source-app-id": "0"]).text)
    let none = try Reading(real.object.with(["source-app-id": nil]).text)
    #expect(try zero.postback.layouts == [.asSent, .withoutZeroFilled])
    #expect(try none.postback.layouts == [.asSent])
    #expect(try zero.signedMessage(.withoutZeroFilled) == none.signedMessage(.asSent))
    #expect(try zero.signedMessage(.asSent) != none.signedMessage(.asSent))
    #expect(try !zero.postback.signedFields(.withoutZeroFilled).contains(.sourceAppID))
  }

  @Test func `1.0 and AdAttributionKit have only one signed layout`() throws {
    let v1 = try Reading(RealPostback.v1.object.with(["source-app-id": "0"]).text).postback
    let aak = try Reading(RealPostback.adAttributionKit.bytes).postback
    #expect(aak.sourceAppID == 0)
    #expect(v1.layouts == [.asSent] && aak.layouts == [.asSent])
  }

  @Test func `filled-in values can be removed`() throws {
    var postback = try Reading(RealPostback["real-2.2-unity"].bytes).postback
    #expect(postback.sourceAppID == 0)
    postback.restoreSigned(.withoutZeroFilled)
    #expect(postback.sourceAppID == nil && !postback.isZeroFilled)

    let object = RealPostback.v4.object.with(["source-app-id": "0", "source-domain": "\"\""])
    postback = try Reading(object.text).postback
    postback.restoreSigned(.withoutZeroFilled)
    #expect(postback.sourceAppID == nil && postback.sourceDomain == nil)

    postback = try Reading(RealPostback.v4.bytes).postback
    postback.restoreSigned(.withoutZeroFilled)
    #expect(postback.sourceDomain?.count == 11)
  }

  @Test(arguments: [
    ("5", ["05", "005", "0005"]), ("79", ["79", "079", "0079"]), ("123.0", ["123", "0123"]), ("5239", ["5239"]),
    ("\"79\"", ["79"]),
  ])
  func `a source identifier without quotes may have lost zeros`(_ json: String, _ digits: [String]) throws {
    let reading = try Reading(RealPostback.v4.object.with(["source-identifier": json]).text)
    let layouts = try reading.postback.layouts
    #expect(layouts.first == .asSent)
    let messages = try layouts.map { try reading.signedMessage($0).split(separator: "\u{2063}")[2] }
    #expect(messages.map(String.init) == digits)
    for (layout, digits) in zip(layouts, digits) {
      var postback = try reading.postback
      postback.restoreSigned(layout)
      #expect(postback.sourceIdentifier?.description == digits)
    }
  }

  @Test func `all forms of a postback with filled-in values and a number are tried once`() throws {
    let changes = ["source-app-id": "0", "source-identifier": "7"]
    let reading = try Reading(RealPostback.v4.object.with(changes).text)
    let messages = try reading.postback.layouts.map { try reading.signedMessage($0) }
    #expect(messages.count == 6 && Set(messages).count == 6)
  }
}
