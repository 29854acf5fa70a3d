import Base
import TestSupport
import Testing

@testable import SKAdNetwork

/// Changes to a 4.0 postback of a web ad without conversion values, and the expected flags.
private struct Tier: CustomTestStringConvertible {
  let testDescription: String
  let flags: TierFlags
  let changes: [String: String?]

  init(_ description: String, _ flags: TierFlags, _ changes: [String: String?]) {
    testDescription = description
    self.flags = flags
    self.changes = changes
  }

  static let fine = ["conversion-value": "0"] as [String: String?]
  static let coarse = ["coarse-conversion-value": "\"low\""] as [String: String?]
  static let digits = ["source-identifier": "\"523\""] as [String: String?]
  static let app = ["source-app-id": "7", "source-domain": nil] as [String: String?]
  static let country = ["country-code": "\"DE\""] as [String: String?]
  static let second = ["postback-sequence-index": "1"] as [String: String?]
  static let third = ["postback-sequence-index": "2"] as [String: String?]
  static let lost = ["did-win": "false"] as [String: String?]

  static func both(_ changes: [String: String?]...) -> [String: String?] {
    changes.reduce(into: [:]) { $0.merge($1) { _, new in new } }
  }

  static let possible = [
    Self("nothing", [], [:]),
    Self("a fine value, four digits, a source app and a country", [], both(fine, digits, app, country)),
    Self("a country where the app set no value", [], country),
    Self("Kosovo, whose code ISO 3166-1 has not assigned", [], ["country-code": "\"XK\""]),
    Self("a coarse value with two digits", [], coarse),
    Self("a coarse value in a later window", [], both(coarse, second)),
    Self("a loss", [], lost),
    Self("a loss with four digits", [], both(lost, digits)),
    Self("a source app of 0 is none", [], both(coarse, ["source-app-id": "0"])),
  ]

  static let impossible = [
    Self("fine and coarse", .fineAndCoarse, both(fine, coarse)),
    Self("a fine value in the second window", .fineInLaterWindow, both(fine, second)),
    Self("a fine value in the third window", .fineInLaterWindow, both(fine, third)),
    Self("three digits in the second window", .sourceDigitsInLaterWindow, both(digits, second)),
    Self("three digits in the third window", .sourceDigitsInLaterWindow, both(digits, coarse, third)),
    Self("a source app in the second window", .sourceAppInLaterWindow, both(app, second)),
    Self("three digits with a coarse value", .sourceDigitsWithCoarse, both(digits, coarse)),
    Self("a source app with a coarse value", .sourceAppWithCoarse, both(app, coarse)),
    Self("a loss in the second window", .lostInLaterWindow, both(lost, second)),
    Self("a loss with a source app", .lostWithSourceApp, both(lost, app)),
    Self("a loss with a fine value", .lostWithConversionValue, both(lost, fine)),
    Self("a loss with a coarse value", .lostWithConversionValue, both(lost, coarse)),
    Self("a country in the second window", .countryInLaterWindow, both(country, second)),
    Self("a country in the third window", .countryInLaterWindow, both(country, coarse, third)),
    Self("a country with a coarse value", .countryWithCoarse, both(country, coarse)),
    Self("a loss with a country", .lostWithCountry, both(lost, country)),
    Self("a source domain beside a source app", .unsignedSourceDomain, ["source-app-id": "7"]),
  ]

  static let unreadable = [
    Self("a conversion value of 64", .unreadableConversionValue, ["conversion-value": "64"]),
    Self("a conversion value that is none", .unreadableConversionValue, ["conversion-value": "true"]),
    Self("an unknown coarse value", .unreadableCoarseConversionValue, ["coarse-conversion-value": "\"none\""]),
    Self("a country of three letters", .unreadableCountryCode, ["country-code": "\"USA\""]),
    Self("a country that is not known", .unreadableCountryCode, ["country-code": "\"ZZ\""]),
    Self("a country that is none", .unreadableCountryCode, ["country-code": "\"EU\""]),
    Self("a country that is a number", .unreadableCountryCode, ["country-code": "840"]),
  ]

