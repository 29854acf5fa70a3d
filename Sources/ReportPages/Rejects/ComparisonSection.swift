internal import Answers
internal import Analysis
internal import SKAdNetwork
internal import TableReading
internal import PageMarkup

/// The last days beside as many before: the records of both, and the groups of rejects that changed.
struct ComparisonSection {
  let comparison: RejectComparison

  private static let shown = 200

  /// The text in place of the section if there are not two days.
  static var missing: HTML { "<p class=\"note\">The records are of one day, so that there is nothing to compare.</p>" }

  var html: HTML {
    let changes = comparison.changes.prefix(Self.shown)
    guard !changes.isEmpty else { return "\(totals.html)<p class=\"note\">No group of rejects changed.</p>" }
    let groups = HTML.longTable(
      "Groups of rejects that changed, those with the largest part of the change first",
      [
        "code", "class", "forwarder", "ad network", "app", "before", "after", "of the change", "a day", "since",
        "source identifier",
      ],
      changes
    ) { change, table in
      table.add(
        change.code,
        .text(change.rejectClass.rawValue),
        .text(change.forwarder ?? RejectReport.noForwarder),
        .text(ChangeWords(change).network),
        .text(ChangeWords(change).app),
        .number(change.before),
        .number(change.after),
        .amount(Numbers.percent(change.share)),
        .amount(ChangeWords(change).rates),
        .text(ChangeWords(change).day ?? ""),
        .text(change.sources.map { "\($0.before) → \($0.after)" } ?? "")
      )
    }
    return """
      \(totals.html)
      <p class="note">A group is a code of one forwarder, with the ad network and the app that have at least half of the change; harmless copies are in none. “Since” is the most likely first day of its change, \
      and “a day” its number before and from then on. For other periods: <code>postback rejects OUT --compare P,P</code>. The \
      filters do not change this section.</p>
      \(groups)
      """
  }

  private var totals: NumberTable {
    let (before, after) = comparison.totals
    var table = NumberTable(
      "This period beside the last",
      ["records", "\(comparison.periods.before)", "\(comparison.periods.after)", "change"]
    )
    func add(_ name: String, _ one: Int, _ other: Int) {
      let sign = other > one ? "+" : other < one ? "−" : ""
      let change = one > 0 ? sign + Numbers.percent(Double((other - one).magnitude) / Double(one)) : ""
      table.add(name, .number(one), .number(other), .amount(change))
    }
    add("read", before.total, after.total)
    add("accepted", before.accepted, after.accepted)
    for one in RejectClass.allCases.reversed() { add(one.words, before.rejects[one], after.rejects[one]) }
    return table
  }
}

extension RejectComparison {
  /// The change that is a finding: the clear growth of a group to at least twice its number, with the largest part of the
  /// change; nil if there is none.
  var finding: Finding? {
    let grown = changes.first { change in
      change.isClear && change.difference > 0 && change.rates.after >= 2 * change.rates.before
    }
    return grown.map { change in
      Finding(
        sentence: ChangeWords(change).sentence,
        section: Finding.Section(id: "changes", name: "What changed"),
        isChange: true,
        rows: change.after
      )
    }
  }
}
