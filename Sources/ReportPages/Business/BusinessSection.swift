internal import Answers
internal import Base
internal import ConversionModel
internal import Reporting
internal import Statistics
internal import PageMarkup

/// The part of a report that is about installs, revenue and costs.
struct BusinessSection {
  let business: BusinessReport
  /// The most cells that the page has for its filters.
  var mostCells = 50_000

  /// The days that are drawn: at most the latest ones, without gaps.
  var days: [Int] {
    // The date of a cost can be mistyped.
    let end = business.asOf.flatMap { Timestamp($0)?.daysSince1970 } ?? .max
    let all = business.cells.compactMap { key, sums in
      key.day.flatMap { $0 <= end || sums.installs > 0 ? $0 : nil }
    }
    guard let first = all.min(), let last = all.max() else { return [] }
    return Array(max(first, last - Self.mostDays + 1)...last)
  }

  private static let mostDays = 120
  private static let shownNetworks = 16

  /// The installs of each day.
  var installsFigure: HTML {
    let sums = business.sums { $0.day }
    var table = NumberTable("Installs of each day", ["day", "state", "installs", "expected share"])
    for day in days {
      let state = business.status[day] ?? .final
      let share = business.expectedShare[day].map { Numbers.percent($0.approximation) } ?? ""
      table.add(
        Timestamp.name(ofDay: day),
        .text(state.rawValue),
        .number(sums[day]?.installs ?? 0),
        .text(share)
      )
    }
    let undated = business.cells.filter { $0.key.day == nil }.values.reduce(0) { $0 + $1.installs }
    let note = undated > 0 ? " \(Numbers.grouped(undated)) installs without a date are not drawn." : ""
    return Figure(
      title: "Installs by day",
      id: "installs-by-day",
      chart: .dailyInstalls,
      description:
        "New installs by their estimated date. Days with dots are open: further postbacks are to be expected.\(note)",
      numbers: table.html
    ).html
  }

  /// The revenue of each day, with the modelled part and the range.
  var revenueFigure: HTML {
    let sums = business.sums { $0.day }
    var table = NumberTable(
      "Revenue of each day in \(business.currency ?? "no currency")",
      ["day", "observed", "at least", "below", "of null postbacks", "from", "to", "all windows"]
    )
    for day in days {
      let sum = (sums[day] ?? BusinessReport.Sums()).withoutForeignZeros
      let isModelled = sum.modelledNulls > 0
      func known(_ amount: Amount?) -> NumberTable.Cell { .amount(amount.map(Numbers.plain) ?? "") }
      func modelled(_ amount: Amount?) -> NumberTable.Cell { known(isModelled ? amount : nil) }
      table.add(
        Timestamp.name(ofDay: day),
        known(sum.revenue),
        known(sum.minimum),
        sum.openEnded > 0 && sum.closedMaximum != nil ? .amount("open") : known(sum.closedMaximum),
        modelled(sum.nullRevenue?.estimate),
        modelled(sum.nullRevenue?.low),
        modelled(sum.nullRevenue?.high),
        known(sum.allWindows)
      )
    }
    return Figure(
      title: "Revenue by day",
      id: "revenue-by-day",
      chart: .dailyRevenue,
      description: """
        Full bars are revenue that was observed, striped ones what null postbacks are estimated to be worth. The line \
        goes from the least to the most that the values' ranges and the model's interval allow; an arrow means that there is \
        no limit, because a value has none or null postbacks are not modelled. In the table, "all windows" of a day grows for \
        51 days, until the last postbacks of window 2 have come. \(modelledNote)
        """,
      numbers: table.html
    ).html
  }

  private var modelledNote: String {
    let total = business.total
    guard total.nulls > 0 else { return "No postback of these days is without a value." }
    guard total.modelledNulls > 0 else {
      return """
        The \(Numbers.grouped(total.nulls)) null postbacks are not modelled for each day, since they lack what the report is \
        grouped by, such as the country; the table of null postbacks below has them in all.
        """
    }
    return """
      \(Numbers.grouped(total.modelledNulls)) of \(Numbers.grouped(total.nulls)) null postbacks are modelled, on the \
      assumption that within a campaign values are missing at random.
      """
  }

  /// The share of postbacks without a value of each ad network.
  var nullRatesFigure: HTML {
    let rates = nullRates
    var table = NumberTable("Postbacks without a value", ["ad network", "nulls", "values", "null rate", "from", "to"])
    for one in rates {
      table.add(
        one.name,
        cells: [.number(one.nulls), .number(one.values), .amount(one.rate.rate.map(Numbers.percent) ?? "")]
          + one.rate.bounds
      )
    }
    let more =
      rates.count > Self.shownNetworks ? " The \(Self.shownNetworks) with the most postbacks of \(rates.count)." : ""
    return Figure(
      title: "Null rate by ad network",
      id: "null-rates",
      chart: .nullRates,
      description: """
        The share of first postbacks without a conversion value. The highest rate comes first; the broken line is the rate of all. The line through a dot is Wilson's interval at 95 %.\(more) Apple leaves \
        the value out where few people install; a network that leaves values out itself stands apart.
        """,
      numbers: table.html
    ).html
  }

