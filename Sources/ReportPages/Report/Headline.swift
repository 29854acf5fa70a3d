internal import Analysis
internal import PageMarkup

/// The findings at the top of a report: at most five sentences, each with its numbers and a link to the evidence.
struct Headline {
  private static let most = 5

  let findings: [Finding]
  /// The signals, for the sentence about what was tested.
  private let signals: SignalSection

  init(
    _ business: BusinessSection?,
    _ trust: AgreementTable,
    _ report: RejectReport,
    _ signals: SignalSection,
    _ edits: ReportFindings?
  ) {
    self.signals = signals
    let suspicions = (edits?.findings ?? []) + signals.findings
    let others =
      BusinessFindings.all(business, trust, report, suspects: signals.raisers) + signals.lateCopies
      + [report.comparison?.finding].compactMap(\.self)
    findings = Array((suspicions + others).sorted(by: Self.precedes).prefix(Self.most))
  }

  /// The order of weight: suspicions first, then money, then records.
  private static func precedes(_ one: Finding, _ other: Finding) -> Bool {
    if one.isSuspicion != other.isSuspicion { return one.isSuspicion }
    if one.isChange != other.isChange { return one.isChange }
    return (one.money, one.rows) == (other.money, other.rows)
      ? one.sentence < other.sentence : (one.money, one.rows) > (other.money, other.rows)
  }

  var html: HTML {
    let items = findings.map { finding -> HTML in
      let text = finding.sentence.withUnbreakableShares
      let sentence: HTML = finding.isSuspicion ? "<strong>\(text)</strong>" : "\(text)"
      let certainty: HTML = finding.certainty.map { " \($0.withUnbreakableShares)" } ?? ""
      return "<li>\(sentence)\(certainty) <a href=\"#\(finding.section.id)\">\(finding.section.name)</a></li>\n"
    }
    let list: HTML = items.isEmpty ? "" : "<ol>\n\(items)</ol>"
    return """
      <section class="findings" id="findings" aria-labelledby="findings-title"><h2 id="findings-title">Findings</h2>
      \(list)
      <p class="note">\(signals.summary) <a href="#signals">Signals</a></p></section>
      """
  }
}
