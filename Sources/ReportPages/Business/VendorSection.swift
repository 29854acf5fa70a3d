internal import Answers
internal import Base
internal import ConversionModel
internal import JSON
internal import VendorReports
internal import PageMarkup

/// The part of a report that shows what vendors' exports count beside what Apple signed.
struct VendorSection {
  let reports: [VendorReport]
  let breakdowns: [VendorBreakdown]

  private static let shownVendors = 8

  var html: HTML {
    let differences = reports.flatMap(\.differences).map { test -> HTML in
      "<li>\(VendorSentence(test: test).text)</li>\n"
    }
    let list: HTML =
      differences.isEmpty
      ? "<p class=\"note\">No difference is larger than what is tolerated, beyond chance.</p>"
      : "<p class=\"note\">Differences beyond chance. A difference accuses nobody: \(VendorSentence.explanations)</p><ul>\(differences)</ul>"
    let warnings = reports.flatMap(\.warnings).map { warning -> HTML in "<p class=\"note\">\(warning)</p>\n" }
    return """
      <p class="note">Vendors' exports have no signature of Apple's, so what they say is compared and never added to any other number of \
      this page. The postbacks that Apple signed are those of the apps, networks and days that the export is about, by day of \
      receipt. The filters do not change this section.</p>
      \(warnings)\(list)
      \(totals)\(figure)\(campaigns)
      """
  }

  private var totals: HTML {
    var table = NumberTable(
      "Vendors' exports beside the postbacks that Apple signed",
      ["vendor"] + Self.headings + ["with a transaction", "accepted here", "compared by"]
    )
    for report in reports {
      let total = report.total
      table.add(
        report.vendor,
        cells: Self.cells(total) + [
          Self.number(total.transactions), Self.number(total.matched), .text(report.columns.joined(separator: ", ")),
        ]
      )
    }
    return table.html
  }

  private static let headings = [
    "counts", "Apple signed", "difference", "same value", "another value", "its revenue", "decoded revenue",
  ]

  private static func cells(_ sums: VendorSums) -> [NumberTable.Cell] {
    [
      number(sums.imported), number(sums.verified), number(sums.imported - sums.verified), number(sums.values.equal),
      number(sums.values.others), .amount(Numbers.money(sums.importedRevenue)),
      .amount(Numbers.money(sums.verifiedRevenue)),
    ]
  }

  private static func number(_ number: Int64) -> NumberTable.Cell { .number(Int(clamping: number)) }

  private var campaigns: HTML {
    let lines = breakdowns.flatMap { breakdown in breakdown.campaigns.map { (breakdown.vendor, $0.key, $0.sums) } }
    return HTML.longTable(
      "Vendors' exports by campaign: the largest differences first",
      ["vendor", "app", "network", "campaign"] + Self.headings,
      lines
    ) { line, table in
      let (vendor, key, sums) = line
      let texts = [key.app.map { "\($0)" }, key.network, key.campaign].map { $0 ?? "all" }
      table.add(vendor, cells: texts.map { .text($0) } + Self.cells(sums))
    }
  }

  /// The counts of each vendor and of Apple by day.
  private var figure: HTML {
    let dated = breakdowns.filter { $0.days.contains { $0.day != nil } }
    guard !dated.isEmpty else { return "" }
    var table = NumberTable("Postbacks by vendor and day", ["day", "vendor", "counts", "Apple signed", "difference"])
    for breakdown in dated {
      for (day, sums) in breakdown.days {
        table.add(
          day.map { Timestamp.name(ofDay: $0) } ?? "not known",
          cells: [.text(breakdown.vendor)]
            + [sums.imported, sums.verified, sums.imported - sums.verified].map { Self.number($0) }
        )
      }
    }
    let more = dated.count - Self.shownVendors
    let rest = more > 0 ? " \(more) more vendors are in the numbers." : ""
    return Figure(
      title: "What vendors count and what Apple signed, by day",
      id: "vendor-days",
      chart: .vendorDays,
      isWide: true,
      description: """
        A bar is the number of accepted postbacks that Apple signed on a day, and the line over or in it the number in the vendor's \
        export. A line above its bar: the vendor counts more. Days of vendors may be of another time zone.\(rest)
        """,
      data: .object([
        .init(
          "vendors",
          .array(
            dated.prefix(Self.shownVendors).map { breakdown in
              .object([
                .init("name", .shown(breakdown.vendor)),
                .init(
                  "days",
                  .array(
                    breakdown.days.compactMap { day, sums in
                      day.map { .integers([Int($0), Int(sums.imported), Int(sums.verified)]) }
                    }
                  )
                ),
              ])
            }
          )
        )
      ]),
      numbers: table.html
    ).html
  }
}
