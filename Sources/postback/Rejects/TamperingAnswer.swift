internal import Analysis
internal import JSON

/// The diagnoses of rejects and the related rejects, as text or JSON.
struct TamperingAnswer {
  let tampering: Tampering
  /// The groups of related rejects.
  let related: RelatedRejects
  /// The maximum number of groups, and of changes, to print.
  let top: Int

  /// One JSON object.
  var json: JSONValue {
    .object([
      .init("diagnosed", .integer(tampering.diagnosed)),
      .init("diagnosable", .integer(tampering.diagnosable)),
      .init("groups", .array(tampering.groups.prefix(top).map(json))),
      .init("changes", .array(tampering.changes.prefix(top).map(json))),
      .init("related", RelatedAnswer(related: related).json),
    ])
  }

  private func json(_ group: Tampering.Group) -> JSONValue {
    .object([
      .init("finding", .string(group.finding)),
      .init("fields", .array(group.fields.map { .string($0) })),
      .init("forwarder", group.forwarder.map { .string($0) } ?? .null),
      .init("rejects", .integer(group.count)),
      .init("summary", .string(group.summary)),
    ])
  }

  private func json(_ change: Tampering.Change) -> JSONValue {
    .object([
      .init("field", .string(change.field)),
      .init("original", change.original.map { .string($0) } ?? .null),
      .init("arrived", change.arrived.map { .string($0) } ?? .null),
      .init("rejects", .integer(change.count)),
    ])
  }

  /// Two tables, then the related rejects.
  var text: String {
    var parts = [
      "what was done to \(tampering.diagnosed) of \(tampering.diagnosable) rejects that a signature tells more about"
    ]
    if !tampering.groups.isEmpty {
      var groups = TextTable(["finding", "fields edited", "forwarder", "rejects", "such as"], numbersIn: [3])
      for group in tampering.groups.prefix(top) {
        let fields = group.fields.isEmpty ? "-" : group.fields.joined(separator: ", ")
        groups.add(group.finding, fields, group.forwarder ?? "-", "\(group.count)", group.summary.shortened(to: 100))
      }
      parts.append(groups.text(indent: 2))
    }
    if !tampering.changes.isEmpty {
      var changes = TextTable(["field", "as signed", "as it arrived", "rejects"], numbersIn: [3])
      for change in tampering.changes.prefix(min(top, 20)) {
        changes.add(
          change.field,
          (change.original ?? "absent").shortened(to: 60),
          (change.arrived ?? "absent").shortened(to: 60),
          "\(change.count)"
        )
      }
      parts.append(changes.text(indent: 2))
    }
    parts.append(RelatedAnswer(related: related).text)
    return parts.joined(separator: "\n\n")
  }
}
