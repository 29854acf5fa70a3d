internal import JSON
internal import PostbackLookup
internal import Tables

extension FoundAnswer {
  /// The answer as text. Control characters are escaped, because bodies may be hostile.
  package var text: String {
    var blocks = (pasted.map { ["the postback that was given\n" + $0.text] } ?? []) + postbacks.map(text)
    for copy in others {
      blocks.append("reject, \(copy.verdict)\n\n" + self.text(copy, isBesideOthers: false))
    }
    if omitted > 0 { blocks.append("\(omitted) more rejects are not shown. Give --copies.") }
    return blocks.joined(separator: "\n\n")
  }

  private static let meaning: [ColumnName] = [
    .decodeStatus, .modelID, .modelVersion, .skanRevenue, .minRevenue, .maxRevenue, .currency, .cumulative,
    .estimatedInstallDate, .installDateEarliest, .installDateLatest,
  ]
  private static let receipt: [ColumnName] = [
    .receivedAt, .receivedAtSource, .channel, .forwarder, .remoteAddress, .sourceFile, .sourceLine, .extras,
  ]
  private static let signature: [ColumnName] = [.signatureState, .keyID, .environment, .coercedFields, .tierFlags]

  private func text(_ postback: Postback) -> String {
    let row = postback.row
    let signed = row.signedColumns
    let fields = FoundCopy.columns.compactMap { column in
      row.text(column).map { ((signed.contains(column.rawValue) ? "* " : "  ") + column.rawValue, $0) }
    }
    let text = row.signedText?.replacing("\u{2063}", with: " ⁞ ")
    var sections = [
      "postback \(row.text(.postbackKey) ?? "")",
      Self.section("accepted", [("row", row.place)] + row.facts(Self.signature)),
      Self.section("fields, * signed by Apple", fields),
      Self.section(
        "signed text",
        [("", text ?? "The JWS is kept in no table; --keep-raw keeps the bytes of postbacks.")]
      ),
      Self.section("receipt", row.facts(Self.receipt)),
      Self.section("meaning", row.facts(Self.meaning) + postback.events.map { ("event", Self.event($0)) }),
    ]
    for (name, rows) in postback.derived.sorted(by: { $0.key < $1.key }) {
      for row in rows { sections.append(Self.section(name, Self.facts(row.cells, without: [.postbackKey]))) }
    }
    if let deliveries = postback.deliveries {
      sections.append(Self.section("deliveries", deliveries.map { ($0["partner"]?.text ?? "", Self.line($0)) }))
    }
    sections.append(copies(postback))
    if let raw = row.raw { sections.append(Self.section("raw bytes", [("", String(escaping: raw))])) }
    sections += postback.copies.filter { $0.explanation != nil }.enumerated().map { number, copy in
      "reject \(number + 1) of \(postback.copies.count - 1), \(copy.verdict)\n\n"
        + self.text(copy, isBesideOthers: true)
    }
    return sections.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  /// All copies side by side: their senders, and the fields in which one of them differs.
  private func copies(_ postback: Postback) -> String {
    guard postback.copies.count > 1 else { return "" }
    let accepted = FoundCopy(accepted: postback.row)
    let signed = postback.row.signedColumns
    var table = TextTable([""] + postback.copies.map(\.verdict))
    func add(_ name: String, _ cell: (FoundCopy) -> String?) {
      table.add([name] + postback.copies.map { cell($0) ?? "" })
    }
    add("received_at") { $0.row.text(.receivedAt) }
    add("channel") { $0.row.text(.channel) }
    add("forwarder") { $0.row.text(.forwarder) }
    let changed = Set(postback.copies.flatMap { accepted.differences(to: $0) })
    for column in FoundCopy.columns.map(\.rawValue) where changed.contains(column) {
      add((signed.contains(column) ? "* " : "  ") + column) { copy in
        copy.values.isEmpty ? "?" : copy.values[column] ?? "absent"
      }
    }
    let omitted = postback.omitted > 0 ? "\n  \(postback.omitted) more copies are not shown. Give --copies." : ""
    let same = changed.isEmpty ? "\n  All copies have the same fields." : ""
    return "copies, in the order of time; * signed by Apple\n" + table.text(indent: 2, width: nil) + same + omitted
  }

  /// The row of a reject, its signature and its bytes; its fields too, unless they stand beside those of other copies.
  private func text(_ copy: FoundCopy, isBesideOthers: Bool) -> String {
    let columns: [ColumnName] = [
      .rejectDetail, .field, .expected, .found, .receivedAt, .channel, .forwarder, .sourceFile, .sourceLine,
    ]
    let raw = copy.row.raw.map { [("raw bytes", String(escaping: $0))] } ?? []
    let explanation = isBesideOthers ? copy.explanation?.without(["postback"]) : copy.explanation
    return [Self.section("row", [("place", copy.row.place)] + copy.row.facts(columns) + raw), explanation?.text ?? ""]
      .filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  // MARK: - Lines

  private static func section(_ title: String, _ facts: [(String, String)]) -> String {
    guard !facts.isEmpty else { return "" }
    var table = TextTable()
    for (name, value) in facts { table.add(name, value) }
    return title + "\n" + table.text(indent: 2)
  }

  private static func facts(_ cells: JSONValue, without: [ColumnName]) -> [(String, String)] {
    (cells.members ?? []).compactMap { member in
      member.value == .null || without.contains { $0.rawValue == member.key }
        ? nil : (member.key, member.value.text ?? member.value.description)
    }
  }

  private static func event(_ row: FoundRow) -> String {
    let most = row.text(.maxEventCount) ?? "more"
    let revenue = row.text(.skanRevenue).map { ", \($0) \(row.text(.currency) ?? "")" } ?? ""
    return "\(row.text(.eventName) ?? ""), \(row.text(.minEventCount) ?? "0") to \(most) times\(revenue)"
  }

  private static func line(_ delivery: JSONValue) -> String {
    func text(_ key: String) -> String { delivery[key]?.text ?? delivery[key]?.description ?? "" }
    let event = delivery["event_name"]?.text.map { " \($0)" } ?? ""
    let status = delivery["http_status"]?.integer.map { ", HTTP \($0)" } ?? ""
    let times = delivery["last_attempt_at"]?.text.map { ", last \($0)" } ?? ""
    let next = delivery["next_attempt_at"]?.text.map { ", next \($0)" } ?? ""
    let error = delivery["error"]?.text.map { ", \($0)" } ?? ""
    return "\(text("kind"))\(event): \(text("state")), \(text("attempts")) attempts\(status)\(times)\(next)\(error)"
  }
}
