package import Tables

/// The result of a token or of a record.
package enum AttributionOutcome: String, CaseIterable, Sendable {
  case payload
  case tokenInvalid = "token_invalid"
  case tokenExpired = "token_expired"
  case notFound = "not_found"
  case unavailable
  case malformed

  /// The order in which one result of a token replaces another: a payload comes before all others.
  package var rank: Int {
    switch self {
    case .notFound, .unavailable, .malformed: 0
    case .tokenInvalid, .tokenExpired: 1
    case .payload: 2
    }
  }

  /// Indicates that a later exchange does not ask again.
  package var isFinal: Bool { rank > 0 }
}

/// A remark about the form of a payload.
package enum AttributionFlag: String, CaseIterable, Sendable {
  case fieldsWithoutAttribution = "fields_without_attribution"
  case coercedValues = "coerced_values"
  case invalidValues = "invalid_values"
  case repairedText = "repaired_text"
  case unknownValues = "unknown_values"
}

/// The interface of Apple that a payload is of.
package enum AttributionSource: String, CaseIterable, Sendable {
  case adServices = "adservices"
  case iAd = "iad"
}

/// The environment of a payload.
package enum AttributionEnvironment: String, CaseIterable, Sendable {
  case production
  case test
}

/// The words of the payloads that Apple documents at `AAAttribution.attributionToken()`, with `Search` of iAd's match types.
enum AttributionWords {
  static let conversionType = ["Download", "Redownload", "PreOrder"]
  static let claimType = ["Click", "Impression"]
  static let supplyPlacement = [
    "APPSTORE_PRODUCT_PAGES", "APPSTORE_SEARCH_RESULTS", "APPSTORE_SEARCH_TAB", "APPSTORE_TODAY_TAB",
  ]
  static let matchType = ["Broad", "Exact", "Search"]
}

extension Table {
  /// The table of the attributions of Apple Search Ads.
  package static let searchAdsAttributions = Table(
    name: "asa_attributions",
    description: """
      An install as Apple Search Ads attributes it, or a token or a record without such a result. A token has one row. In \
      CSV a null is an empty field.
      """,
    key: .attributionKey,
    columns: identityColumns + payloadColumns + originColumns,
    rules: [
      .when(
        [.outcome: .word(AttributionOutcome.payload.rawValue)],
        then: [.attribution: .present, .source: .present, .environment: .present],
        otherwise: [.attribution: .null]
      )
    ]
  )

  private static let identityColumns = [
    Column(
      .attributionKey,
      .key,
      .required,
      """
      The first 128 bits of a SHA-256: of the token; without a token of the time of receipt, the payload, and its number among \
      equal ones of its file; without both of the file in which it came first, and the number of the \
      record.
      """
    ),
    Column(.receivedAt, .time, "The time at which the token or the payload was received from the app."),
    Column(.appID, .identifier, "The app, if the record names it. Apple's payload does not."),
    Column(.tokenSHA256, .text(matching: "^[0-9a-f]{64}$"), "The SHA-256 of the token. Null without one."),
    Column(
      .outcome,
      .word(of: AttributionOutcome.self),
      .required,
      """
      `payload` for a payload of Apple's; `token_invalid` if Apple refuses the token (400); `token_expired` if it is older than \
      24 hours; `not_found` if Apple has no record of it (404), and `unavailable` if Apple does not answer, until a later \
      exchange; `malformed` if the record, or Apple's answer, cannot be read.
      """
    ),
    Column(.attempts, .count, .required, "The number of requests. 0 for imported records."),
    Column(.httpStatus, .integer(100...999), "The status of the last response. Null if there was none."),
    Column(.detail, .nonEmptyText, "The reason of a result without a payload, for people."),
  ]

  private static let payloadColumns = [
    Column(.attribution, .boolean, "True if a tap or a view of an ad led to the install."),
    Column(.orgID, .identifier, "`orgId`, `iad-org-id`."),
    Column(.orgName, .nonEmptyText, "The name of the organisation."),
    Column(.campaignID, .identifier, "`campaignId`, `iad-campaign-id`."),
    Column(.campaignName, .nonEmptyText, "The name of the campaign, from the file of names or the payload."),
    Column(.adGroupID, .identifier, "`adGroupId`, `iad-adgroup-id`."),
    Column(.adGroupName, .nonEmptyText, "The name of the ad group."),
    Column(.keywordID, .identifier, "`keywordId`, `iad-keyword-id`. Null with Search Match."),
    Column(.keyword, .nonEmptyText, "The keyword."),
    Column(.keywordMatchType, .nonEmptyText, "`iad-keyword-matchtype`: \(list(AttributionWords.matchType))."),
    Column(.adID, .identifier, "`adId`, from iOS 15.2 on."),
    Column(.adName, .nonEmptyText, "The name of the ad."),
    Column(.creativeSetID, .identifier, "`creativeSetId`, `iad-creativeset-id`."),
    Column(.creativeSetName, .nonEmptyText, "The name of the creative set."),
    Column(.country, .text(matching: "^[A-Z]{2}$"), "`countryOrRegion`, `iad-country-or-region`."),
    Column(
      .conversionType,
      .nonEmptyText,
      "`conversionType`, `iad-conversion-type`: \(list(AttributionWords.conversionType))."
    ),
    Column(.claimType, .nonEmptyText, "`claimType`: \(list(AttributionWords.claimType))."),
    Column(.clickAt, .time, "`clickDate`, `iad-click-date`. Apple's has no seconds."),
    Column(.impressionAt, .time, "`impressionDate`."),
    Column(
      .supplyPlacement,
      .nonEmptyText,
      "`supplyPlacement`, the place of the ad: \(list(AttributionWords.supplyPlacement))."
    ),
  ]

  /// The words that Apple documents, for a description. Others may come later.
  private static func list(_ words: [String]) -> String { words.map { "`\($0)`" }.joined(separator: ", ") }

  private static let originColumns = [
    Column(
      .environment,
      .word(of: AttributionEnvironment.self),
      "`test` for the payload with which Apple answers outside the App Store, else `production`. Null without a payload."
    ),
    Column(.apiVersion, .nonEmptyText, "The version of the interface: `v1`, or that of the dictionary, such as `3.1`."),
    Column(.source, .word(of: AttributionSource.self), "The interface. Null if it is not known."),
    Column(
      .flags,
      .words(AttributionFlag.allCases.map(\.rawValue)),
      """
      `fields_without_attribution` if `attribution` is false and there are other fields; `coerced_values` for numbers and \
      Booleans as texts; `invalid_values` for values that are in `extras` because their columns cannot hold them; \
      `repaired_text` for a text that was not well-formed; `unknown_values` for words that Apple's documentation does not \
      list, which are kept as they are.
      """
    ),
    Column(.extras, .object, "The fields without a column, and those with invalid values."),
    Column(.rawBody, .nonEmptyText, "The beginning of a malformed record or answer."),
    Column(.sourceFile, .nonEmptyText, "The file of the record."),
    Column(.sourceLine, .integer(1...Int64.max), "The line on which it begins."),
  ]
}
