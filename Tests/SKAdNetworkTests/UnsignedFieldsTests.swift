import TestSupport
import Testing

@testable import SKAdNetwork

/// Two values of a field as JSON, and as the conflict reports them.
private struct Edit: CustomTestStringConvertible {
  let real: RealPostback
  let field: Field
  let json: (first: String?, later: String?)
  let told: (first: String?, later: String?)

  var testDescription: String { "\(field.name) of \(real.name)" }

  static let all = [
    Self(real: .v4, field: .conversionValue, json: ("1", "63"), told: ("1", "63")),
    Self(real: .v4, field: .conversionValue, json: (nil, "0"), told: (nil, "0")),
    Self(real: .v4, field: .conversionValue, json: ("0", "null"), told: ("0", nil)),
    Self(real: .v4, field: .coarseConversionValue, json: ("\"low\"", "\"high\""), told: ("low", "high")),
    Self(real: .v4, field: .coarseConversionValue, json: (nil, "\"medium\""), told: (nil, "medium")),
    Self(real: .v4, field: .countryCode, json: ("\"US\"", "\"DE\""), told: ("US", "DE")),
    Self(real: .v4, field: .countryCode, json: ("\"US\"", nil), told: ("US", nil)),
    Self(real: .adAttributionKit, field: .adInteractionType, json: ("\"click\"", "\"view\""), told: ("click", "view")),
    Self(real: .adAttributionKit, field: .conversionValue, json: ("24", "25"), told: ("24", "25")),
    Self(real: .v1, field: .redownload, json: ("false", "true"), told: ("false", "true")),
    Self(real: .v1, field: .redownload, json: ("false", nil), told: ("false", nil)),
    Self(real: .v1, field: .sourceAppID, json: ("7", "8"), told: ("7", "8")),
    Self(real: .v1, field: .sourceAppID, json: (nil, "0"), told: (nil, "0")),
    Self(real: .v4, field: .conversionValue, json: ("64", "1"), told: ("unreadable", "1")),
    Self(real: .v4, field: .conversionValue, json: (nil, "{}"), told: (nil, "unreadable")),
    Self(real: .v4, field: .coarseConversionValue, json: ("\"high\"", "\"none\""), told: ("high", "unreadable")),
    Self(real: .v4, field: .countryCode, json: ("\"USA\"", "\"AE\""), told: ("unreadable", "AE")),
    Self(real: .adAttributionKit, field: .adInteractionType, json: ("7", "\"view\""), told: ("unreadable", "view")),
    Self(real: .v1, field: .redownload, json: ("\"yes\"", "true"), told: ("unreadable", "true")),
    Self(real: .v1, field: .sourceAppID, json: ("-1", "1"), told: ("unreadable", "1")),
  ]
}

struct UnsignedFieldsTests {
  private func unsigned(_ real: RealPostback, _ changes: [String: String?] = [:]) throws -> UnsignedFields {
    try Reading(real.object.with(changes).text).unsignedFields
  }

  @Test(arguments: RealPostback.all)
  func `a postback does not conflict with itself`(_ real: RealPostback) throws {
    #expect(try unsigned(real) == unsigned(real))
    #expect(try unsigned(real).conflicts(with: unsigned(real)).isEmpty)
  }

  @Test(arguments: Edit.all)
  fileprivate func `an edited field is a conflict that shows both values`(_ edit: Edit) throws {
    let first = try unsigned(edit.real, [edit.field.name: edit.json.first])
    let later = try unsigned(edit.real, [edit.field.name: edit.json.later])
    #expect(first != later)
    #expect(
      first.conflicts(with: later) == [.init(field: edit.field, first: edit.told.first, later: edit.told.later)]
    )
    #expect(
      later.conflicts(with: first) == [.init(field: edit.field, first: edit.told.later, later: edit.told.first)]
    )
  }

  @Test func `every edited field is reported`() throws {
    let first = try unsigned(.v4, ["country-code": "\"US\""])
    let later = try unsigned(.v4, ["conversion-value": nil, "coarse-conversion-value": "\"low\""])
    #expect(
      first.conflicts(with: later).map(\.field) == [.conversionValue, .coarseConversionValue, .countryCode]
    )
  }

  @Test(arguments: [
    ("redownload", "true"), ("source-app-id", "0"), ("did-win", "false"), ("source-identifier", "\"52\""),
  ])
  func `a signed field is not compared`(_ key: String, json: String) throws {
    #expect(try unsigned(.v4) == unsigned(.v4, [key: json]))
  }

  @Test func `different source domains beside a source app conflict`() throws {
    func fields(_ domain: String?) throws -> UnsignedFields {
      try unsigned(.v4, ["source-app-id": "7", "source-domain": domain])
    }
    let (none, one, two) = (try fields(nil), try fields("\"a.example\""), try fields("\"b.example\""))
    #expect(try one == fields("\"a.example\"") && none == fields("\"\"") && none == fields("null"))
    #expect(one.conflicts(with: two) == [.init(field: .sourceDomain, first: "other", later: "other")])
    #expect(none.conflicts(with: two) == [.init(field: .sourceDomain, first: nil, later: "other")])
  }

  @Test func `unreadable values do not conflict with each other`() throws {
    for (real, key) in [
      (RealPostback.v4, "conversion-value"), (.v4, "coarse-conversion-value"), (.v4, "country-code"),
      (.adAttributionKit, "ad-interaction-type"), (.v1, "redownload"), (.v1, "source-app-id"),
    ] {
      #expect(try unsigned(real, [key: "{}"]) == unsigned(real, [key: "-5"]), "\(key)")
    }
  }

  @Test func `a state of an earlier version, which kept letter case, does not conflict`() throws {
    let country = "us".utf8.reduce(0) { $0 << 8 | UInt32($1) } << 13
    let packed = try unsigned(.v4, ["country-code": "\"US\""])
    let lower = packed.bits & ~(0xFFFF << 13) | country
    #expect(lower != packed.bits && UnsignedFields(bits: lower, number: nil) == packed)
  }

  @Test func `extras and the spelling of a value do not conflict`() throws {
    #expect(try unsigned(.v4) == unsigned(.v4, ["timestamp": "1", "campaign-id": "7"]))
    #expect(try unsigned(.v4) == unsigned(.v4, ["conversion-value": "\"63\"", "country-code": "\"\""]))
    for (key, one, other) in [
      ("country-code", "\"us\"", "\"US\""), ("country-code", "\"UK\"", "\"GB\""),
      ("coarse-conversion-value", "\"LOW\"", "\"low\""),
      ("conversion-value", "23.0", "23"),
    ] {
      #expect(try unsigned(.v4, [key: one]) == unsigned(.v4, [key: other]))
    }
  }
}
