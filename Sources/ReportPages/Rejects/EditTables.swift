internal import Analysis
internal import Answers
internal import PageMarkup

extension HTML {
  /// Returns the diagnoses of rejects by finding and forwarder, and the fields that were edited with their values before and after,
  /// with a caption for each. With `inWords` findings and fields are in the words of analysts, and not the codes of the tables.
  static func edits(
    _ tampering: TamperingSurvey,
    _ groupsCaption: String,
    _ changesCaption: String,
    inWords: Bool
  ) -> HTML {
    let groups = longTable(
      groupsCaption,
      ["finding", "fields edited", "forwarder", "rejects", "such as"],
      tampering.groups
    ) { group, table in
      let fields = inWords ? group.fields.map(FieldWords.name) : group.fields
      table.add(
        inWords ? findingWords[group.finding] ?? group.finding : group.finding,
        .text(fields.joined(separator: ", ")),
        .text(group.forwarder ?? RejectReport.noForwarder),
        .number(group.count),
        .text(group.summary)
      )
    }
    guard !tampering.changes.isEmpty else { return groups }
    let changes = longTable(
      changesCaption,
      ["field", "as signed", "as it arrived", "rejects"],
      tampering.changes
    ) { change, table in
      table.add(
        change.field,
        .text(change.original ?? "absent"),
        .text(change.arrived ?? "absent"),
        .number(change.count)
      )
    }
    return "\(groups)\(changes)"
  }

  /// Returns the unsigned fields in which copies of a postback differ. `name` returns the shown name of a field.
  static func differences(
    _ caption: String,
    _ differences: [Conflicts.Difference],
    _ name: (String) -> String = { $0 }
  ) -> HTML {
    longTable(
      caption,
      ["field", "first", "first from", "later", "later from", "attributed to", "copies"],
      differences
    ) { difference, table in
      let cells = difference.cells
      table.add(name(cells[0]), cells: cells.dropFirst().map { .text($0) } + [.number(difference.copies)])
    }
  }
}

/// The codes of diagnoses in the words of analysts.
private let findingWords = [
  "recovered": "edited, original found",
  "reencoded": "written in another form, not edited",
  "unaltered": "not edited",
  "stolen_signature": "signature of another postback",
  "no_variant_found": "not explained by what was tried",
]
