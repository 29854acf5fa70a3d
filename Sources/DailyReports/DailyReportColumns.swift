internal import NullValueModelling
internal import Tables

// The columns of `skan_daily` that are calculated from counts, costs and times.
extension Column {
  /// The columns with modelled revenue.
  static let dailyModelled = [
    Column(
      .modelledRevenue,
      .decimal(precision: 35, scale: 6),
      """
      `revenue` with an estimate for postbacks without a value, as `skan_modelled` has them, in `currency`. Null unless \
      `modelled_status` says that it is modelled.
      """
    ),
    Column(
      .modelledRevenueLow,
      .decimal(precision: 35, scale: 6),
      "The lower end of the interval of the modelled revenue."
    ),
    Column(.modelledRevenueHigh, .decimal(precision: 35, scale: 6), "The upper end of that interval."),
    Column(
      .modelledStatus,
      .word(ModelledStatus.allWords),
      """
      `modelled`, `borrowed` or `not_modelled:` and the reason, as in `skan_modelled`. `not_modelled:several_groups` if \
      postbacks without a value are in another group than the values like them; `not_modelled:later_window` in the \
      windows 1 and 2, which are in `skan_modelled` alone, and `not_modelled:open` there for install dates that are not \
      `final`, which it does not have yet. Null if the row has no installs or redownloads that could have a value.
      """
    ),
  ]

  /// The columns with costs and the ratios to them.
  static let dailyCost = [
    Column(
      .cost,
      .signedDecimal(precision: 36, scale: 7),
      """
      The cost of the ads, in `cost_currency`. Null if no row of the cost file is of this row, if its costs are in several \
      currencies, and if a part could not be converted to that of the report.
      """
    ),
    Column(.costCurrency, .currency, "The currency of the cost."),
    Column(
      .costByCurrency,
      .object,
      """
      The cost by currency, a number for each. Null unless there are several currencies, or a cost that could not be \
      converted.
      """
    ),
    Column(
      .costLevel,
      .word(of: DailyCost.Level.self),
      """
      `row` if the cost is of this row; `parent` if it is of all rows with the dimensions of this one that are not \
      null, among which it is not divided. Null without a cost.
      """
    ),
    Column(.impressions, .count, "The impressions, as the cost file has them."),
    Column(.clicks, .count, "The clicks, as the cost file has them."),
    Column(.networkInstalls, .count, "The installs that the ad network counts, as the cost file has them."),
    Column(
      .ecpi,
      .ratio,
      "`cost` / `installs`. Null if there are none. It and the ratios below are null if the cost is 0 or less."
    ),
    Column(.roas, .ratio, "`revenue` / `cost`. Null without a cost above 0 in the same currency."),
    Column(.roasMin, .ratio, "`revenue_min` / `cost`."),
    Column(.roasMax, .ratio, "`revenue_max` / `cost`. Null if `revenue_max` is null."),
    Column(.roasMaxClosed, .ratio, "`revenue_max_closed` / `cost`: the least that `roas_max` can be if it is null."),
    Column(
      .roasScaled,
      .ratio,
      """
      (`revenue` · `installs`) / (`cost` · valid), where valid is the sum of `values` and `ambiguous_zeros`. It scales \
      by all conversions, and counts new installs.
      """
    ),
    Column(
      .roasScaledConversions,
      .ratio,
      """
      (`revenue` · `conversions`) / (`cost` · valid), which is right if values are missing at random.
      """
    ),
    Column(.rpu, .ratio, "`revenue` / valid: the revenue of a user."),
    Column(.roi, .signedDecimal(precision: 35, scale: 6), "`roas_scaled` - 1."),
    Column(
      .revenueAllWindows,
      .moneySum,
      """
      The revenue of the windows 0 to 2 of the same install date. For each install date, app, model and conversion type it \
      is the larger one of the sum of the windows and the revenue of the window whose values include the windows before; \
      this is decided over all postbacks of the report, so that the column is additive. It is in the row of the first of \
      these windows that there is, and null in all others, in rows of the `date_type` `received`, if there are several \
      currencies, and if a part could not be converted to that of the report. It changes until window 2 is final, 51 days \
      after the beginning of the day, also where the row of window 0 is final before.
      """
    ),
    Column(
      .revenueBasis,
      .word(of: AllWindowsRevenue.Basis.self),
      """
      The windows in `revenue_all_windows`: `window0` if no later window has a decoded value; `sum` if they are added; \
      `cumulative` if it is that of a window whose values include the earlier ones; `mixed` if models or conversion types \
      of the row differ. Null if no value is decoded.
      """
    ),
  ]

  /// The columns with the time of the report, and the completeness of a row at that time.
  static let dailyStatus = [
    Column(
      .asOf,
      .time,
      """
      The time that the report is of: `--as-of`, after which no postback is counted, or the latest time of receipt. Lookup \
      tables, costs and the decisions on copies are those of today all the same. Null if there is none.
      """
    ),
    Column(
      .status,
      .word(of: Completeness.Status.self),
      """
      `open` if further postbacks are to be expected; `settling` if only those that Apple sends again are; `final` if \
      none are: in window 0 from 14 days after the beginning of the day on, and 13 if all postbacks are of SKAdNetwork 3 \
      and earlier, of an app that measures for a day. Postbacks of later windows, which are in other rows, may be expected \
      all the same. Null if the date is null.
      """
    ),
    Column(
      .expectedShare,
      .ratio,
      """
      The share of the postbacks of an install date that should have been received, as the timers of Apple let expect if \
      no window is locked. Nothing is multiplied by it. Null unless `status` is `open` and the row is of an install date.
      """
    ),
  ]
}
