internal import ConversionModel
package import Tables

extension Table {
  /// The table of the modelled revenue of null postbacks, by stratum and in total.
  package static let modelled = Table(
    name: "skan_modelled",
    description: """
      The revenue of winning installs and redownloads with an estimate for those whose postback has no conversion value. \
      There is one row for each stratum, which is a campaign as far as postbacks without a value tell it, and one total \
      of an app, a window and a period for each `model_status`. The total with an estimate has the strata that are \
      `modelled` and those that are `borrowed`. In CSV a null is an empty field.
      """,
    columns: stratumColumns + estimateColumns + sensitivityColumns,
    rules: [
      .when(
        [.scope: .word(ModelledRow.Scope.total.rawValue)],
        then: [.networkName: .null],
        otherwise: [.networkName: .present]
      ),
      .when(
        [.modelStatus: .matching("^not_modelled:")],
        then: [.nullRevenue: .null, .modelledRevenue: .null, .credibility: .null],
        otherwise: [.nullRevenue: .present]
      ),
    ]
  )

  private static let stratumColumns = [
    Column(
      .scope,
      .word(of: ModelledRow.Scope.self),
      .required,
      "`stratum` for a campaign, or `total` for all strata of the app with the same `model_status`."
    ),
    Column(.appID, .identifier, .required, "The advertised app."),
    Column(.networkName, .nonEmptyText, .nullable, "The ad network, as in `skan_enriched`. Null in a total."),
    Column(.campaignID, .integer(1...100), .nullable, "`campaign-id` up to SKAdNetwork 3, else null."),
    Column(
      .sourceIdentifier,
      .text(matching: "^[0-9]{2}$"),
      .nullable,
      """
      The two digits of the source identifier that postbacks without a value have. Null up to SKAdNetwork 3, in a \
      total, and for postbacks without an identifier.
      """
    ),
    Column(.postbackSequenceIndex, .integer(0...2), .required, "The conversion window, 0 before 4.0."),
    Column(
      .periodStart,
      .date,
      .nullable,
      "The first install date of the period. Null if install dates are not known."
    ),
    Column(.periodEnd, .date, .nullable, "The last install date of the period."),
    Column(
      .conversions,
      .count,
      .required,
      """
      The number of winning installs and redownloads, without those of version 1.0. In the windows 1 and 2 this and the \
      next two columns are those of window 0, because its nulls send no later postback.
      """
    ),
    Column(
      .values,
      .count,
      .required,
      """
      The number of these with a decoded value. In the windows 1 and 2 the number of installs with a first value, \
      without those whose later value has no meaning.
      """
    ),
    Column(.nulls, .count, .required, "The number of these without a value, for which the estimate is."),
    Column(
      .credibility,
      .decimal(precision: 7, scale: 6),
      .nullable,
      """
      The weight of the stratum's own values in its estimate: 1 for its own alone, 0 for those of the pool alone. Null \
      in a total, and without an estimate.
      """
    ),
  ]

  private static let estimateColumns = [
    Column(.observedRevenue, .moneySum, .nullable, "The estimated revenue of the values that were reported."),
    estimate(.nullRevenue, "The expected revenue of the postbacks without a value."),
    estimate(.nullRevenueVariance, "The variance of that revenue."),
    estimate(.nullRevenueLow, "The lower end of the interval of that revenue, at `level`."),
    estimate(.nullRevenueHigh, "The upper end of that interval."),
    estimate(.modelledRevenue, "`observed_revenue` + `null_revenue`."),
    estimate(.modelledRevenueLow, "`observed_revenue` + `null_revenue_low`."),
    estimate(.modelledRevenueHigh, "`observed_revenue` + `null_revenue_high`."),
    Column(
      .boundLow,
      .moneySum,
      .nullable,
      "The revenue if all postbacks without a value have the value of the model that is worth the least."
    ),
    Column(
      .boundHigh,
      .moneySum,
      .nullable,
      """
      The revenue if they have the value that is worth the most. Null if a value has no upper limit, and if the model is \
      not known.
      """
    ),
    Column(
      .currency,
      .currency,
      .nullable,
      "The currency of all amounts. Null if no value is worth money, and if there are several currencies."
    ),
    Column(.level, .decimal(precision: 7, scale: 6), .required, "The level of the intervals, such as 0.95."),
    Column(
      .assumption,
      .word([assumption]),
      .required,
      "The assumption of the estimates and intervals, but not of the bounds."
    ),
    Column(
      .modelStatus,
      .word(ModelledStatus.words),
      .required,
      """
      `modelled`; `borrowed` if the stratum has no value, and those of other strata stand in; or `not_modelled:` and the \
      reason.
      """
    ),
  ]

