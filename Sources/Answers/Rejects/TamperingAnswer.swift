package import Analysis
package import JSON
internal import SKAdNetwork

/// The diagnoses of rejects and the related rejects, as text or JSON.
package struct TamperingAnswer {
  let tampering: TamperingSurvey
  /// The groups of related rejects.
  let related: RelatedRejects
  /// The maximum number of groups, and of changes, to print.
  let top: Int

  package init(tampering: TamperingSurvey, related: RelatedRejects, top: Int) {
    (self.tampering, self.related, self.top) = (tampering, related, top)
  }

  /// One JSON object.
  package var json: JSONValue {
    .object(Self.members(tampering, top: top) + [.init("related", RelatedAnswer(related: related).json)])
  }

  /// The members of a JSON object about diagnoses.
  package static func members(_ tampering: TamperingSurvey, top: Int) -> [JSONValue.Member] {
    [
      .init("diagnosed", .integer(tampering.diagnosed)),
      .init("diagnosable", .integer(tampering.diagnosable)),
      .init("groups", .array(tampering.groups.prefix(top).map(json))),
      .init("changes", .array(tampering.changes.prefix(top).map(json))),
    ]
  }

  private static func json(_ group: TamperingSurvey.Group) -> JSONValue {
    .object([
      .init("finding", .string(group.finding)),
      .init("fields", .texts(group.fields)),
      .init("forwarder", .text(group.forwarder)),
      .init("rejects", .integer(group.count)),
      .init("summary", .string(group.summary)),
    ])
  }

  private static func json(_ change: TamperingSurvey.Change) -> JSONValue {
    .object([
      .init("field", .string(change.field)),
      .init("original", .text(change.original)),
      .init("arrived", .text(change.arrived)),
      .init("rejects", .integer(change.count)),
    ])
  }

  /// Two tables, then the related rejects.
  package var text: String {
    var parts = [
      "diagnoses of \(tampering.diagnosed) of the \(tampering.diagnosable) rejects whose signature allows one"
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

/// Related rejects, side by side, as text or JSON.
struct RelatedAnswer {
  let related: RelatedRejects

  /// One JSON object.
  var json: JSONValue {
    .object([
      .init("complete", .bool(related.isComplete)),
      .init("signatures", .integer(related.counts[.signature] ?? 0)),
      .init("transactions", .integer(related.counts[.transaction] ?? 0)),
      .init("groups", .array(related.groups.map(json))),
    ])
  }

  private func json(_ group: RelatedRejects.Group) -> JSONValue {
    .object([
      .init("same", .string(group.bond.rawValue)),
      .init("postbacks", .integer(group.count)),
      .init("members", .array(group.members.map { json($0, of: group) })),
    ])
  }

  private func json(_ member: RelatedRejects.Member, of group: RelatedRejects.Group) -> JSONValue {
    let values = group.differences.map { field in
      JSONValue.Member(field.name, member.values[field].map { .string(String(decoding: $0, as: UTF8.self)) } ?? .null)
    }
    return .object([
      .init("postbacks", .integer(member.count)),
      .init("reject_code", .text(member.code)),
      .init("raw_sha256", member.code == nil ? .null : .string(member.key)),
      .init("postback_key", member.code == nil ? .string(member.key) : .null),
      .init("channel", .text(member.origin.channel)),
      .init("forwarder", .text(member.origin.forwarder)),
      .init("received_at", .text(member.receivedAt)),
      .init("values", .object(values)),
    ])
  }

  /// The counts, and a table for each group.
  var text: String {
    let counts = RelatedRejects.Bond.allCases.map { "\($0.words): \(related.counts[$0] ?? 0)" }
    let limit = related.isComplete ? "" : "; not all rejects were compared: narrow the query with --where"
    var parts = [counts.joined(separator: "; ") + limit]
    for group in related.groups {
      let rows = group.table(mostFields: 5, width: 40)
      var table = TextTable(rows[0], numbersIn: [0], timesIn: [3])
      for row in rows.dropFirst() { table.add(row) }
      parts.append("  \(group.title)\n\(table.text(indent: 4))")
    }
    return parts.joined(separator: "\n\n")
  }
}

extension RelatedRejects.Bond {
  /// A description of the groups with this bond.
  package var words: String {
    switch self {
    case .signature: "one signature on several transactions"
    case .transaction: "one transaction with several contents"
    }
  }
}

extension RelatedRejects.Group {
  /// The number of postbacks, the property that they share, and the number of postbacks not shown.
  package var title: String {
    "\(count) postbacks of one \(bond.rawValue)" + (others > 0 ? ", of which \(others) are not shown" : "")
  }

  /// Returns the headings, then a row for each member with the fields in which members differ, at most `mostFields` of
  /// them and at most `width` characters of each.
  package func table(mostFields: Int, width: Int) -> [[String]] {
    let fields = differences.prefix(mostFields)
    let more = differences.count > mostFields ? ["more fields"] : []
    let columns = fields.map { field in DifferingTexts(members.map { $0.values[field] }, width: width) }
    return [["postbacks", "became", "from", "first received"] + fields.map(\.name) + more]
      + members.indices.map { index in
        let member = members[index]
        let sender = CopyOrigin.text(member.origin)
        return ["\(member.count)", member.code ?? "accepted", sender, member.receivedAt ?? "-"]
          + columns.map { $0.texts[index] } + more.map { _ in "\(differences.count - mostFields)" }
      }
  }
}

/// The differing values of a field, as text in which the difference is visible.
struct DifferingTexts {
  private(set) var texts: [String] = []

  /// Shortens the values to `width` characters each. If they begin with a long common part, most of that part is left
  /// out.
  init(_ values: [[UInt8]?], width: Int) {
    let scalars = values.map { $0.map { Array(String(decoding: $0, as: UTF8.self).unicodeScalars) } }
    let present = scalars.compactMap(\.self)
    var common = present.first?.count ?? 0
    for text in present {
      common = zip(text.prefix(common), present[0]).prefix { $0 == $1 }.count
    }
    let skipped = common > width / 2 ? common - width / 4 : 0
    texts = scalars.map { text in
      guard let text else { return "absent" }
      let shown = String(String.UnicodeScalarView(text.dropFirst(skipped)))
      let isPlain = !shown.isEmpty && shown != "absent" && !shown.hasWhiteSpaceAround
      return ((skipped > 0 ? "…" : "") + (isPlain ? shown : "\"\(shown)\"")).shortened(to: width)
    }
  }
}

extension String {
  fileprivate var hasWhiteSpaceAround: Bool { first?.isWhitespace == true || last?.isWhitespace == true }
}