  /// The null rates of the networks over their numbers of postbacks.
  private var nullFunnel: FunnelPlot {
    FunnelPlot(
      title: "Null rates of networks, as a funnel plot",
      id: "null-funnel",
      caption: "Null rates beside the mean",
      kind: "ad network",
      points: nullRates.map { ($0.name, $0.nulls, $0.nulls + $0.values) }
    )
  }

  /// The networks with their null rates, those with the most postbacks first.
  var nullRates: [(name: String, nulls: Int, values: Int, rate: WilsonRate)] {
    business.sums { $0.network }.filter { $0.value.nulls + $0.value.values > 0 }
      .map { network, sums in
        let rate = WilsonRate(sums.nulls, of: sums.nulls + sums.values)
        return (name: network ?? "all networks", nulls: sums.nulls, values: sums.values, rate: rate)
      }
      .sorted { ($1.nulls + $1.values, $0.name) < ($0.nulls + $0.values, $1.name) }
  }
}

extension BusinessReport.Sums {
  /// Indicates that the revenue has no known limit: a value has none, or null postbacks are not modelled.
  var isOpenEnded: Bool { openEnded > 0 || nulls > modelledNulls }
  /// The most revenue that the ranges of the values and the interval of the model allow, without what has no limit; nil if it is
  /// not known.
  var most: Amount? {
    guard let closedMaximum, let revenue, let nullRevenue else { return nil }
    return max(closedMaximum, revenue) + nullRevenue.high
  }
  /// The confirmed revenue; nil if it is not known of all of the revenue.
  var confirmedOfAll: Amount? { minimum == nil ? nil : confirmed }
}

extension BusinessSection {
  private static let recentDays = 14

  /// The state of the latest days.
  var completeness: HTML {
    let sums = business.sums { $0.day }
    var table = NumberTable(
      "The latest install days",
      ["day", "state", "first postbacks to be expected by now", "installs", "values", "nulls"]
    )
    for day in days.filter({ business.status[$0] != nil }).suffix(Self.recentDays).reversed() {
      let sum = sums[day] ?? BusinessReport.Sums()
      table.add(
        Timestamp.name(ofDay: day),
        .text(business.status[day]?.rawValue ?? ""),
        .amount(business.expectedShare[day].map { Numbers.percent($0.approximation) } ?? ""),
        .number(sum.installs),
        .number(sum.values),
        .number(sum.nulls)
      )
    }
    return """
      <div id="completeness"><p class="note">An open day still gets first postbacks, a settling one only those that Apple \
      sends again, a final one none. The numbers of open days are not scaled up.</p>\(table.html)</div>
      """
  }

  /// The whole section.
  var html: HTML {
    let others = business.otherAmounts.joined(separator: " ")
    let time = business.asOf.map { "As of \($0). " } ?? ""
    let nothing: HTML = business.nothingCounted.map { "<p class=\"note\"><strong>\($0)</strong></p>" } ?? ""
    return """
      \(nothing)\
      <p class="note">\(time)By estimated install date, in the first conversion window. \(others)</p>
      <div class="controls" id="business-controls" hidden>
      <label>Network <select id="business-network"><option value="">all</option></select></label>
      <p id="business-status" role="status" aria-live="polite"></p>
      <p class="note">Of the filters above, the app and the days apply, here to the days of installs. The daily report has \
      neither forwarders nor codes, and networks by their names, which do not change the other sections. For an app, costs \
      that are not of one app are left out, and a return is above 1 only if it is so with those of its campaign.</p>
      </div>
      <div class="charts">\(installsFigure)\(revenueFigure)\(campaignsFigure)\(nullRatesFigure)\(nullFunnel.html)</div>
      <h3>Completeness</h3>
      \(completeness)
      """
  }

  /// The text in place of the section if there is no daily report.
  static func missing(_ paths: [String]) -> HTML {
    let output = paths.first ?? "OUT"
    return """
      <p class="note">There is no daily report in \(paths.joined(separator: ", ")). Make it with \
      <code>postback daily \(output)</code>; add <code>--lookups DIR</code> for the names of networks and campaigns, and \
      <code>--cost FILE</code> for costs. Then write this page again.</p>
      """
  }
}
