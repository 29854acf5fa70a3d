internal import Analysis
internal import JSON
internal import SKAdNetwork

/// Rejects that belong together, side by side, for a person or a program.
struct RelatedAnswer {
  let related: RelatedRejects

  /// One JSON object.
  var json: JSONValue {
    .object([
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
      JSONValue.Member(field.name, member.values[field].map { .string($0) } ?? .null)
    }
    return .object([
      .init("postbacks", .integer(member.count)),
      .init("reject_code", member.code.map { .string($0) } ?? .null),
      .init("raw_sha256", member.code == nil ? .null : .string(member.key)),
      .init("postback_key", member.code == nil ? .string(member.key) : .null),
      .init("forwarder", member.forwarder.map { .string($0) } ?? .null),
      .init("received_at", member.receivedAt.map { .string($0) } ?? .null),
      .init("values", .object(values)),
    ])
  }

  /// A line, and a table for each group.
  var text: String {
    let bound = related.isBounded ? ", and more that were not found: narrow it with --where" : ""
    var parts = [
      """
      one signature on several transactions: \(related.counts[.signature] ?? 0); one transaction told in several ways: \
      \(related.counts[.transaction] ?? 0)\(bound)
      """
    ]
    for group in related.groups {
      var table = TextTable(numbersIn: [0])
      table.add(Self.headings(of: group, mostFields: Self.mostFields))
      for member in group.members {
        let cells = Self.cells(of: member, in: group, mostFields: Self.mostFields)
        table.add(cells.map { $0.shortened(to: 40) })
      }
      parts.append("  \(Self.title(of: group))\n\(table.text(indent: 4))")
    }
    return parts.joined(separator: "\n\n")
  }

  private static let mostFields = 5

  /// What a group has in common, and how many are not shown.
  static func title(of group: RelatedRejects.Group) -> String {
    let others = group.others > 0 ? ", \(group.others) of them like none of these" : ""
    return "\(group.count) postbacks of one \(group.bond.rawValue)\(others)"
  }

  /// The headings of a table of a group.
  static func headings(of group: RelatedRejects.Group, mostFields: Int) -> [String] {
    ["postbacks", "became", "forwarder", "received at"] + group.differences.prefix(mostFields).map(\.name)
      + (group.differences.count > mostFields ? ["fields besides"] : [])
  }

  /// A row of it.
  static func cells(
    of member: RelatedRejects.Member,
    in group: RelatedRejects.Group,
    mostFields: Int
  ) -> [String] {
    ["\(member.count)", member.code ?? "accepted", member.forwarder ?? "-", member.receivedAt ?? "-"]
      + group.differences.prefix(mostFields).map { member.values[$0] ?? "absent" }
      + (group.differences.count > mostFields ? ["\(group.differences.count - mostFields)"] : [])
  }
}
