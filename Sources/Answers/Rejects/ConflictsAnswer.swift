package import Analysis
package import JSON

/// Copies whose unsigned values differ from those of the first copy, with the senders responsible, as text or JSON.
package struct ConflictsAnswer {
  package let conflicts: Conflicts
  /// The number of records read of each forwarder.
  let readByForwarder: [String?: Int]
  /// The keys of the first copies that belong to the rows shown.
  let shownKeys: [String]
  /// The maximum number of differences, and of forwarders, to print.
  let top: Int

  package init(conflicts: Conflicts, readByForwarder: [String?: Int], shownKeys: [String], top: Int) {
    (self.conflicts, self.readByForwarder, self.shownKeys, self.top) = (conflicts, readByForwarder, shownKeys, top)
  }

  /// One JSON object.
  package var json: JSONValue {
    .object([
      .init("copies", .integer(conflicts.copies)),
      .init("attributed_copies", .integer(conflicts.attributedCopies)),
      .init("copies_without_first", .integer(conflicts.unknownFirsts)),
      .init("unfollowed_copies", .integer(conflicts.unfollowed)),
      .init("forwarders", .array(conflicts.parties.prefix(top).map(json))),
      .init("differences", .array(conflicts.differences.prefix(top).map(json))),
      .init("first_copies", .object(shownKeys.map { .init($0, .origin(conflicts.origin(ofFirst: $0))) })),
    ])
  }

  private func json(_ party: Conflicts.Party) -> JSONValue {
    let read = read(of: party)
    return .object([
      .init("forwarder", .text(party.forwarder)),
      .init("copies", .integer(party.copies)),
      .init("postbacks", .integer(party.postbacks)),
      .init("came_first", .integer(party.cameFirst)),
      .init("read", .integer(read)),
      .init("share_of_read", .share(party.postbacks, of: read)),
    ])
  }

  /// The number of records read of a named forwarder; nil if it is unknown, or if conditions leave out some of the
  /// postbacks in conflict.
  private func read(of party: Conflicts.Party) -> Int? {
    party.forwarder.flatMap { readByForwarder[$0] }.flatMap { $0 < party.postbacks ? nil : $0 }
  }

  private func json(_ difference: Conflicts.Difference) -> JSONValue {
    .object([
      .init("field", .string(difference.field)),
      .init("first", .text(difference.first)),
      .init("first_from", .origin(difference.firstFrom)),
      .init("later", .text(difference.later)),
      .init("later_from", .origin(difference.laterFrom)),
      .init("attributed_to", .origin(difference.attributedTo)),
      .init("copies", .integer(difference.copies)),
    ])
  }

  /// A sentence and two tables; nil if there are no such copies.
  package var text: String? {
    guard conflicts.copies > 0 || conflicts.unfollowed > 0 else { return nil }
    var parts = [
      "\(conflicts.copies) copies of genuine postbacks have a different unsigned value than the first copy; "
        + "in \(conflicts.attributedCopies) of these pairs, one copy came from a device itself"
    ]
    if conflicts.unfollowed > 0 {
      parts[0] += "; \(conflicts.unfollowed) further copies were not compared, because there are too many"
    }
    if !conflicts.parties.isEmpty {
      var table = TextTable(
        ["attributed to", "copies", "postbacks", "came first", "of read"],
        numbersIn: [1, 2, 3, 4]
      )
      for party in conflicts.parties.prefix(top) {
        table.add(
          (party.forwarder ?? "-").shortened(to: 60),
          "\(party.copies)",
          "\(party.postbacks)",
          "\(party.cameFirst)",
          read(of: party).map { "\(Share(party.postbacks, of: $0))" } ?? ""
        )
      }
      parts.append(table.text(indent: 2))
    }
    var table = TextTable(
      ["field", "first", "first from", "later", "later from", "attributed to", "copies"],
      numbersIn: [6]
    )
    let shown = conflicts.differences.prefix(min(top, 20))
    for difference in shown { table.add(difference.cells + ["\(difference.copies)"]) }
    parts.append(table.text(indent: 2))
    let others = conflicts.differences.count - shown.count
    if others > 0 { parts.append("  and \(others) further pairs of values; --format json has all") }
    return parts.joined(separator: "\n\n")
  }
}

extension Conflicts.Difference {
  /// The field, both values with their senders, and the sender to which the difference is attributed.
  package var cells: [String] {
    [
      field, (first ?? "absent").shortened(to: 40), CopyOrigin.text(firstFrom), (later ?? "absent").shortened(to: 40),
      CopyOrigin.text(laterFrom), attributedTo.map(CopyOrigin.text) ?? "undecided",
    ]
  }
}

extension CopyOrigin {
  /// The sender as text; for nil, a note that the tables do not have the first copy.
  package static func text(_ origin: CopyOrigin?) -> String {
    guard let origin else { return "not in these tables" }
    guard let forwarder = origin.forwarder else { return origin.channel ?? "unknown" }
    return "\(forwarder.shortened(to: 60)) (\(origin.channel ?? "unknown channel"))"
  }
}

extension JSONValue {
  /// A sender as an object; null if there is none.
  package static func origin(_ origin: CopyOrigin?) -> JSONValue {
    guard let origin else { return .null }
    return .object([
      .init("channel", .text(origin.channel)),
      .init("forwarder", .text(origin.forwarder)),
    ])
  }
}
