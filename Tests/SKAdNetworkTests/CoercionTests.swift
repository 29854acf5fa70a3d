import Base
import TestSupport
import Testing

@testable import SKAdNetwork

/// A field of a real postback in another spelling with the same meaning.
private struct Coercion: CustomTestStringConvertible {
  let name: String
  let field: Field
  let json: String
  /// The meaning of the value; nil if it has none.
  let value: String?

  init(_ name: String, _ field: Field, _ json: String, _ value: String?) {
    self.name = name
    self.field = field
    self.json = json
    self.value = value
  }

  var testDescription: String { "\(field.name) as \(json)" }

  static let signed = [
    Self("apple-doc-3.0-win", .campaignID, "\"42\"", "42"),
    Self("apple-doc-3.0-win", .appID, "\"525463029\"", "525463029"),
    Self("apple-doc-3.0-win", .redownload, "\"true\"", "true"),
    Self("apple-doc-3.0-win", .sourceAppID, "\"1234567891\"", "1234567891"),
    Self("apple-doc-3.0-win", .fidelityType, "\"1\"", "1"),
    Self("apple-doc-3.0-win", .didWin, "\"true\"", "true"),
    Self("apple-doc-3.0-nonwinning", .didWin, "\"false\"", "false"),
    Self("apple-doc-3.0-nonwinning", .sourceAppID, "\"\"", nil),
    Self("apple-doc-4.0-web-high-tier", .redownload, "\"false\"", "false"),
    Self("apple-doc-4.0-web-high-tier", .postbackSequenceIndex, "\"0\"", "0"),
  ]

  /// Spellings with the same signed text, which the signature decides about.
  static let respelled = [
    Self("apple-doc-3.0-win", .campaignID, "42.0", "42"),
    Self("apple-doc-3.0-win", .appID, "5.25463029E8", "525463029"),
    Self("apple-doc-3.0-win", .appID, "5254630290e-1", "525463029"),
    Self("apple-doc-3.0-win", .sourceAppID, "\"1234567891.0\"", "1234567891"),
    Self("apple-doc-3.0-win", .redownload, "1", "true"),
    Self("apple-doc-3.0-win", .redownload, "\"True\"", "true"),
    Self("apple-doc-3.0-win", .didWin, "\"1\"", "true"),
    Self("apple-doc-3.0-nonwinning", .didWin, "0", "false"),
    Self("apple-doc-3.0-nonwinning", .didWin, "0.0", "false"),
    Self("apple-doc-4.0-web-high-tier", .sourceIdentifier, "5239", "5239"),
    Self("apple-doc-4.0-web-high-tier", .sourceIdentifier, "5239.0", "5239"),
    Self("apple-doc-4.0-web-high-tier", .sourceIdentifier, "5.239e3", "5239"),
    Self("apple-doc-4.0-web-low-tier", .sourceIdentifier, "39", "39"),
  ]

  static let unsigned = [
    Self("apple-doc-4.0-web-high-tier", .conversionValue, "23.0", "23"),
    Self("apple-doc-4.0-web-high-tier", .conversionValue, "2.3e1", "23"),
    Self("apple-doc-4.0-web-high-tier", .conversionValue, "0e9", "0"),
    Self("apple-doc-4.0-web-high-tier", .coarseConversionValue, "\"LOW\"", "low"),
    Self("apple-doc-4.0-web-high-tier", .countryCode, "\"us\"", "US"),
    Self("apple-doc-4.0-web-high-tier", .countryCode, "\"dE\"", "DE"),
    Self("apple-doc-4.0-web-high-tier", .countryCode, "\"UK\"", "GB"),
    Self("apple-doc-aak-dev1", .adInteractionType, "\"Click\"", "click"),
    Self("real-1.0-ironsource", .redownload, "\"FALSE\"", "false"),
    Self("real-1.0-ironsource", .redownload, "1", "true"),
    Self("real-1.0-ironsource", .redownload, "\"\"", nil),
    Self("real-1.0-ironsource", .sourceAppID, "7e2", "700"),
    Self("apple-doc-4.0-web-high-tier", .conversionValue, "\"63\"", "63"),
    Self("apple-doc-4.0-web-high-tier", .conversionValue, "\"\"", nil),
    Self("apple-doc-4.0-web-high-tier", .coarseConversionValue, "\"\"", nil),
    Self("apple-doc-4.0-web-high-tier", .countryCode, "\"\"", nil),
    Self("apple-doc-aak-dev1", .conversionValue, "\"24\"", "24"),
    Self("apple-doc-aak-dev1", .conversionValue, "\"\"", nil),
    Self("apple-doc-aak-dev1", .coarseConversionValue, "\"\"", nil),
    Self("apple-doc-aak-dev1", .adInteractionType, "\"\"", nil),
    Self("apple-doc-aak-dev1", .countryCode, "\"\"", nil),
  ]

