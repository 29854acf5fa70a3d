internal import CampaignEnrichment
package import Tables

extension Table {
  /// The table of the sums by day, conversion window and dimensions.
  package static let daily = Table(
    name: "skan_daily",
    description: """
      The sums over the accepted postbacks of a day, a conversion window and a value of each dimension. All counts and \
      amounts are additive: the sum over a dimension is the value without it. Each postback is in one row of the \
      `date_type` `received` and in one of `install`; rows of both are never added. In CSV a null is an empty field.
      """,
    columns: Column.dailyKeys + Column.dailyCounts + Column.dailyRevenue + Column.dailyTrust + Column.dailyModelled
      + Column.dailyCost + Column.dailyStatus,
    rules: [
      .when(
        [.postbackSequenceIndex: .integer(0)],
        then: [.installs: .present, .conversions: .present],
        otherwise: [
          .installs: .null, .redownloads: .null, .reengagements: .null, .conversions: .null, .installsClick: .null,
          .installsView: .null, .installsInteractionUnknown: .null,
        ]
      ),
      .when([.revenue: .null], then: [.revenueMin: .null, .revenueMax: .null, .revenueMaxClosed: .null]),
      .when([.revenueAllWindows: .present], then: [.currency: .present]),
    ]
  )

  /// The table of the decoded events by day, conversion window and dimensions.
  package static let dailyEvents = Table(
    name: "skan_daily_events",
    description: """
      The sums over the decoded postbacks with an event, for each row of `skan_daily` and event. Rows of both values of \
      `date_type` are never added. In CSV a null is an empty field.
      """,
    columns: Column.dailyKeys + [
      Column(.eventName, .nonEmptyText, .required, "The name of the event."),
      Column(
        .postbacksWithEvent,
        .count,
        .required,
        """
        The number of postbacks whose value says that the event happened. Those that mean at least 0 times are not \
        counted.
        """
      ),
      Column(
        .eventCount,
        .decimal(precision: 36, scale: 1),
        .required,
        "The sum of the estimated numbers of times."
      ),
      Column(.minEventCount, .count, .required, "The sum of the least possible numbers of times."),
      Column(
        .maxEventCount,
        .count,
        "The sum of the greatest possible numbers of times. Null if a postback has no upper limit."
      ),
      Column(
        .revenue,
        .moneySum,
        """
        The sum of the estimated revenue. Null if there is none, if there are several currencies, and if a part could not \
        be converted to that of the report.
        """
      ),
      Column(.revenueMin, .moneySum, "The sum of the least possible revenue."),
      Column(.revenueMax, .moneySum, "The sum of the upper limits. Null if a postback has none."),
      Column(.currency, .currency, "The currency of the amounts."),
      .revenueByCurrency,
      Column(
        .modelledPostbacks,
        .decimal(precision: 35, scale: 6),
        """
        `postbacks_with_event` with an estimate for postbacks without a value. Null unless the row of `skan_daily` has \
        modelled revenue.
        """
      ),
      Column(
        .modelledPostbacksLow,
        .decimal(precision: 35, scale: 6),
        "The lower end of the interval of the modelled number of postbacks."
      ),
      Column(.modelledPostbacksHigh, .decimal(precision: 35, scale: 6), "The upper end of that interval."),
      Column(
        .eventECPA,
        .ratio,
        """
        The cost of an event: `cost` · valid / (`event_count` · `installs`), where valid is `values` and \
        `ambiguous_zeros`. Null unless the row of `skan_daily` has a cost.
        """
      ),
      Column(.eventECR, .ratio, "The events for each valid conversion: `event_count` / valid. Null if there is none."),
    ]
  )

  /// The table of the conversion values by day, conversion window and dimensions.
  package static let dailyValues = Table(
    name: "skan_daily_values",
    description: """
      The number of conversions with a conversion value, for each row of `skan_daily` and value. The sum of a row's \
      counts is its `values`. Rows of both values of `date_type` are never added. In CSV a null is an empty field.
      """,
    columns: Column.dailyKeys + [
      Column(
        .value,
        .text(matching: "^([0-9]|[1-5][0-9]|6[0-3]|low|medium|high)$"),
        .required,
        "The fine value, 0 to 63, or the coarse value if there is no fine one."
      ),
      Column(.count, .integer(1...Int64.max), .required, "The number of conversions with this value."),
    ]
  )