  private static let sensitivityColumns = [
    estimate(.modelledRevenueMin, "The modelled revenue if each value is worth the least that it can mean."),
    estimate(
      .modelledRevenueMax,
      "The modelled revenue if each value is worth the most. Null if a value has no upper limit."
    ),
    estimate(
      .modelledRevenueHalf,
      "The modelled revenue if postbacks without a value are worth 0.5 times the estimate."
    ),
    estimate(.modelledRevenueThreeQuarters, "The same for 0.75 times the estimate."),
    estimate(.modelledRevenueFiveQuarters, "The same for 1.25 times the estimate."),
    estimate(.modelledRevenueThreeHalves, "The same for 1.5 times the estimate."),
  ]

  /// The assumption of all estimates.
  fileprivate static let assumption = "missing_at_random_within_campaign"

  private static func estimate(_ name: ColumnName, _ description: String) -> Column {
    Column(name, .decimal(precision: 35, scale: 6), .nullable, description)
  }
}

extension ModelledStatus {
  /// The words of all states.
  static var allWords: [String] {
    ([.modelled, .borrowed] + NullModel.Refusal.allCases.map(ModelledStatus.refused)).map(\.word)
  }

  /// The words of the states that a row of `skan_modelled` can have.
  fileprivate static var words: [String] {
    let ofGroups = [NullModel.Refusal.severalGroups, .laterWindow].map { ModelledStatus.refused($0).word }
    return allWords.filter { !ofGroups.contains($0) }
  }
}

extension NullModelling {
  /// Returns the rows of `skan_modelled`.
  package func encoded(_ encoding: TableEncoding) -> EncodedRows {
    var encoder = RowEncoder(.modelled, encoding)
    for row in rows { encode(row, &encoder) }
    return encoder.take()
  }

  private func encode(_ row: ModelledRow, _ encoder: inout RowEncoder) {
    encoder.word(.scope, row.scope.rawValue)
    encoder.integer(.appID, row.app)
    encoder.text(.networkName, row.network)
    switch row.identifier {
    case .campaign(let campaign):
      encoder.integer(.campaignID, Int64(campaign))
      encoder.null(.sourceIdentifier)
    case .source(let digits):
      encoder.null(.campaignID)
      encoder.text(.sourceIdentifier, digits < 10 ? "0\(digits)" : "\(digits)")
    case .some(.none), nil:
      encoder.null(.campaignID)
      encoder.null(.sourceIdentifier)
    }
    encoder.integer(.postbackSequenceIndex, Int64(row.window))
    encoder.date(.periodStart, row.period?.lowerBound)
    encoder.date(.periodEnd, row.period?.upperBound)
    encoder.integer(.conversions, Int64(row.conversions))
    encoder.integer(.values, Int64(row.values))
    encoder.integer(.nulls, Int64(row.nulls))
    encoder.amount(.credibility, row.credibility.flatMap(Amount.init(estimate:)))
    encoder.amount(.observedRevenue, row.observed)
    encoder.amount(.nullRevenue, row.estimate.flatMap { Amount(estimate: $0.mean) })
    encoder.amount(.nullRevenueVariance, row.estimate.flatMap { Amount(estimate: $0.variance) })
    encoder.amount(.nullRevenueLow, row.interval.flatMap { Amount(estimate: $0.low) })
    encoder.amount(.nullRevenueHigh, row.interval.flatMap { Amount(estimate: $0.high) })
    encoder.amount(.modelledRevenue, row.revenue())
    encoder.amount(.modelledRevenueLow, row.low)
    encoder.amount(.modelledRevenueHigh, row.high)
    encoder.amount(.boundLow, row.boundLow)
    encoder.amount(.boundHigh, row.boundHigh)
    encoder.text(.currency, row.currency)
    encoder.amount(.level, Amount(estimate: level))
    encoder.word(.assumption, Table.assumption)
    encoder.word(.modelStatus, row.status.word)
    encoder.amount(.modelledRevenueMin, row.limits?.least)
    encoder.amount(.modelledRevenueMax, row.limits?.most)
    encoder.amount(.modelledRevenueHalf, row.revenue(0.5))
    encoder.amount(.modelledRevenueThreeQuarters, row.revenue(0.75))
    encoder.amount(.modelledRevenueFiveQuarters, row.revenue(1.25))
    encoder.amount(.modelledRevenueThreeHalves, row.revenue(1.5))
    encoder.endRow()
  }
}