  static let several = [
    Self(
      "everything at once",
      [
        .fineAndCoarse, .fineInLaterWindow, .sourceDigitsInLaterWindow, .sourceAppInLaterWindow, .lostInLaterWindow,
        .lostWithSourceApp, .lostWithConversionValue,
      ],
      both(fine, coarse, digits, app, third, lost)
    ),
    Self(
      "everything in the first window",
      [.fineAndCoarse, .sourceDigitsWithCoarse, .sourceAppWithCoarse, .lostWithSourceApp, .lostWithConversionValue],
      both(fine, coarse, digits, app, lost)
    ),
  ]
}

struct TierFlagsTests {
  @Test(arguments: Tier.possible + Tier.impossible + Tier.unreadable + Tier.several)
  fileprivate func `what the data tiers rule out raises its flag, and no other`(_ tier: Tier) throws {
    let base = RealPostback.v4.object.with(["conversion-value": nil, "source-identifier": "\"39\""])
    #expect(try Reading(base.with(tier.changes).text).postback.tierFlags == tier.flags)
  }

  @Test(arguments: [
    ("real-1.0-ironsource", "redownload", "\"yes\"", TierFlags.unreadableRedownload),
    ("real-1.0-ironsource", "source-app-id", "-1", .unreadableSourceAppID),
    ("apple-doc-aak-dev1", "ad-interaction-type", "\"tap\"", .unreadableAdInteractionType),
    ("apple-doc-aak-dev1", "conversion-value", "[24]", .unreadableConversionValue),
    ("apple-doc-2.0", "conversion-value", "99", .unreadableConversionValue),
  ])
  func `an unreadable unsigned field is null, flagged, and an extra`(
    _ name: String,
    key: String,
    json: String,
    flag: TierFlags
  ) throws {
    let real = RealPostback[name]
    let reading = try Reading(real.object.with([key: json]).text)
    #expect(try reading.value(of: Field(name: key) ?? .version) == nil)
    #expect(try reading.postback.tierFlags == flag)
    #expect(Object(try reading.extras ?? "{}")[key] == json)
    #expect(try reading.signedMessage() == Reading(real.bytes).signedMessage())
  }

