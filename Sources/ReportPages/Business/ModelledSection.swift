internal import Answers
internal import ConversionModel
internal import Reporting
internal import PageMarkup

/// The revenue of postbacks without a value: the estimates, what they assume, and what holds without an assumption.
struct ModelledSection {
  /// The totals; nil if the output does not have them.
  let totals: [NullRevenueTotal]?
  /// The names of the apps by their ids.
  let appNames: [String: String]

  var html: HTML {
    guard let totals, !totals.isEmpty else {
      return
        "<p class=\"note\">There is no estimate of the revenue of null postbacks: <code>postback daily</code> makes it.</p>"
    }
    let table = HTML.longTable(
      "Revenue with that of null postbacks, by app and window",
      [
        "app", "window", "install dates", "state", "conversions", "nulls", "observed", "of null postbacks", "from",
        "to", "in all",
        "if half as much",
        "if half as much again", "at least, without assumption", "at most, without assumption",
      ],
      totals
    ) { one, table in
      func cell(_ amount: Amount?, else other: String = "") -> NumberTable.Cell {
        .amount(amount.map { Numbers.money($0, one.currency) } ?? other)
      }
      let whole = one.nullRevenue.flatMap { revenue in one.observed.map { $0 + revenue.estimate } }
      table.add(
        appNames[one.app] ?? one.app,
        .number(one.window),
        .time(one.period.map { "\($0.start) to \($0.end)" } ?? ""),
        .time(one.status.replacing("not_modelled:", with: "not modelled: ").replacing("_", with: " ")),
        .number(one.conversions),
        .number(one.nulls),
        cell(one.observed),
        cell(one.nullRevenue?.estimate),
        cell(one.nullRevenue?.low),
        cell(one.nullRevenue?.high, else: one.nullRevenue == nil ? "" : "open"),
        cell(whole),
        cell(one.sensitivity?.half),
        cell(one.sensitivity?.threeHalves),
        cell(one.bounds.low),
        cell(one.bounds.high, else: one.observed == nil ? "" : "open")
      )
    }
    return """
      <p class="note">The estimates assume that within a campaign values are missing at random: Apple leaves them out where \
      few people install, and not by what they are worth. This cannot be tested. If null postbacks are worth half as much as \
      estimated, or half as much again, the sum is that of the two columns; the last two columns need no assumption.</p>
      \(table)
      """
  }
}
