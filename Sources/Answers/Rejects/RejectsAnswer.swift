package import Analysis
internal import Base
package import JSON
internal import SKAdNetwork
package import TableReading
internal import Tables

/// The answer to a query over rejects, as text, JSON or CSV.
package struct RejectsAnswer {
  let query: RejectQuery
  let survey: RejectSurvey
  /// The signals among accepted postbacks; nil unless they are asked for.
  package var signals: SignalsAnswer?
  /// The diagnoses of the rejects and the related rejects; nil unless they are asked for.
  package var tampering: TamperingAnswer?
  /// The stolen signatures; nil unless they are asked for.
  package var stolen: StolenAnswer?
  /// The comparison of two periods; nil unless it is asked for.
  package var comparison: ComparisonAnswer?
  /// Indicates that the groups are in the order of time and not of size.
  let sortsByDay: Bool
  /// The maximum number of groups to print.
  let top: Int

  package init(query: RejectQuery, survey: RejectSurvey, sortsByDay: Bool, top: Int) {
    (self.query, self.survey, self.sortsByDay, self.top) = (query, survey, sortsByDay, top)
  }

  /// The largest groups.
  private var groups: [RejectSurvey.Group] {
    let largest = survey.groups.prefix(top)
    guard sortsByDay, let place = query.grouping.firstIndex(where: \.isTime) else { return Array(largest) }
    return largest.enumerated().sorted {
      ($0.element.values[place] ?? "~", $0.offset) < ($1.element.values[place] ?? "~", $1.offset)
    }.map(\.element)
  }

  /// The tally of all groups that are not printed, including those that the survey did not keep.
  private var others: RowTally {
    survey.groups.dropFirst(top).reduce(into: survey.rest) { $0 += $1.tally }
  }

  private var conflicts: ConflictsAnswer? {
    survey.conflicts.map { conflicts in
      let keys = survey.rows.compactMap { RejectedRow($0).firstOfConflict }
      return ConflictsAnswer(
        conflicts: conflicts,
        readByForwarder: survey.readByForwarder,
        shownKeys: Array(Set(keys)).sorted(),
        top: top
      )
    }
  }

  private var names: [String] { query.grouping.map(\.name) }

  /// One JSON object.
  package var json: JSONValue {
    let otherGroups: [JSONValue.Member] = [
      .init("rejects", .integer(others.count)),
      .init("rejects_by_class", .counts(others.classes)),
      .init("first_seen", .time(others.firstSeen)),
      .init("last_seen", .time(others.lastSeen)),
    ]
    let rows = survey.rows.compactMap { try? JSONValue(parsing: $0) }
    return .object([
      .init("rejects", .integer(survey.rejects.count)),
      .init("rejects_by_class", .counts(survey.rejects.classes)),
      .init("read", .integer(survey.read)),
      .init("first_seen", .time(survey.rejects.firstSeen)),
      .init("last_seen", .time(survey.rejects.lastSeen)),
      .init("group_by", .texts(names)),
      .init("groups", .array(groups.map(json))),
      .init("other_groups", others.count == 0 ? .null : .object(otherGroups)),
      .init("comparison", .optional(comparison?.json)),
      .init("rows", .array(rows)),
      .init("conflicts", .optional(conflicts?.json)),
      .init("signals", .optional(signals?.json)),
      .init("tampering", .optional(tampering?.json)),
      .init("stolen_signatures", .optional(stolen?.json)),
      .init("unreadable_rows", .integer(survey.unreadable.count)),
    ])
  }

  private func json(_ group: RejectSurvey.Group) -> JSONValue {
    let values = zip(names, group.values).map { JSONValue.Member($0, .text($1)) }
    return .object([
      .init("values", .object(values)),
      .init("rejects", .integer(group.tally.count)),
      .init("rejects_by_class", .counts(group.tally.classes)),
      .init("share_of_rejects", .share(group.tally.count, of: survey.rejects.count)),
      .init("read", .integer(group.read)),
      .init("share_of_read", .share(group.tally.count, of: group.read)),
      .init("first_seen", .time(group.tally.firstSeen)),
      .init("last_seen", .time(group.tally.lastSeen)),
    ])
  }

  /// The groups as CSV (RFC 4180) with a header: a null is an absent field, and a text that a spreadsheet would run as a formula has
  /// an apostrophe before it.
  package var csv: String {
    let classes = RejectClass.allCases
    let header =
      names + ["rejects", "share_of_rejects", "read", "share_of_read", "first_seen", "last_seen"]
      + classes.map(\.rawValue)
    var lines = [header.joined(separator: ",")]
    for group in groups {
      let cells: [JSONValue] =
        [
          .integer(group.tally.count), .share(group.tally.count, of: survey.rejects.count),
          .integer(group.read), .share(group.tally.count, of: group.read),
          .time(group.tally.firstSeen), .time(group.tally.lastSeen),
        ] + classes.map { .integer(group.tally.classes[$0]) }
      let values = group.values.map { $0.map(\.withoutFormula.csvField) ?? "" }
      lines.append((values + cells.map { $0 == .null ? "" : $0.text ?? "\($0)" }).joined(separator: ","))
    }
    // Terminal.print adds the line feed of the last line.
    return lines.joined(separator: "\r\n") + "\r"
  }

  /// The answer as text: totals, a table of groups, and the rows.
  package var text: String {
    let read = survey.read.map { " of \($0) read (\(Share(survey.rejects.count, of: $0)))" } ?? ""
    var facts = TextTable()
    facts.add("rejects", "\(survey.rejects.count)\(read)")
    for one in RejectClass.allCases.reversed() {
      let count = survey.rejects.classes[one]
      let share = survey.read.map { " (\(Share(count, of: $0)) of read)" } ?? ""
      facts.add("  \(one.words)", "\(count)\(share)")
    }
    if let first = survey.rejects.firstSeen, let last = survey.rejects.lastSeen {
      facts.add("received", "\(Timestamp(milliseconds: first)) to \(Timestamp(milliseconds: last))")
    }
    var parts = [facts.text()]
    if !groups.isEmpty { parts.append(table.text()) }
    if others.count > 0 { parts.append("and \(others.count) rejects of other groups; --top N prints more\(limitNote)") }
    if let comparison { parts.append(comparison.text) }
    if let conflicts = conflicts?.text { parts.append(conflicts) }
    if let tampering { parts.append(tampering.text) }
    if let stolen { parts.append(stolen.text) }
    if let signals { parts.append(signals.text) }
    parts += survey.rows.map { RejectedRow($0, conflicts: survey.conflicts).text }
    return parts.joined(separator: "\n\n")
  }

  private var limitNote: String {
    survey.rest.count == 0 ? "" : " (\(survey.rest.count) are of more groups than are kept; narrow it with --where)"
  }

  private var table: TextTable {
    let hasCode = names.firstIndex(of: "reject_code")
    let count = names.count
    // With the code, the class is a word; without it, the classes are counts.
    let classes = hasCode == nil ? RejectClass.allCases.reversed() : []
    let first = count + 1 + classes.count
    var table = TextTable(
      names + ["rejects"] + classes.map(\.rawValue) + ["of rejects", "of read", "first seen", "last seen"]
        + (hasCode == nil ? [] : ["class", "meaning"]),
      numbersIn: Set(count...first + 1),
      timesIn: [first + 2, first + 3]
    )
    for group in groups {
      var cells = group.values.map { $0.map { $0.shortened(to: 60) } ?? "-" }
      cells.append("\(group.tally.count)")
      cells += classes.map { "\(group.tally.classes[$0])" }
      cells.append("\(Share(group.tally.count, of: survey.rejects.count))")
      cells.append(group.read.map { "\(Share(group.tally.count, of: $0))" } ?? "")
      cells += [group.tally.firstSeen, group.tally.lastSeen].map { $0.map { "\(Timestamp(milliseconds: $0))" } ?? "-" }
      if let hasCode {
        let code = group.values[hasCode].flatMap(RejectCode.init)
        cells += [code?.rejectClass.rawValue ?? "", code?.explanation ?? ""]
      }
      table.add(cells)
    }
    return table
  }
}

