internal import Analysis
internal import Answers
internal import Base
internal import JSON
internal import Reporting
internal import SKAdNetwork
package import Signatures
internal import TableReading
internal import Tables
internal import Tampering
internal import PageMarkup

/// A report as one HTML file, which loads nothing from elsewhere.
package struct ReportPage {
  let report: RejectReport
  private let content: ReportContent
  let signals: SignalSection
  let business: BusinessSection?
  private let trust: AgreementTable
  private let findings: ReportFindings?

  /// Creates the page with a content.
  package init(_ content: ReportContent) {
    (self.content, report) = (content, content.report)
    signals = SignalSection(
      report: content.signals,
      tested: (report.funnel.last { $0.name == "unique" }?.count ?? 0, report.rejectCount)
    )
    business = content.business.map { BusinessSection(business: $0) }
    trust = AgreementTable(forwarders: content.forwarders, output: content.paths.count == 1 ? content.paths[0] : "OUT")
    findings = content.diagnosis.map { diagnosis in
      ReportFindings(diagnoses: diagnosis.rejects, related: diagnosis.related, sample: content.report.sample)
    }
  }

  /// Returns the whole page as UTF-8.
  ///
  /// - Throws: ``LibcryptoFailure`` if the digests for the security policy cannot be computed.
  package func bytes() throws(LibcryptoFailure) -> [UInt8] { try Array(html().markup.utf8) }

  /// The revenue of null postbacks.
  private var modelled: ModelledSection {
    ModelledSection(totals: content.nullRevenue, appNames: content.business?.appNames ?? [:])
  }

  /// The installs of Apple Search Ads; nil if there are no attributions.
  private var searchAds: SearchAdsSection? {
    content.searchAds.map { SearchAdsSection(attributions: $0, placements: content.placements) }
  }

  /// The section on vendors' exports; nil if no export was imported.
  private var vendors: VendorSection? {
    content.vendors.map { VendorSection(reports: $0.reports, breakdowns: $0.breakdowns) }
  }

  /// Returns the whole page. Throws if the digests for the security policy cannot be computed.
  func html() throws(LibcryptoFailure) -> HTML {
    let businessData = (business?.data).map { data -> HTML in
      "<script type=\"application/json\" id=\"business-data\">\(HTML.script(data))</script>"
    }
    return """
      \(try PageHead("Postback report", styles: [.style], script: .script).html())
      <body>
      <svg class="patterns" aria-hidden="true"><defs>
      <pattern id="stripes" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
      <line x1="0" y1="0" x2="0" y2="8" class="stripe"/></pattern>
      <pattern id="dots" width="7" height="7" patternUnits="userSpaceOnUse"><circle cx="2" cy="2" r="1.4" class="speck"/></pattern>
      </defs></svg>
      <header>\(header)</header>
      \(navigation)
      <noscript><p class="note">The charts, the filters and the rejects one by one need JavaScript. Without it the numbers of each \
      chart are in the table below its title.</p></noscript>
      <main>
      \(findingsSection)
      \(filters)
      \(sections.map(\.html))\
      </main>
      <script type="application/json" id="data">\(HTML.script(data))</script>
      <script type="application/json" id="cube">\(HTML.script(CubeData(cube: report.cube).json))</script>
      \(businessData ?? "")
      <script>\(HTML(PageFile.script))</script>
      </body>
      </html>

      """
  }

  private var navigation: HTML {
    let links = [("findings", "Findings")] + sections.map { ($0.id, $0.name) }
    return
      "<nav aria-label=\"Sections\">\(links.map { id, name -> HTML in "<a href=\"#\(id)\">\(name)</a> " })</nav>"
  }

  /// The findings at the top.
  var findingsSection: HTML { Headline(business, trust, report, signals, findings).html }

  /// The sections of the page, in order, without the findings.
  var sections: [PageSection] {
    var sections = [
      PageSection("signals", "Signals", hasAmounts: true, signals.html),
      PageSection(
        "business",
        "Installs, revenue, costs",
        title: "Installs, revenue and costs",
        hasAmounts: true,
        """
        \(business?.html ?? BusinessSection.missing(content.paths))
        <h3 id="modelled">Null postbacks</h3>
        \(modelled.html)
        <h3 id="trust">Trust</h3>
        \(trust.html)
        """
      ),
    ]
    if let searchAds {
      sections.append(PageSection("search-ads", "Apple Search Ads", hasAmounts: true, searchAds.html))
    }
    if let vendors { sections.append(PageSection("vendors", "Vendors' exports", hasAmounts: true, vendors.html)) }
    if let implementation = content.implementation {
      sections.append(PageSection("implementation", "Implementation", implementation.html))
    }
    return sections + recordSections
  }

  /// The sections about records, accepted or not.
  private var recordSections: [PageSection] {
    [
      PageSection("flow", "Flow", "<div class=\"charts\">\(report.funnelFigure)\(report.windowsFigure)</div>"),
      PageSection(
        "rejects-by-code",
        "Rejects",
        """
        <div id="codes">\(codes)</div>
        <div class="charts">\(report.timelineFigure)\(report.networksFigure)\(report.forwardersFigure)</div>
        <h3 id="over-time">Forwarders over time</h3>
        \(ForwarderCharts(cube: report.cube, values: content.forwarded, suspects: signals.valueSuspects, onsets: signals.onsets).html)
        """
      ),
      PageSection(
        "changes",
        "What changed",
        report.comparison.map { ComparisonSection(comparison: $0).html } ?? ComparisonSection.missing
      ),
      PageSection("tampering", "Tampering", "\(tampering)\n\(conflicts)"),
      PageSection(
        "decoded",
        "Decoded revenue",
        title: "Install dates and decoded revenue",
        hasAmounts: true,
        """
        <p class="note">\(settledNote)</p>
        <div class="charts">\(report.installsFigure)\(report.revenueFigure)\(WindowRevenue(report: report).html)</div>
        """
      ),
      PageSection("rejected-rows", "Rejects, one by one", rows),
      PageSection("words", "Words", Glossary.html),
    ]
  }

  /// The title, the tables and the numbers of records.
  var header: HTML {
    let read = report.funnel.first?.count ?? 0
    let accepted = report.funnel.first { $0.name == "unique" }?.count ?? 0
    var span: HTML = ""
    if let times = report.received.times {
      let (first, last) = (Timestamp(milliseconds: times.first), Timestamp(milliseconds: times.last))
      span = " Records were received from \("\(first)") to \("\(last)"), \(report.received.origin.words)."
    }
    let others = report.received.others.map { other -> HTML in
      " Records dated only \(other.origin.words) are counted, but not part of this span: \(Numbers.grouped(other.count))."
    }
    let bound: HTML =
      report.isBounded ? " Some lists are incomplete, because there are more entries than are kept." : ""
    let skipped = report.unreadable.count + (business?.business.unreadable ?? 0)
    let unreadable: HTML = skipped == 0 ? "" : " \(skipped) lines of the tables are not rows and were skipped."
    return """
      <h1>Postback report</h1>
      <p class="note">Tables: \(content.paths.joined(separator: ", ")).\(span)\(others)\(bound)\(unreadable)</p>
      <ul class="facts">
      <li><b id="read">\(Numbers.grouped(read))</b> read</li>
      <li><b id="accepted">\(Numbers.grouped(accepted))</b> accepted</li>
      \(HTML.facts(report.rejectCounts, of: read))
      </ul>
      """
  }

  private var codes: HTML {
    var table = NumberTable(
      "Rejects by code",
      ["code", "rejects", "of rejects", "first seen", "last seen", "meaning", "class"]
    )
    for (code, tally) in report.codes {
      table.add(
        code,
        .number(tally.count),
        .share(tally.count, of: report.rejectCount),
        .time(tally.firstSeen.map { "\(Timestamp(milliseconds: $0))" } ?? "unknown"),
        .time(tally.lastSeen.map { "\(Timestamp(milliseconds: $0))" } ?? "unknown"),
        .text(RejectCode(rawValue: code)?.explanation ?? ""),
        .text(RejectCode(rawValue: code)?.rejectClass.rawValue ?? "")
      )
    }
    return table.html
  }

  private var tampering: HTML {
    guard let findings else {
      return
        "<p class=\"note\">This report has no diagnoses of edited fields. Give --diagnose to include them. The filters do not change this section.</p>"
    }
    return "\(findings.edits)\(findings.relatedRejects)"
  }

  private var conflicts: HTML {
    let found = report.conflicts.differences
    guard !found.isEmpty else {
      return "<p class=\"note\">No two copies of a genuine postback differ in an unsigned field.</p>"
    }
    return HTML.differences(
      "Unsigned fields in which a later copy of a genuine postback differs: one of the two was edited, the first one decides",
      found,
      FieldWords.name
    )
  }

  private var rows: HTML {
    let count = report.sample.rows.count
    let isWhole = count == report.rejectCount
    let note: HTML =
      isWhole
      ? "All \(count) rejects."
      : """
      A sample of \(count) of \(Numbers.grouped(report.rejectCount)) rejects, at most \(report.sample.limit), with an equal share for \
      each code. To see all of them: <code>postback rejects OUT --show N --where …</code>
      """
    let headings = SampledReject.columns.map { name -> HTML in
      "<th scope=\"col\" aria-sort=\"none\"><button type=\"button\">\(name)</button></th>"
    }
    return """
      <p class="note">\(note)</p>
      <p class="note print">On paper the first 20 rows are listed.</p>
      <noscript><p>This table needs JavaScript.</p></noscript>
      <div class="controls" id="controls" role="search" hidden>
      <label>Words in any column, or in the raw body <input id="filter" type="search" autocomplete="off"></label>
      <p id="status" role="status" aria-live="polite"></p>
      </div>
      <div class="scroll" tabindex="0" role="group" aria-label="Table: rejects of the sample"><table id="rejects"><caption>Rejects of the sample; + opens a row</caption>
      <thead><tr><th scope="col"><span>Open</span></th>\(headings)</tr></thead><tbody id="rows"></tbody></table></div>
      """
  }

  /// The sampled rows, one of each code after the other, so that the first ones have all codes.
  private var mixedRows: [(code: String, line: [UInt8])] {
    var places: [String: Int] = [:]
    return report.sample.rows.map { row -> (place: Int, row: (code: String, line: [UInt8])) in
      defer { places[row.code, default: 0] += 1 }
      return (places[row.code] ?? 0, row)
    }
    .sorted { ($0.place, $0.row.code) < ($1.place, $1.row.code) }.map(\.row)
  }

  /// The sample of rejects, for the page's script.
  var data: JSONValue {
    let found = Dictionary((findings?.diagnoses ?? []).map { ($0.digest, $0.diagnosis.summary) }) { first, _ in first }
    return .object([
      .init("columns", .texts(SampledReject.columns)),
      .init("rows", .array(mixedRows.map { SampledReject($0.line, diagnoses: found, report.conflicts).json })),
    ])
  }
}

extension ReportPage {
  /// The relation of the decoded revenue of accepted copies to that of the copies that count.
  private var settledNote: String {
    guard let settled = content.settled else {
      return "This is the revenue of the copies that were accepted first. postback settle compares all copies."
    }
    let amounts = settled.amounts.sorted { $0.key < $1.key }.map { currency, amount in
      "\(Numbers.money(amount.after, currency)) in place of \(Numbers.money(amount.before, currency))"
    }
    let count = Numbers.grouped(settled.rows.values.reduce(0, +))
    let change = amounts.isEmpty ? "" : ", with \(amounts.joined(separator: ", and "))"
    return
      "This is the revenue of the copies that were accepted first. After the settlement of all copies \(count) postbacks "
      + "mean something else\(change). The revenue of the daily report above is the settled one."
  }
}
