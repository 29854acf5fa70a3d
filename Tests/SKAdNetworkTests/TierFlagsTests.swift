import TestSupport
import Testing

@testable import SKAdNetwork

/// Changes to a 4.0 of a web ad without conversion values, and the flags that they must raise.
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
  static let second = ["postback-sequence-index": "1"] as [String: String?]
  static let third = ["postback-sequence-index": "2"] as [String: String?]
  static let lost = ["did-win": "false"] as [String: String?]

  static func both(_ changes: [String: String?]...) -> [String: String?] {
    changes.reduce(into: [:]) { $0.merge($1) { _, new in new } }
  }

  static let possible = [
    Self("nothing", [], [:]),
    Self("a fine value, four digits and a source app", [], both(fine, digits, app)),
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
  @Test(arguments: Tier.possible + Tier.impossible + Tier.several)
  fileprivate func `what the data tiers rule out raises its flag, and no other`(_ tier: Tier) throws {
    let base = RealPostback.v4.object.with(["conversion-value": nil, "source-identifier": "\"39\""])
    #expect(try Reading(base.with(tier.changes).text).postback.tierFlags == tier.flags)
  }

  @Test func `each flag is tested alone, but the one that the signature tells`() {
    let alone = Set(Tier.impossible.map(\.flags.rawValue))
    #expect(alone.union([TierFlags.zeroMayBeNull.rawValue]) == Set(TierFlags.names.map(\.flag.rawValue)))
  }

  @Test(arguments: RealPostback.all.filter { $0.name != "apple-doc-aak-prod-example" })
  func `Apple's postbacks raise none`(_ real: RealPostback) throws {
    #expect(try Reading(real.bytes).postback.tierFlags == [])
  }

  @Test func `Apple's own example of AdAttributionKit shows an impossible tier`() throws {
    let postback = try Reading(RealPostback["apple-doc-aak-prod-example"].bytes).postback
    #expect(postback.tierFlags == [.sourceDigitsWithCoarse, .sourceAppWithCoarse])
  }

  @Test func `a flag has one bit and one name, as the tables say`() {
    #expect(
      TierFlags.names.map(\.name) == [
        "fine_and_coarse", "fine_in_later_window", "source_digits_in_later_window", "source_app_in_later_window",
        "source_digits_with_coarse", "source_app_with_coarse", "lost_in_later_window", "lost_with_source_app",
        "lost_with_conversion_value", "zero_may_be_null",
      ]
    )
    #expect(TierFlags.names.allSatisfy { $0.flag.rawValue.nonzeroBitCount == 1 })
    #expect(TierFlags.names.reduce(into: TierFlags()) { $0.formUnion($1.flag) }.rawValue.nonzeroBitCount == 10)
  }
}
