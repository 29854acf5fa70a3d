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
    columns: stratumColumns + estimateColumns + sensitivityColumns + basisColumns,
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
      "`stratum` for a campaign, or `total` for all strata of the app with an estimate, or with the same reason for none."
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
      """
      The first day of the week or month, or the first install date of the app. In the windows 1 and 2 of the whole range \
      the first one of which all installs are there. Null if install dates are not known.
      """
    ),
    Column(
      .periodEnd,
      .date,
      .nullable,
      """
      The last install date of the period. In the windows 1 and 2 the last one of which the window has ended, unless the \
      state is `not_modelled:open`.
      """
    ),
    Column(
      .conversions,
      .count,
      .required,
      """
      The number of winning installs and redownloads, without those of version 1.0. In the windows 1 and 2 this and the \
      next two columns are those of window 0, because its nulls send no later postback, and without SKAdNetwork 3 and \
      earlier, which have one window.
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
    Column(
      .observedRevenue,
      .moneySum,
      .nullable,
      "The estimated revenue of the values that were reported, with coarse values worth what fine ones tell."
    ),
    estimate(.nullRevenue, "The expected revenue of the postbacks without a value."),
    estimate(.nullRevenueVariance, "The variance of that revenue."),
    estimate(.nullRevenueLow, "The lower end of the interval of that revenue, at `level`."),
    estimate(.nullRevenueHigh, "The upper end of that interval. Null if there is no limit."),
    estimate(.modelledRevenue, "`observed_revenue` + `null_revenue`."),
    estimate(
      .modelledRevenueLow,
      """
      The lower end of the interval of all revenue, at `level`: with the errors of nulls, of coarse values, of the ranges \
      of values, and in the windows 1 and 2 of install dates.
      """
    ),
    estimate(.modelledRevenueHigh, "The upper end of that interval. Null if there is no limit."),
    Column(
      .boundLow,
      .moneySum,
      .nullable,
      """
      The revenue if each value is worth the least that it can mean, and each postback without a value the least of all \
      values.
      """
    ),
    Column(
      .boundHigh,
      .moneySum,
      .nullable,
      """
      The revenue if they are worth the most. Null if a value has no upper limit, if the model is not known, and if the \
      window is open.
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
    estimate(
      .nullOddsLow,
      """
      The lower end of the interval of the modelled revenue if the odds of a null are half as high for payers as for \
      others (`null_odds` 1/2).
      """
    ),
    estimate(
      .nullOddsHigh,
      """
      The upper end of that interval if they are twice as high (`null_odds` 2). Null if there is no upper limit.
      """
    ),
  ]

  private static let basisColumns = [
    Column(
      .tierFactor,
      .decimal(precision: 35, scale: 6),
      .nullable,
      """
      The factor of the revenue of postbacks without a value, which the data tiers of the values tell: 1 if values of all \
      tiers are worth the same. Null without an estimate.
      """
    ),
    Column(
      .dayFactor,
      .decimal(precision: 35, scale: 6),
      .nullable,
      """
      The same, as the values of install days with many nulls tell it: 1 if days do not differ beyond chance. Null without \
      an estimate.
      """
    ),
    Column(
      .coarseBasis,
      .word(of: CoarseBasis.self),
      .nullable,
      """
      The origin of the worth of coarse values: the fine values of the same class of the `stratum`, of the `network` in \
      the app, or of the `app`; or `assumed`, if these are too few and the number of the model stands. The farthest one if \
      there are several. Null without coarse values.
      """
    ),
    Column(
      .bucketBasis,
      .word(of: BucketBasis.self),
      .nullable,
      """
      The origin of the worth of fine values: `exact`, if the model has exact amounts; `learnt`, if `s2s_events` tells the \
      mean in the range of each; or `assumed`, if the intervals have both ends of a range. The least certain one if there \
      are several. Null if no fine value has revenue.
      """
    ),
    Column(
      .ambiguousZeros,
      .count,
      .required,
      """
      The number of postbacks with the value 0 that may be a null. The lower ends of the intervals take them for values, \
      and the upper ends for nulls.
      """
    ),
  ]

  /// The assumption of all estimates.
  static let assumption = "missing_at_random_within_campaign"

  private static func estimate(_ name: ColumnName, _ description: String) -> Column {
    Column(name, .decimal(precision: 35, scale: 6), .nullable, description)
  }
}

extension ModelledStatus {
  /// The words of all states.
  package static var allWords: [String] {
    ([.modelled, .borrowed] + NullModel.Refusal.allCases.map(ModelledStatus.refused)).map(\.word)
  }

  /// The words of the states that a row of `skan_modelled` can have.
  fileprivate static var words: [String] {
    let ofGroups = [NullModel.Refusal.severalGroups, .laterWindow].map { ModelledStatus.refused($0).word }
    return allWords.filter { !ofGroups.contains($0) }
  }
}
