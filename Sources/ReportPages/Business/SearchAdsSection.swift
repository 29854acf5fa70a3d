internal import Answers
internal import Base
internal import SearchAdsReports
internal import PageMarkup

/// The part of a report that is about installs of Apple Search Ads.
struct SearchAdsSection {
  let attributions: SearchAdsBreakdown
  /// The installs beside the postbacks of Apple Ads; empty without a daily report.
  let placements: [SearchAdsPlacement]

  private static let countHeadings = [
    "attributions", "installs", "redownloads", "pre-orders", "after a tap", "after a view",
  ]

  var html: HTML {
    let left = [
      attributions.notAttributed > 0
        ? " Payloads without an attribution: \(Numbers.grouped(attributions.notAttributed))." : "",
      attributions.tests > 0 ? " Payloads of tests, which are left out: \(Numbers.grouped(attributions.tests))." : "",
    ].joined()
    let note: HTML = """
      <p class="note">Installs that Apple attributes to ads in the App Store, by the day of receipt. They are counted on devices \
      and are no part of the numbers above: another network may claim the same install with a postback, and how many it claims \
      is not known.\(left)</p>
      """
    guard attributions.total.conversions > 0 else {
      return "\(note)\(bySide)<p class=\"note\">No install is attributed to Apple Search Ads.</p>"
    }
    return "\(note)\(bySide)\(campaigns)\(keywords)\(countries)\(days)"
  }

  private var bySide: HTML {
    guard !placements.isEmpty else { return "" }
    let lines = placements.map { ($0.placement ?? "not known", $0) } + [("all", SearchAdsPlacement.total(placements))]
    let note: HTML = """
      <p class="note">Apple Ads tells of an install by a postback of <code>com.apple.ads</code>, by AdServices on the device, or by \
      both, and nothing connects the two. So they are not added: there are at least as many installs as the greater number, and \
      at most as many as both together. Postbacks come a day or more after the install.</p>
      """
    let table = HTML.longTable(
      "Installs of Apple Ads by the place of the ad",
      ["place", "postbacks", "AdServices", "installs at least", "at most"],
      lines
    ) { line, table in
      let (name, one) = line
      let counts = [one.postbacks, one.attributions, one.least, one.most]
      table.add(name, cells: counts.map { .number(Int(clamping: $0)) })
    }
    return "\(note)\(table)"
  }

  private var campaigns: HTML {
    named("Apple Search Ads by campaign", "campaign", attributions.campaigns, without: "not known")
  }

  private var keywords: HTML {
    named(
      "Apple Search Ads by keyword",
      "keyword",
      attributions.keywords,
      without: "none: Search Match, or another placement"
    )
  }

  private var countries: HTML {
    HTML.longTable("Apple Search Ads by country", ["country"] + Self.countHeadings, attributions.countries) {
      $1.add($0.key ?? "not known", cells: Self.cells($0.counts))
    }
  }

  private var days: HTML {
    HTML.longTable("Apple Search Ads by day", ["day"] + Self.countHeadings, attributions.days) { line, table in
      let name = line.key.map { Timestamp.name(ofDay: $0) }
      table.add(name ?? "not known", cells: Self.cells(line.counts))
    }
  }

  private func named(
    _ caption: String,
    _ heading: String,
    _ lines: [SearchAdsBreakdown.Line<Int64>],
    without: String
  ) -> HTML {
    HTML.longTable(caption, [heading, "id"] + Self.countHeadings, lines) { line, table in
      let id = line.key.map { "\($0)" }
      table.add(line.counts.name ?? id ?? without, cells: [.text(id ?? "")] + Self.cells(line.counts))
    }
  }

  private static func cells(_ counts: SearchAdsCounts) -> [NumberTable.Cell] {
    [counts.conversions, counts.installs, counts.redownloads, counts.preOrders, counts.clicks, counts.views]
      .map { .number(Int(clamping: $0)) }
  }
}