  /// No published postback that Apple signed has a marketplace and no value.
  @Test(
    arguments: [
      (
        ["conversion-value": nil, "country-code": nil], #""source-identifier":"39","publisher-item-identifier":0"#, true
      ),
      (["conversion-value": nil, "country-code": nil], #""source-identifier":"39""#, true),
      (["conversion-value": nil, "country-code": nil], #""source-identifier":"391""#, false),
      (
        ["conversion-value": nil, "country-code": nil], #""source-identifier":"39","publisher-item-identifier":7"#,
        false
      ),
      (
        ["conversion-value": nil, "country-code": nil], #""source-identifier":"39","postback-sequence-index":1"#, false
      ),
      (["conversion-value": nil, "country-code": nil], #""source-identifier":"39","did-win":false"#, false),
      (
        ["conversion-value": nil, "country-code": nil], #""source-identifier":"39","marketplace-identifier":null"#,
        false
      ),
      (["country-code": nil], #""source-identifier":"39""#, false),
      (["conversion-value": "64", "country-code": nil], #""source-identifier":"39""#, false),
      (
        ["conversion-value": nil, "coarse-conversion-value": "\"low\"", "country-code": nil],
        #""source-identifier":"39""#, false
      ),
    ] as [([String: String?], String, Bool)]
  )
  func `a marketplace in a postback of Tier 0 is flagged`(
    beside: [String: String?],
    payload members: String,
    isFlagged: Bool
  ) throws {
    let real = RealPostback.adAttributionKit.object
    let parts = try #require(real.string("jws-string")).split(separator: ".").map(String.init)
    var payload: [UInt8] = []
    #expect(Base64.url.decode(Array(parts[1].utf8).span, appendingTo: &payload))
    var edited = Object(payload).without("publisher-item-identifier")
    for key in Object("{\(members)}").keys { edited[key] = Object("{\(members)}")[key] }
    let jws = [parts[0], String(decoding: Base64.url.encode(edited.text.utf8), as: UTF8.self), parts[2]]
    let text = real.with(["jws-string": Object.quoted(jws.joined(separator: "."))]).with(beside).text
    #expect(try Reading(text).postback.tierFlags.contains(.marketplaceInTier0) == isFlagged)
  }

  @Test func `each flag is tested alone, except the one that depends on the signature`() {
    let alone = Set((Tier.impossible + Tier.unreadable).map(\.flags.rawValue))
    let elsewhere: [TierFlags] = [
      .zeroMayBeNull, .marketplaceInTier0, .unreadableRedownload, .unreadableSourceAppID, .unreadableAdInteractionType,
    ]
    #expect(alone.union(elsewhere.map(\.rawValue)) == Set(TierFlags.names.map(\.flag.rawValue)))
  }

  @Test(arguments: RealPostback.all.filter { $0.name != "apple-doc-aak-prod-example" })
  func `Apple's postbacks raise no flag`(_ real: RealPostback) throws {
    #expect(try Reading(real.bytes).postback.tierFlags == [])
  }

  @Test func `flags of signed fields, of what an app may have done and of unreadable values tell nothing of a sender`()
  {
    let blameless: TierFlags = [
      .lostWithSourceApp, .lostInLaterWindow, .sourceDigitsInLaterWindow, .sourceAppInLaterWindow, .zeroMayBeNull,
      .marketplaceInTier0, .unreadableConversionValue, .unreadableCoarseConversionValue, .unreadableAdInteractionType,
      .unreadableCountryCode, .unreadableRedownload, .unreadableSourceAppID,
    ]
    #expect(TierFlags.edits.isDisjoint(with: blameless))
    #expect(TierFlags.edits.union(blameless) == TierFlags(TierFlags.names.map(\.flag)))
    for flags: TierFlags in [.fineAndCoarse, .fineInLaterWindow, .lostWithConversionValue] {
      // Many forwarders write a missing value as 0.
      #expect(flags.tellEdits(fineValue: 5) && flags.tellEdits(fineValue: nil) && !flags.tellEdits(fineValue: 0))
    }
    #expect(TierFlags.countryWithCoarse.tellEdits(fineValue: 0))
  }

  @Test(arguments: [
    ["conversion-value": "-1"], ["coarse-conversion-value": "\"none\""], ["country-code": "\"USA\""],
  ])
  func `a missing value in a forwarder's own spelling is no edit`(_ changes: [String: String?]) throws {
    let base = RealPostback.v4.object.with(["conversion-value": nil, "source-identifier": "\"39\""])
    let postback = try Reading(base.with(changes).text).postback
    #expect(postback.tierFlags != [])
    #expect(!postback.tierFlags.tellEdits(fineValue: postback.conversionValue))
  }

  @Test func `Apple's example of AdAttributionKit has an impossible tier`() throws {
    let postback = try Reading(RealPostback["apple-doc-aak-prod-example"].bytes).postback
    #expect(postback.tierFlags == [.sourceDigitsWithCoarse, .sourceAppWithCoarse, .countryWithCoarse])
  }

  @Test func `each flag has one bit and one name`() {
    #expect(
      TierFlags.names.map(\.name) == [
        "fine_and_coarse", "fine_in_later_window", "source_digits_in_later_window", "source_app_in_later_window",
        "source_digits_with_coarse", "source_app_with_coarse", "lost_in_later_window", "lost_with_source_app",
        "lost_with_conversion_value", "zero_may_be_null", "country_in_later_window", "country_with_coarse",
        "lost_with_country", "marketplace_in_tier_0", "unsigned_source_domain", "unreadable_conversion_value",
        "unreadable_coarse_conversion_value", "unreadable_ad_interaction_type", "unreadable_country_code",
        "unreadable_redownload", "unreadable_source_app_id",
      ]
    )
    #expect(TierFlags.names.allSatisfy { $0.flag.rawValue.nonzeroBitCount == 1 })
    #expect(TierFlags.names.reduce(into: TierFlags()) { $0.formUnion($1.flag) }.rawValue.nonzeroBitCount == 21)
  }
}