  var reading: Reading {
    get throws { try Reading(RealPostback[name].object.with([field.name: json]).text) }
  }
}

struct CoercionTests {
  @Test(arguments: Coercion.signed + Coercion.respelled + Coercion.unsigned)
  fileprivate func `a value in another spelling is taken, and named`(_ coercion: Coercion) throws {
    let reading = try coercion.reading
    #expect(try reading.value(of: coercion.field) == coercion.value)
    #expect(try reading.postback.coercedFields.names == [coercion.field.name])
    #expect(try reading.extras == nil)
  }

  @Test(arguments: Coercion.signed + Coercion.respelled)
  fileprivate func `it is signed as Apple wrote it`(_ coercion: Coercion) throws {
    #expect(try coercion.reading.signedMessage() == Reading(RealPostback[coercion.name].bytes).signedMessage())
  }

  @Test func `several coercions are named in the order of the fields`() throws {
    let object = RealPostback.v4.object.with([
      "conversion-value": "\"1\"", "app-id": "\"525463029\"", "did-win": "\"true\"",
    ])
    #expect(try Reading(object.text).postback.coercedFields.names == ["app-id", "did-win", "conversion-value"])
  }

  @Test func `a coercion in the payload of a JWS is named too`() throws {
    let real = RealPostback.adAttributionKit.object
    let parts = try #require(real.string("jws-string")).split(separator: ".").map(String.init)
    var payload: [UInt8] = []
    #expect(Base64.url.decode(Array(parts[1].utf8).span, appendingTo: &payload))
    let edited = Object(payload).with(["did-win": "\"true\"", "advertised-item-identifier": "\"7\""])
    let jws = [parts[0], String(decoding: Base64.url.encode(edited.text.utf8), as: UTF8.self), parts[2]]
    let text = real.with(["jws-string": Object.quoted(jws.joined(separator: ".")), "conversion-value": "\"24\""]).text
    let postback = try Reading(text).postback
    #expect(postback.coercedFields.names == ["did-win", "conversion-value", "advertised-item-identifier"])
  }

  @Test(arguments: ["conversion-value", "coarse-conversion-value", "country-code", "source-app-id"])
  func `a null is an absent field and not a coercion`(_ key: String) throws {
    let postback = try Reading(RealPostback.v4.object.with([key: "null"]).text).postback
    #expect(postback.coercedFields.isEmpty && postback.extras == nil)
  }

  @Test(arguments: [
    ("0", "00"), ("5", "05"), ("39", "39"), ("523", "523"), ("9999", "9999"),
  ])
  func `a source identifier that is a number has no leading zeros`(number: String, digits: String) throws {
    let reading = try Reading(RealPostback.v4.object.with(["source-identifier": number]).text)
    #expect(try reading.value(of: .sourceIdentifier) == digits)
    #expect(try reading.signedMessage().contains("\u{2063}\(digits)\u{2063}525463029"))
  }

  @Test(arguments: [
    "9223372036854775808", "92233720368547758080e-1", "1e19", "1e400", "1e99999999999999999999", "-1",
  ])
  func `an integer out of range is refused in any spelling`(_ value: String) throws {
    #expect(try Reading(RealPostback.v4.object.with(["app-id": value]).text).defect?.code == .outOfRange)
  }

  @Test(arguments: [
    "9223372036854775807.000", "922337203685477580700e-2", "9.223372036854775807e18",
    "0.0000000000000000009223372036854775807e37",
  ])
  func `the largest integer is read in any spelling`(_ value: String) throws {
    let reading = try Reading(RealPostback.v4.object.with(["app-id": value]).text)
    #expect(try reading.value(of: .appID) == "9223372036854775807")
  }

  @Test(arguments: ["0", "63"])
  func `the limits of a range are valid`(_ value: String) throws {
    let object = RealPostback.v4.object.with(["conversion-value": value])
    #expect(try Reading(object.text).value(of: .conversionValue) == value)
  }

  @Test func `an identifier can be as large as an Int64`() throws {
    for value in ["0", "4294967296", "9223372036854775807"] {
      let reading = try Reading(RealPostback.v3.object.with(["app-id": value]).text)
      #expect(try reading.value(of: .appID) == value)
    }
  }

  @Test(arguments: ["low", "medium", "high"])
  func `a coarse value is one of three words`(_ word: String) throws {
    let object = RealPostback.v4Coarse.object.with(["coarse-conversion-value": "\"\(word)\""])
    #expect(try Reading(object.text).value(of: .coarseConversionValue) == word)
  }

  @Test(arguments: ["00", "05", "000", "0042", "9999"])
  func `a source identifier keeps its zeros`(_ digits: String) throws {
    let reading = try Reading(RealPostback.v4.object.with(["source-identifier": "\"\(digits)\""]).text)
    #expect(try reading.value(of: .sourceIdentifier) == digits)
    #expect(try reading.signedMessage().contains("\u{2063}\(digits)\u{2063}525463029"))
  }
}
