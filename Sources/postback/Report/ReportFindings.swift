internal import Analysis

/// What was found out about rejects beside what their rows say, for a page.
struct ReportFindings {
  /// What was done to the rejects of the sample.
  let diagnoses: [DiagnosedReject]
  /// What belongs together, of all rejects.
  let related: RelatedRejects

  /// Who changed what.
  var whatWasDone: HTML {
    let tampering = Tampering(diagnoses, diagnosable: diagnoses.count)
    guard tampering.diagnosed > 0 else {
      return "<p class=\"note\">The sample has no reject whose signature tells what was done to it.</p>"
    }
    let groups = HTML.tables(
      "What was done to \(tampering.diagnosed) rejects of the sample, by whoever forwarded them",
      ["finding", "fields edited", "forwarder", "rejects", "such as"],
      tampering.groups.count
    ) { index, table in
      let group = tampering.groups[index]
      table.add(
        group.finding,
        .text(group.fields.joined(separator: ", ")),
        .text(group.forwarder ?? "not said"),
        .number(group.count),
        .text(group.summary)
      )
    }
    let changes = HTML.tables(
      "Signed fields, before and after: what Apple signed, and what arrived",
      ["field", "as signed", "as it arrived", "rejects"],
      tampering.changes.count
    ) { index, table in
      let change = tampering.changes[index]
      table.add(
        change.field,
        .text(change.original ?? "absent"),
        .text(change.arrived ?? "absent"),
        .number(change.count)
      )
    }
    return tampering.changes.isEmpty ? groups : "\(groups)\(changes)"
  }

  /// Postbacks with one signature, and of one transaction, side by side.
  var whatBelongsTogether: HTML {
    "\(html(.signature, "one signature on several transactions"))\(html(.transaction, "one transaction told in several ways"))"
  }

  private func html(_ bond: RelatedRejects.Bond, _ words: String) -> HTML {
    let groups = related.groups.filter { $0.bond == bond }
    guard let first = groups.first else {
      return "<p class=\"note\" id=\"one-\(bond.rawValue)\">No case of \(words).</p>"
    }
    let count = related.counts[bond] ?? groups.count
    let more = count > groups.count ? ", here the \(groups.count) with the most postbacks" : ""
    let bound = related.isBounded ? " There are more rejects than could be held against each other." : ""
    let rest: HTML =
      groups.count == 1
      ? ""
      : """
      <details><summary>\(groups.count - 1) more: \(words)</summary>\(groups.dropFirst().map(Self.html))</details>
      """
    return """
      <p class="note" id="one-\(bond.rawValue)">\(Numbers.grouped(count)) cases of \(words)\(more).\(bound)</p>
      \(Self.html(first))\(rest)
      """
  }

  private static func html(_ group: RelatedRejects.Group) -> HTML {
    let mostFields = 8
    var table = NumberTable(
      "\(RelatedAnswer.title(of: group)), side by side",
      RelatedAnswer.headings(of: group, mostFields: mostFields)
    )
    for member in group.members {
      let cells = RelatedAnswer.cells(of: member, in: group, mostFields: mostFields)
      table.add(cells[0], cells: cells.dropFirst().map { .text($0) })
    }
    return table.html
  }
}
