internal import Tables

// The columns of `skan_daily` that are counted from postbacks.
extension Column {
  /// The columns with numbers of postbacks.
  static let dailyCounts = [
    count(.postbacks, "The number of postbacks."),
    count(.postbacksWon, "The number of postbacks that won the attribution: `did_win` is not false."),
    later(.installs, "The number of winning postbacks of new installs."),
    later(.redownloads, "The number of winning postbacks of apps that were installed before."),
    later(.reengagements, "The number of winning postbacks of re-engagements."),
    later(.conversions, "The sum of `installs`, `redownloads` and `reengagements`."),
    later(.installsClick, "The number of installs after a click."),
    later(.installsView, "The number of installs after a view."),
    later(.installsInteractionUnknown, "The number of installs for which neither is known, such as all before 2.2."),
    count(.assists, "The number of postbacks that lost the attribution: `did_win` is false."),
    count(.web, "The number of postbacks of ads on websites."),
    count(
      .fineValues,
      """
      The number of conversions with a fine value, without those in `ambiguous_zeros`. In the windows 1 and 2, here and \
      in the following columns, of winning postbacks.
      """
    ),
    count(.coarseLow, "The number of conversions with the coarse value `low` and no fine value."),
    count(.coarseMedium, "The number of conversions with the coarse value `medium` and no fine value."),
    count(.coarseHigh, "The number of conversions with the coarse value `high` and no fine value."),
    count(
      .nulls,
      """
      The number of conversions without a value that could have one. SKAdNetwork sends no such postback for the windows 1 and \
      2.
      """
    ),
    count(.noValuePossible, "The number of conversions of version 1.0, which has no conversion value."),
    count(
      .ambiguousZeros,
      """
      The number of conversions with the value 0 that may be a null: the ad network writes nulls as 0 \
      (`null_as_zero`), or the postback has the tier flag `zero_may_be_null`. They are neither values nor nulls. A 0 of \
      a device's own copy that decides, or that a forwarder confirms, is a value.
      """
    ),
    count(.values, "The sum of `fine_values`, `coarse_low`, `coarse_medium` and `coarse_high`."),
    Column(.nullRate, .ratio, "`nulls` / (`values` + `nulls`). Null if both are 0."),
    Column(.nullRateLow, .ratio, "The lower limit of the null rate: Wilson's interval at 95 %."),
    Column(.nullRateHigh, .ratio, "The upper limit of the null rate."),
    count(.valueZero, "The number of `fine_values` that are 0."),
    count(.valuePositive, "The number of `fine_values` above 0."),
    count(.valueSum, "The sum of the fine values."),
    count(.decoded, "The number of postbacks whose value the model decodes."),
    count(.unmapped, "The number of postbacks whose value the model does not list."),
    count(.noModel, "The number of postbacks with a value for which there is no model."),
    count(.ambiguous, "The number of postbacks on whose value models disagree."),
    count(.undecoded, "The sum of `unmapped`, `no_model` and `ambiguous`."),
  ]

  /// The columns with decoded revenue.
  static let dailyRevenue = [
    Column(
      .revenue,
      .moneySum,
      """
      The sum of the estimated revenue of decoded postbacks, in `currency`. Null if no model with a currency decodes \
      one, if there are several currencies, and if a part could not be converted to that of the report.
      """
    ),
    Column(.revenueMin, .moneySum, "The sum of the least possible revenue."),
    Column(.revenueMax, .moneySum, "The sum of the upper limits of the revenue. Null if `revenue_max_open` is not 0."),
    Column(.currency, .currency, "The currency of the revenue and of the modelled revenue."),
    count(
      .unconvertedRows,
      """
      The number of decoded postbacks with revenue for which there is no rate. Their revenue is in \
      `revenue_by_currency` alone.
      """
    ),
    count(.revenueMaxOpen, "The number of decoded postbacks whose revenue has no upper limit."),
    Column(.revenueMaxClosed, .moneySum, "The sum of the upper limits of those postbacks that have one."),
    Column(.revenueInAppPurchases, .moneySum, "The part of the revenue from in-app purchases."),
    Column(.revenueAdMonetization, .moneySum, "The part of the revenue from ads in the app."),
    Column(.revenueAll, .moneySum, "The part of the revenue that the model does not divide."),
    revenueByCurrency,
  ]

  static let revenueByCurrency = Column(
    .revenueByCurrency,
    .object,
    """
    The estimated revenue by currency, a number for each. Null unless there are several currencies, or revenue that \
    could not be converted.
    """
  )

  /// The columns that compare the copies of postbacks.
  static let dailyTrust = [
    Column(
      .conflicts,
      .count,
      """
      The number of postbacks whose copies contradict each other. Those of them whose values do not count, because \
      devices' own copies do, are neither values nor nulls. Null if `skan_settled` has none of the postbacks.
      """
    ),
    Column(
      .directConfirmed,
      .count,
      """
      The number of postbacks that a device's own copy confirms. Null if `skan_settled` has none of the postbacks.
      """
    ),
    Column(
      .confirmedRevenue,
      .moneySum,
      """
      The part of `revenue` whose values are a device's own, or are confirmed by its copy. Null if `skan_settled` has none \
      of the postbacks, and where `revenue` is null.
      """
    ),
    Column(
      .valueSuspicions,
      .nonEmptyText,
      """
      The alarms about conversion values that concern postbacks of the row, joined by semicolons, such as `raised_values of \
      forwarder NAME`: their forwarder or their network has the alarm, and no device's own copy confirms the value. Null if \
      there are none.
      """
    ),
  ]

  private static func count(_ name: ColumnName, _ description: String) -> Column {
    Column(name, .count, .required, description)
  }

  /// A column that is null in the later windows, whose postbacks are of the same users.
  private static func later(_ name: ColumnName, _ description: String) -> Column {
    Column(name, .count, "\(description) Null in the windows 1 and 2, which are of the same users.")
  }
}
