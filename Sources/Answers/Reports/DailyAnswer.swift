internal import Base
package import DailyReports
internal import SearchAdsReports

/// The summary of a daily report as text.
package struct DailyAnswer {
  let summary: DailySummary

  package init(summary: DailySummary) { self.summary = summary }

  /// Tables, each with a title, and the findings that need attention.
  package var text: String {
    var parts = ["postbacks by conversion window", windows.text(indent: 2)]
    if !summary.revenue.isEmpty { parts += ["revenue of decoded postbacks", revenue.text(indent: 2)] }
    let modelled = ModelledAnswer(totals: summary.modelled)
    if let searchAds = summary.searchAds {
      parts += ["Apple Search Ads, counted on devices; not added to postbacks, which may be of the same installs"]
      parts.append(Self.table(of: searchAds).text(indent: 2))
      parts += ["installs of Apple Ads by the place of the ad, as postbacks and devices tell of them; never added"]
      parts.append(Self.table(of: searchAds.placements).text(indent: 2))
    }
    parts += VendorAnswer(vendors: summary.vendors).parts
    return (parts + modelled.parts + costs.parts + [findings.text()]).joined(separator: "\n\n")
  }

  private var costs: DailyCostAnswer { DailyCostAnswer(summary: summary) }

  private static func table(of searchAds: SearchAdsDaily) -> TextTable {
    let headings = [
      "network", "attributions", "installs", "redownloads", "pre-orders", "taps", "views", "tests left out",
    ]
    var table = TextTable(headings, numbersIn: Set(1...7))
    let total = searchAds.total
    let counts = [total.conversions, total.installs, total.redownloads, total.preOrders, total.clicks, total.views]
    table.add(["Apple Search Ads"] + counts.map { "\($0)" } + ["\(searchAds.tests)"])
    return table
  }

  private static func table(of placements: [SearchAdsPlacement]) -> TextTable {
    var table = TextTable(["place", "postbacks", "AdServices", "installs at least", "at most"], numbersIn: Set(1...4))
    func add(_ name: String, _ one: SearchAdsPlacement) {
      table.add([name, "\(one.postbacks)", "\(one.attributions)", "\(one.least)", "\(one.most)"])
    }
    for one in placements { add(one.placement?.withControlCharactersEscaped ?? "not known", one) }
    if placements.count > 1 { add("all", SearchAdsPlacement.total(placements)) }
    return table
  }

  private var windows: TextTable {
    var table = TextTable(
      [
        "window", "postbacks", "won", "installs", "redownloads", "re-engagements", "values", "nulls", "null rate",
        "decoded",
      ],
      numbersIn: Set(0...9)
    )
    for (window, metrics) in summary.windows.enumerated() where metrics.postbacks > 0 || window == 0 {
      func first(_ count: Int) -> String { window == 0 ? "\(count)" : "" }
      table.add([
        "\(window)", "\(metrics.postbacks)", "\(metrics.won)", first(metrics.installs), first(metrics.redownloads),
        first(metrics.reengagements), "\(metrics.values)", "\(metrics.nulls)",
        "\(Share(metrics.nulls, of: metrics.values + metrics.nulls))", "\(metrics.decoded)",
      ])
    }
    return table
  }

  private var revenue: TextTable {
    var table = TextTable(["currency", "estimate", "least", "most"], numbersIn: [1, 2, 3])
    for (currency, revenue) in summary.revenue {
      // Without a limit, the greatest sum is at least the estimated one.
      let most = revenue.maximum.map { "\($0)" } ?? "\(max(revenue.estimate, revenue.closedMaximum)) or more"
      table.add([currency, "\(revenue.estimate)", "\(revenue.minimum)", most])
    }
    return table
  }

  private var findings: TextTable {
    var table = TextTable(numbersIn: [1])
    for (name, rows) in summary.written { table.add("rows of \(name)", "\(rows)") }
    let total = summary.windows.reduce(into: DailyMetrics()) { $0 += $1 }
    func add(_ title: String, _ count: Int) { if count > 0 { table.add(title, "\(count)") } }
    add("postbacks whose value 0 may be a null", total.ambiguousZeros)
    add("postbacks of version 1.0, which has no value", total.noValuePossible)
    add("postbacks whose value the model does not list", total.unmapped)
    add("postbacks with a value and without a model", total.noModel)
    add("postbacks on whose value models disagree", total.ambiguous)
    if let settled = summary.settled {
      table.add("postbacks whose copies were compared", "\(settled)")
      add("postbacks whose copies contradict each other", total.conflicts)
    }
    add("postbacks without a time of receipt, whose date is null", summary.withoutReceipt)
    for (reason, count) in summary.leftOut {
      add(reason == "forwarder_test" ? "tests of forwarders, left out" : "postbacks in \(reason), left out", count)
    }
    for (title, value) in costs.findings { table.add(title, value) }
    table.add("as of", summary.asOf?.description ?? "not known")
    return table
  }
}