extension RejectClass {
  /// The class in words.
  package var words: String {
    switch self {
    case .copies: "further copies of accepted postbacks"
    case .noise: "noise"
    case .suspicious: "suspicious"
    }
  }
}

/// A part of a whole for people: "12.3 %".
package struct Share: CustomStringConvertible {
  private let part, whole: Int

  package init(_ part: Int, of whole: Int) { (self.part, self.whole) = (part, whole) }

  package var description: String {
    guard whole > 0 else { return "-" }
    let share = Double(part) / Double(whole) * 100
    if part > 0, share < 0.05 { return "< 0.1 %" }
    return "\((share * 10).rounded() / 10) %"
  }
}

extension JSONValue {
  /// A part of a whole, to the millionth; null if there is no whole.
  package static func share(_ part: Int, of whole: Int?) -> JSONValue {
    guard let whole, whole > 0 else { return .null }
    return .number("\((Double(part) / Double(whole) * 1_000_000).rounded() / 1_000_000)")
  }

  /// The numbers of rejects by class.
  package static func counts(_ counts: RejectCounts) -> JSONValue {
    .object(RejectClass.allCases.map { .init($0.rawValue, .integer(counts[$0])) })
  }

  /// A time, RFC 3339 in UTC.
  package static func time(_ milliseconds: Int64?) -> JSONValue {
    .text(milliseconds.map { Timestamp(milliseconds: $0).description })
  }
}

extension String {
  /// The text, with an apostrophe before it if a spreadsheet would run it as a formula. Senders write these texts.
  package var withoutFormula: String { utf8.span.needsApostrophe ? "'\(self)" : self }

  /// The text as a CSV field, in quotes if necessary. An empty text is in quotes, to distinguish it from null.
  package var csvField: String {
    let needsQuotes = isEmpty || utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: ",") }
    return needsQuotes
      ? "\"\(split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\"" : self
  }

  /// The text, cut to `count` Unicode scalars, and not characters, because a character may have any number of scalars.
  package func shortened(to count: Int) -> String {
    unicodeScalars.count > count ? String(unicodeScalars.prefix(count - 1)) + "…" : self
  }
}
