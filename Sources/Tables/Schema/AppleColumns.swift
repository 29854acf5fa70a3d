internal import SKAdNetwork

extension Table {
  /// The columns of `skan_postbacks` that identify the postback and hold what Apple sent.
  static let appleColumns = [
    Column(
      .postbackKey,
      .key,
      .required,
      """
      The key of the postback, the same in every run: the first 128 bits, in hexadecimal digits, of the SHA-256 of \
      framework, ad network, transaction and window (0 before 4.0), joined by U+2063. It is unique in this table, \
      and joins the tables.
      """
    ),
    Column(.framework, .word(of: Framework.self), .required, "`skadnetwork` or `adattributionkit`."),
    Column(
      .version,
      .word(of: Version.self),
      """
      Apple's version: `1.0`, `2.0`, `2.1`, `2.2`, `3.0`, `4.0`. It is `1.0` if the postback has none, and null \
      for AdAttributionKit.
      """
    ),
    Column(
      .adNetworkID,
      .nonEmptyText,
      .required,
      "`ad-network-id` or `ad-network-identifier`, exactly as it was sent. Signed."
    ),
    Column(
      .transactionID,
      .nonEmptyText,
      .required,
      "`transaction-id` or `postback-identifier`, exactly as it was sent. Signed."
    ),
    Column(.appID, .identifier, .required, "The advertised app: `app-id` or `advertised-item-identifier`. Signed."),
    Column(
      .campaignID,
      .integer(1...100),
      "`campaign-id`, 1 to 100. Signed. Null from 4.0 on and for AdAttributionKit."
    ),
    Column(
      .sourceIdentifier,
      .text(matching: "^[0-9]{2,4}$"),
      """
      `source-identifier`, two to four digits. Leading zeros count. Signed. Null before 4.0, and if an \
      AdAttributionKit postback has none.
      """
    ),
    Column(
      .sourceAppID,
      .identifier,
      """
      The app that showed the ad: `source-app-id` or `publisher-item-identifier`. Signed from 2.0 on. Null if \
      Apple does not tell, and if a forwarder filled in a 0.
      """
    ),
    Column(
      .sourceDomain,
      .text,
      """
      The website that showed the ad: `source-domain`, from 4.0 on. Signed. Null if there is none. A domain beside \
      a signed `source-app-id` is not signed, and is in `extras`.
      """
    ),
    Column(
      .redownload,
      .boolean,
      """
      `redownload`: true if the app was installed before. Signed from 2.0 on. Null for AdAttributionKit, and if a \
      1.0 postback has no readable value.
      """
    ),
    Column(
      .conversionType,
      .nonEmptyText,
      """
      `conversion-type`: `download`, `redownload`, or `re-engagement` (also if Apple wrote `reengagement`). \
      Signed. Null for SKAdNetwork, and if there is none.
      """
    ),
    Column(
      .fidelityType,
      .integer(0...1),
      """
      `fidelity-type`: 0 for a view-through ad, 1 for a StoreKit-rendered ad. Signed. Null before 2.2 and for \
      AdAttributionKit.
      """
    ),
    Column(
      .adInteractionType,
      .word(of: AdInteractionType.self),
      """
      `ad-interaction-type`: `click` or `view`. Not signed. Null for SKAdNetwork, and if there is no readable \
      value.
      """
    ),
    Column(
      .didWin,
      .boolean,
      "`did-win`: true if the ad network won the attribution. Signed. Null before 3.0, when Apple sent wins only."
    ),
    Column(
      .postbackSequenceIndex,
      .integer(0...2),
      """
      The conversion window: 0 for days 0 to 2, 1 for days 3 to 7, 2 for days 8 to 35. Signed. Null before 4.0, \
      which has one window.
      """
    ),
    Column(
      .conversionValue,
      .integer(0...63),
      """
      The fine conversion value, 0 to 63. Not signed. Null if there is no readable value, which is not the same as \
      0. Null in 1.0, where the value is in `extras`.
      """
    ),
    Column(
      .coarseConversionValue,
      .word(of: CoarseConversionValue.self),
      "`low`, `medium` or `high`. Not signed. Null if there is no readable value, and before 4.0."
    ),
    Column(
      .countryCode,
      .text(matching: "^[A-Z]{2}$"),
      """
      `country-code` in capital letters: an assigned code of ISO 3166-1, or `XK`. Not signed. Null if there is no \
      readable value.
      """
    ),
    Column(
      .marketplaceIdentifier,
      .nonEmptyText,
      "`marketplace-identifier`. Signed. Null for SKAdNetwork, and if there is none."
    ),
    Column(.impressionType, .nonEmptyText, "`impression-type`. Signed. Null for SKAdNetwork, and if there is none."),
  ]
}
