internal import Analysis

/// The diagnoses of rejects and the related rejects, as HTML.
struct ReportFindings {
  /// The diagnoses of the rejects in the sample.
  let diagnoses: [DiagnosedReject]
  /// The groups of related rejects, among all rejects.
  let related: RelatedRejects

  /// The tables of findings by forwarder and of changed values.
  var edits: HTML {
    let tampering = Tampering(diagnoses, diagnosable: diagnoses.count)
    guard tampering.diagnosed > 0 else {
      return "<p class=\"note\">The sample has no reject that can be diagnosed by its signature.</p>"
    }
    let groups = HTML.longTable(
      "Diagnoses of \(tampering.diagnosed) rejects of the sample, by forwarder",
      ["finding", "fields edited", "forwarder", "rejects", "such as"],
      tampering.groups.count
    ) { index, table in
      let group = tampering.groups[index]
      table.add(
        group.finding,
        .text(group.fields.joined(separator: ", ")),
        .text(group.forwarder ?? "unknown"),
        .number(group.count),
        .text(group.summary)
      )
    }
    let changes = HTML.beforeAndAfter(
      "Signed fields, before and after: what Apple signed, and what arrived",
      ["field", "as signed", "as it arrived", "rejects"],
      tampering.changes.map { ($0.field, $0.original, $0.arrived, $0.count) }
    )
    return tampering.changes.isEmpty ? groups : "\(groups)\(changes)"
  }

  /// The groups of postbacks with one signature, and of one transaction, each as a table.
  var relatedRejects: HTML {
    let parts = RelatedRejects.Bond.allCases.map(html)
    let limit: HTML =
      related.isComplete ? "" : "<p class=\"note\">Not all rejects were compared, because there are too many.</p>"
    return "\(parts)\(limit)"
  }

  private func html(_ bond: RelatedRejects.Bond) -> HTML {
    let groups = related.groups.filter { $0.bond == bond }
    let count = related.counts[bond] ?? 0
    let shown = count > groups.count ? ", of which the \(groups.count) with the most postbacks are shown" : ""
    let note: HTML = """
      <p class="note" id="one-\(bond.rawValue)">\(Numbers.grouped(count)) times \(bond.words)\(shown).</p>
      """
    let rest: HTML =
      groups.count < 2
      ? "" : "<details><summary>\(groups.count - 1) more</summary>\(groups.dropFirst().map(Self.html))</details>"
    return "\(note)\(groups.prefix(1).map(Self.html))\(rest)"
  }

  private static func html(_ group: RelatedRejects.Group) -> HTML {
    let rows = group.table(mostFields: 8, width: 200)
    var table = NumberTable("\(group.title), side by side", rows[0])
    for row in rows.dropFirst() {
      table.add(row[0], cells: row.dropFirst().enumerated().map { $0 == 2 ? .time($1) : .text($1) })
    }
    return table.html
  }
}
