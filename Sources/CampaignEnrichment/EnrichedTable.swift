internal import LookupTables
internal import PostbackVerification
package import Tables

extension Table {
  /// The table of accepted postbacks with the names and campaigns of lookup tables, derived from `postbacks` row by row.
  package static let enriched = Table(
    name: "skan_enriched",
    description: """
      An accepted postback with the names and the campaign of lookup tables. There is one row for each row of \
      `skan_postbacks`, in the same order. The country, the ad interaction type and the time of receipt are those that \
      `skan_settled` decided, if it has the postback. In CSV a null is an empty field.
      """,
    key: .postbackKey,
    columns: [
      Column(.postbackKey, .key, .required, "The postback, a row of `skan_postbacks`."),
      Column(
        .networkName,
        .nonEmptyText,
        .required,
        """
        The name of the ad network. The id in lower case if `network_status` is `unmapped`, and `(development)` if \
        it is `development`.
        """
      ),
      Column(
        .networkStatus,
        .word(of: NetworkStatus.self),
        .required,
        """
        `mapped` if `networks` has the id at the time of receipt; `unmapped` if not; `development` for Apple's \
        tests, for which nothing is looked up.
        """
      ),
      Column(.appName, .nonEmptyText, "The name of the advertised app. Null if `apps` does not have it."),
      Column(
        .sourceAppName,
        .nonEmptyText,
        """
        The name of the app or the website that showed the ad. Null if `source_apps` does not have it, and if Apple \
        does not tell which it was.
        """
      ),
      Column(.campaignID, .nonEmptyText, "The id of the campaign at the ad network. Null if it is not known."),
      Column(
        .campaignName,
        .nonEmptyText,
        """
        The name of the campaign. That of a forwarder if `campaigns` has the id without a name. Null if it is not known, \
        and if it has changed in the time in question.
        """
      ),
      Column(.adgroupID, .nonEmptyText, "The id of the ad group."),
      Column(.adgroupName, .nonEmptyText, "The name of the ad group."),
      Column(.creativeID, .nonEmptyText, "The id of the creative."),
      Column(.creativeName, .nonEmptyText, "The name of the creative."),
      Column(.placement, .nonEmptyText, "The placement."),
      Column(.geo, .nonEmptyText, "The region, as `campaigns` has it."),
      Column(
        .country,
        .text(matching: "^[A-Z]{2}$"),
        "The country, ISO 3166-1 alpha-2. It never comes from a name or an address."
      ),
      Column(
        .countrySource,
        .word(of: CountrySource.self),
        """
        `postback` if the copy that counts has the country; `targeting` if it is the only country that all rows of \
        `campaigns` that fit target. Null if `country` is null.
        """
      ),
      Column(
        .enrichStatus,
        .word(of: EnrichStatus.self),
        .required,
        """
        `exact` if one row of `campaigns` fits; `agreed` if several fit and agree on the campaign; `ambiguous` if \
        they do not agree on it; `outside_validity` if rows with the identifier are not valid at the time of the \
        impression; `unmapped` if no row has the identifier.
        """
      ),
      Column(
        .enrichSource,
        .word(of: EnrichSource.self),
        """
        The origin of the campaign, the ad group and the creative: `table` for `campaigns`, `inline` for the keys \
        that a forwarder added. `both` if `campaigns` has a value, and the forwarder's keys agree with it or add one \
        below it. Null if there are none.
        """
      ),
      Column(
        .enrichConflict,
        .boolean,
        .required,
        """
        True if a forwarder names another campaign, ad group or creative than `campaigns`. The row has the values of \
        `campaigns`.
        """
      ),
      Column(.candidateCount, .integer(0...Int64.max), .required, "The number of rows of `campaigns` that fit."),
      Column(
        .environment,
        .word(environments),
        .required,
        """
        As in `skan_postbacks`, or `forwarder_test` if a forwarder marks the postback as a test. Reports leave tests \
        out.
        """
      ),
      Column(
        .forwardedAt,
        .time,
        """
        The time at which a forwarder handed the postback on, as it says itself. Null if it does not say so, if the \
        time is before September 2001, and if it is more than a day after the receipt.
        """
      ),
    ]
  )

  /// The environments of postbacks, and the one of tests that a forwarder marks.
  private static let environments = Environment.allCases.map(\.rawValue) + [forwarderTest]

  /// The environment of a postback that a forwarder marks as a test.
  package static let forwarderTest = "forwarder_test"
}
