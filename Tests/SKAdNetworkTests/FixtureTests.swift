import TestSupport
import Testing

@testable import SKAdNetwork

struct FixtureTests {
  @Test func `fifteen real postbacks cover all seven versions`() {
    #expect(RealPostback.all.count == 15)
    #expect(Set(RealPostback.all.map(\.version)) == Set(Version.allCases.map(\.rawValue) + ["aak"]))
  }

  @Test(arguments: RealPostback.all)
  func `a real postback has the version of its fixture`(_ real: RealPostback) throws {
    let postback = try Reading(real.bytes).postback
    #expect((postback.version?.rawValue ?? "aak") == real.version)
    #expect(postback.framework == (real.version == "aak" ? .adAttributionKit : .skAdNetwork))
    #expect(postback.coercedFields.isEmpty)
    #expect(postback.isZeroFilled == (real.signatureState == "valid_zero_filled"))
  }

  @Test(arguments: RealPostback.all)
  func `each key of a real postback is a field with that value, or an extra`(_ real: RealPostback) throws {
    let reading = try Reading(real.bytes)
    let object = real.object
    let extras = try reading.extras.map { Object($0) }
    for key in object.keys where key != "jws-string" {
      if let extra = extras?[key] {
        #expect(extra == object[key], "\(key)")
      } else {
        let field = try #require(Field(name: key))
        #expect(try reading.value(of: field) == object.string(key), "\(key)")
      }
    }
    #expect(extras?.keys.allSatisfy { object[$0] != nil } ?? true)
  }

  @Test(arguments: RealPostback.all)
  func `an absent field is nil and never 0`(_ real: RealPostback) throws {
    guard real.version != "aak" else { return }
    let reading = try Reading(real.bytes)
    let object = real.object
    for field in Field.allCases where field.name != "version" && Field.sKAdNetwork.contains(field) {
      if object[field.name] == nil { #expect(try reading.value(of: field) == nil, "\(field.name)") }
    }
  }

  @Test func `an AdAttributionKit payload is read`() throws {
    let reading = try Reading(RealPostback.adAttributionKit.bytes)
    let postback = try reading.postback
    #expect(postback.version == nil)
    #expect(reading.text(postback.adNetworkID) == "development.adattributionkit")
    #expect(reading.text(postback.transactionID) == "85546EB7-FD39-44BC-8990-C98A4AC36A49")
    #expect(postback.appID == 10_738_027_756)
    #expect(postback.sourceAppID == 0)
    #expect(postback.sourceIdentifier?.description == "1234")
    #expect(reading.text(postback.conversionType) == "re-engagement")
    #expect(reading.text(postback.impressionType) == "app-impression")
    #expect(reading.text(postback.marketplaceIdentifier) == "com.apple.AppStore")
    #expect(postback.didWin == true)
    #expect(postback.postbackSequenceIndex == 0)
    #expect(postback.conversionValue == 24)
    #expect(postback.adInteractionType == .click)
    #expect(postback.countryCode?.description == "US")
    #expect(postback.extras == nil)
    guard case .jws(let jws) = postback.signature else {
      Issue.record("no JWS")
      return
    }
    // The header says it with an escaped slash.
    #expect(reading.text(jws.keyID) == "apple-development-identifier/1")
  }

  @Test(arguments: RealPostback.all)
  func `a reused parser reads the same as a new one`(_ real: RealPostback) throws {
    var parser = PostbackParser()
    for other in RealPostback.all { _ = Reading(other.bytes, with: &parser) }
    _ = Reading(Array("{".utf8), with: &parser)
    let again = Reading(real.bytes, with: &parser)
    let new = try Reading(real.bytes)
    for field in Field.allCases { #expect(try again.value(of: field) == new.value(of: field)) }
    #expect(try again.extras == new.extras)
    #expect(try again.signedMessage() == new.signedMessage())
  }

  @Test func `the JSON array fixture has the same postbacks`() throws {
    let fixtures = RealPostback.all.map { $0.object.text }
    #expect(Fixtures.lines("forms/envelopes.jsonl").count == fixtures.count)
    let object = Object(Fixtures.bytes("forms/object.json"))
    #expect(object.text == fixtures.last)
    for (line, fixture) in zip(Fixtures.lines("forms/envelopes.jsonl"), fixtures) {
      let object = Object(line)
      #expect((object["body"] ?? object.text) == fixture)
      #expect(try Reading(line).postback.appID > 0)
    }
  }

  @Test func `a missing or null version is 1.0`() throws {
    for version in [nil, "null"] as [String?] {
      let reading = try Reading(RealPostback.v1.object.with(["version": version]).text)
      #expect(try reading.postback.version == .v1_0)
      #expect(try reading.signedMessage() == Reading(RealPostback.v1.bytes).signedMessage())
    }
  }

  @Test func `a postback before 3.0 is a win in the first window`() throws {
    for real in [RealPostback.v1, .v20, .v21, .v22] {
      let postback = try Reading(real.bytes).postback
      #expect(postback.isWin && postback.didWin == nil)
      #expect(postback.conversionWindow == 0 && postback.postbackSequenceIndex == nil)
    }
    #expect(try !Reading(RealPostback["apple-doc-3.0-nonwinning"].bytes).postback.isWin)
  }
}

extension Field {
  /// The fields that SKAdNetwork knows.
  fileprivate static let sKAdNetwork = allCases.filter { $0.rawValue <= Field.attributionSignature.rawValue }
}