  /// The table of the changes of `daily` since it was last written.
  package static let dailyChanges = Table(
    name: "skan_daily_changes",
    description: """
      A count or an amount in `skan_daily` that is not the one of the table that was there before. Each report adds its \
      changes to those of earlier ones. Days that the table before did not have are not listed. In CSV a null is an empty \
      field.
      """,
    columns: Column.dailyKeys + [
      Column(
        .costLevel,
        .word(of: DailyCost.Level.self),
        "As in the row of `skan_daily`, which the other columns do not tell from that of a cost that is not divided."
      ),
      Column(.metric, .nonEmptyText, .required, "The name of the column of `skan_daily`."),
      Column(
        .previous,
        .signedDecimal(precision: 36, scale: 7),
        "The value before. Null if it was null, and if there was no such row."
      ),
      Column(
        .current,
        .signedDecimal(precision: 36, scale: 7),
        "The value now. Null if it is null, and if there is no such row any more."
      ),
      Column(.asOf, .time, "The time that the new value is of, as in `skan_daily`."),
      Column(
        .reason,
        .word(of: ChangeReason.self),
        """
        The reason for the change: `late_postback` for postbacks that came later, `late_copy` for copies of them by which \
        another value, campaign or day counts, `lookup`, `model`, `rates` or `cost` for another lookup table, model, file of \
        rates or cost file. Null if there are several possible reasons, and if another grace period of `settle` may be one.
        """
      ),
    ]
  )
}

extension Column {
  /// The columns that identify a row of the daily tables.
  static let dailyKeys =
    [
      Column(
        .dateType,
        .word(of: DateType.self),
        .required,
        """
        `received` for the day of receipt; `install` for the day of the estimated install date, which is the day of \
        the conversion for re-engagements.
        """
      ),
      Column(.date, .date, "The day in UTC. Null if the time of receipt, or the install date, is not known."),
      Column(.postbackSequenceIndex, .integer(0...2), .required, "The conversion window, 0 before 4.0."),
      Column(
        .dimensions,
        .text,
        .required,
        """
        The dimensions that the rows are grouped by, joined by semicolons. The columns of other dimensions are null.
        """
      ),
    ]
    + DailyDimension.allCases.flatMap { dimension in
      [dailyDimension(dimension)] + DailyName.allCases.filter { $0.dimension == dimension }.map(dailyName)
    }

  private static func dailyDimension(_ dimension: DailyDimension) -> Column {
    func column(_ type: ColumnType, _ description: String) -> Column {
      Column(dimension.column, type, description)
    }
    return switch dimension {
    case .appID: column(.identifier, "The advertised app.")
    case .networkName:
      column(.nonEmptyText, "The name of the ad network, or its id in lower case if the lookup tables have no name.")
    case .campaignID: column(.nonEmptyText, "The id of the campaign at the ad network. Null if it is not known.")
    case .adgroupID: column(.nonEmptyText, "The id of the ad group.")
    case .creativeID: column(.nonEmptyText, "The id of the creative.")
    case .sourceAppID: column(.identifier, "The app that showed the ad. Null if Apple does not tell.")
    case .country: column(.text(matching: "^[A-Z]{2}$"), "The country, as in `skan_enriched`.")
    case .framework: column(.nonEmptyText, "`skadnetwork` or `adattributionkit`.")
    case .version: column(.nonEmptyText, "The version of SKAdNetwork.")
    case .environment: column(.nonEmptyText, "The environment, as in `skan_postbacks`.")
    case .channel: column(.nonEmptyText, "The channel through which the copy that counts came.")
    case .forwarder: column(.nonEmptyText, "The name of the forwarder of the copy that counts.")
    case .trustLevel: column(.integer(0...4), "The trust level, as in `skan_settled`. Null without that table.")
    case .modelID: column(.text, "The conversion model, as in `skan_postbacks`.")
    case .modelVersion: column(.version, "The version of the model.")
    case .conversionType: column(.nonEmptyText, "`conversion-type` of AdAttributionKit.")
    case .fidelityType: column(.integer(0...1), "`fidelity-type` of SKAdNetwork: 0 for a view, 1 for a click.")
    case .adInteractionType: column(.nonEmptyText, "`ad-interaction-type` of AdAttributionKit: `click` or `view`.")
    case .marketplaceIdentifier: column(.nonEmptyText, "`marketplace-identifier` of AdAttributionKit.")
    case .sourceIdentifier:
      column(.text(matching: "^[0-9]{2,4}$"), "`source-identifier`, with as many digits as the postback has.")
    case .sourceDomain: column(.text, "The website that showed the ad.")
    case .redownload: column(.boolean, "`redownload` of SKAdNetwork. Null for AdAttributionKit, see `conversion_type`.")
    }
  }

  private static func dailyName(_ name: DailyName) -> Column {
    func column(_ type: ColumnType, _ description: String) -> Column {
      Column(name.column, type, "\(description) Null if it differs between the postbacks.")
    }
    return switch name {
    case .app: column(.nonEmptyText, "The name of the advertised app.")
    case .networkStatus:
      column(.word(of: NetworkStatus.self), "The origin of the network's name, as in `skan_enriched`.")
    case .campaign: column(.nonEmptyText, "The name of the campaign.")
    case .adgroup: column(.nonEmptyText, "The name of the ad group.")
    case .creative: column(.nonEmptyText, "The name of the creative.")
    case .sourceApp: column(.nonEmptyText, "The name of the app or the website that showed the ad.")
    }
  }
}
