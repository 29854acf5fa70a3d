internal import ConversionModel
internal import PostbackVerification
internal import SKAdNetwork

extension Table {
  /// The rules for rows of `skan_postbacks`.
  static var postbackRules: [RowRule] { versionRules + environmentRules + decodingRules }

  /// The columns that each framework and version has.
  private static var versionRules: [RowRule] {
    [
      .when(
        [.framework: .equals(Framework.adAttributionKit)],
        then: [
          .version: .null, .campaignID: .null, .sourceDomain: .null, .redownload: .null, .fidelityType: .null,
          .didWin: .present, .postbackSequenceIndex: .present,
          .signatureState: .isAmong([SignatureState.valid, .development]),
        ],
        otherwise: [
          .version: .present, .conversionType: .null, .adInteractionType: .null, .marketplaceIdentifier: .null,
          .impressionType: .null,
        ]
      ),
      .when(
        [.version: .equals(Version.v1_0)],
        then: [.conversionValue: .null, .signatureState: .equals(SignatureState.valid)]
      ),
      .when(
        [.version: .equals(Version.v2_0)],
        then: [.signatureState: .isAmong([SignatureState.valid, .validZeroFilled])]
      ),
      .when([.version: .versions(from: .v2_0)], then: [.redownload: .present]),
      .when([.version: .versions(before: .v2_2)], then: [.fidelityType: .null]),
      .when([.version: .versions(from: .v2_2)], then: [.fidelityType: .present]),
      .when([.version: .versions(before: .v3_0)], then: [.didWin: .null]),
      .when([.version: .versions(from: .v3_0)], then: [.didWin: .present]),
      .when(
        [.version: .versions(before: .v4_0)],
        then: [
          .campaignID: .present, .sourceIdentifier: .null, .sourceDomain: .null, .postbackSequenceIndex: .null,
          .coarseConversionValue: .null,
        ]
      ),
      .when(
        [.version: .versions(from: .v4_0)],
        then: [.campaignID: .null, .sourceIdentifier: .present, .postbackSequenceIndex: .present]
      ),
      .when(
        [.signatureState: .equals(SignatureState.validZeroFilled)],
        then: [.sourceAppID: .null, .sourceDomain: .notEmpty]
      ),
      .when(
        [.tierFlags: .containing("zero_may_be_null")],
        then: [
          .signatureState: .isAmong([SignatureState.validZeroFilled, .development]), .conversionValue: .integer(0),
        ]
      ),
    ]
  }

  /// The environment, and the times that it allows.
  private static var environmentRules: [RowRule] {
    let isDevelopment: RowRule.Conditions = [.environment: .equals(Environment.development)]
    return [
      .when([.signatureState: .equals(SignatureState.development)], then: isDevelopment),
      .when([.appID: .integer(0)], then: isDevelopment),
      .when([.sourceAppID: .integer(0), .version: .not(Version.v1_0.rawValue)], then: isDevelopment),
      .when(
        [.framework: .equals(Framework.adAttributionKit), .adNetworkID: .word("development.adattributionkit")],
        then: isDevelopment
      ),
      .when(
        [.receivedAt: .null],
        then: [
          .receivedAtSource: .null, .estimatedInstallDate: .null, .installDateEarliest: .null,
          .installDateLatest: .null,
        ],
        otherwise: [.receivedAtSource: .present, .installDateLatest: .present]
      ),
      .when(isDevelopment, then: [.estimatedInstallDate: .null, .installDateEarliest: .null]),
      .when(
        [.environment: .not(Environment.development.rawValue), .receivedAt: .present],
        then: [.estimatedInstallDate: .present, .installDateEarliest: .present]
      ),
    ]
  }

  /// The columns that each `decode_status` has.
  private static var decodingRules: [RowRule] {
    let hasValue: RowRule.Condition = .isAmong([DecodeStatus.decoded, .unmapped, .noModel, .ambiguous])
    return [
      .when(
        [.didWin: .boolean(false)],
        then: [.decodeStatus: .equals(DecodeStatus.notWon)],
        otherwise: [.decodeStatus: .not(DecodeStatus.notWon.rawValue)]
      ),
      .when(
        [.decodeStatus: .equals(DecodeStatus.null)],
        then: [.conversionValue: .null, .coarseConversionValue: .null]
      ),
      .when([.decodeStatus: hasValue, .conversionValue: .null], then: [.coarseConversionValue: .present]),
      .when(
        [.decodeStatus: .isAmong([DecodeStatus.decoded, .unmapped])],
        then: [.modelID: .matching("^[A-Za-z0-9._-]{1,64}$"), .modelVersion: .present],
        otherwise: [.modelVersion: .null]
      ),
      .when(
        [.decodeStatus: .equals(DecodeStatus.ambiguous)],
        then: [
          .modelID: .matching(
            #"^(none|[A-Za-z0-9._-]{1,64}@[1-9][0-9]*)(\|(none|[A-Za-z0-9._-]{1,64}@[1-9][0-9]*))+$"#
          )
        ]
      ),
      .when([.decodeStatus: .isAmong([DecodeStatus.null, .noModel, .notWon])], then: [.modelID: .null]),
      .when(
        [.decodeStatus: .equals(DecodeStatus.decoded), .currency: .present],
        then: [.skanRevenue: .present, .minRevenue: .present],
        otherwise: [.skanRevenue: .null, .minRevenue: .null, .maxRevenue: .null, .currency: .null]
      ),
      .when(
        [.decodeStatus: .equals(DecodeStatus.decoded)],
        then: [.cumulative: .present],
        otherwise: [.cumulative: .null]
      ),
    ]
  }
}
