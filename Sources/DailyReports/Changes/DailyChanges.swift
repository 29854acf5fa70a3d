internal import Base
internal import DerivedTables
internal import DurableFiles
internal import JSON
internal import Tables

/// The changes of `skan_daily` between the report that was there before and a new one, behind those of earlier reports.
struct DailyChanges {
  /// The number of changes by reason; the key is nil for changes whose reason cannot be told.
  private(set) var counts: [ChangeReason?: Int] = [:]
  /// The reason for which the reports are not compared, or not to their end; nil if they are.
  private(set) var obstacle: String?
  /// The day of receipt that has lost the most postbacks of those that have none any more; nil if no day has lost all.
  private(set) var emptied: (day: Int64, postbacks: Int64)?

  /// The install days that had costs and have none any more.
  private var withoutCost: (first: Int64, last: Int64, count: Int)?

  private let settings: DailySettings
  private let asOf: Timestamp?
  private let history: DailyChangesHistory
  private let causes: ChangeCauses
  private var previous: DailyPreviousRows?

  /// Begins the comparison with the report in a folder.
  init(
    in output: String,
    _ settings: DailySettings,
    _ provenance: DailyProvenance,
    asOf: Timestamp?
  ) throws(FileFailure) {
    (self.settings, self.asOf) = (settings, asOf)
    let before = try DerivedTable.summary(of: .daily, in: output).flatMap(DailyProvenance.init)
    history = try DailyChangesHistory(in: output, before: before)
    causes = before.map(provenance.causes) ?? ChangeCauses()
    if let before, before.settings == provenance.settings {
      previous = try StoredRows(.daily, in: output).map(DailyPreviousRows.init)
      obstacle = nil
    } else {
      obstacle = before == nil ? "no report was there before" : "the report that was there before has other settings"
    }
  }

  /// Appends the changes of earlier reports.
  func copyHistory(_ encoder: inout RowEncoder, _ flush: (inout RowEncoder) throws(FileFailure) -> Void)
    throws(FileFailure)
  {
    try history.copy(&encoder, flush)
  }

  /// Appends the changes of a day, and of the days before it that the new report does not have.
  mutating func compare(_ position: DailyPosition, with rows: RowBatch, _ encoder: inout RowEncoder) {
    compare(upTo: position, &encoder)
    guard nextPosition() == position else { return }
    compare(nextDay(), with: DailyStoredRows.read(rows), &encoder)
  }

  /// Appends the changes of the days that the new report does not have: before a day, or nil for all that are left.
  mutating func compare(upTo position: DailyPosition?, _ encoder: inout RowEncoder) {
    while let next = nextPosition(), position.map({ next < $0 }) ?? true {
      let rows = nextDay()
      // Days that are not calculated keep their rows.
      guard settings.part(of: next.day) == .calculated else { continue }
      compare(rows, with: [], &encoder)
      let lost = rows.reduce(0) { $0 + $1.postbacks }
      if next.type == .received, let day = next.day, lost > emptied?.postbacks ?? 0 { emptied = (day, lost) }
    }
  }

  private mutating func nextPosition() -> DailyPosition? { reading { rows throws(FileFailure) in try rows.position() } }

  private mutating func nextDay() -> [DailyStoredRow] {
    reading { rows throws(FileFailure) in try rows.nextDay() } ?? []
  }

  /// Reads the report that was there before. If it is damaged, the comparison ends: the new report takes its place.
  private mutating func reading<Value>(
    _ body: (inout DailyPreviousRows) throws(FileFailure) -> Value?
  ) -> Value? {
    guard var rows = previous else { return nil }
    do throws(FileFailure) {
      defer { previous = rows }
      return try body(&rows)
    } catch {
      previous = nil
      obstacle = "the report that was there before cannot be read: \(error)"
      return nil
    }
  }

  /// The summary for the table of changes.
  var json: JSONValue {
    let reasons = ChangeReason.allCases.map { JSONValue.Member($0.rawValue, .integer(counts[$0] ?? 0)) }
    return .object([
      .init("rows", .integer(history.kept + added)),
      .init("added", .integer(added)),
      .init("by_reason", .object(reasons + [.init("unknown", .integer(counts[nil] ?? 0))])),
      .init("not_compared", .text(obstacle)),
      .init(DailyChangesHistory.comparedKey, .text(history.before)),
    ])
  }

  /// Remarks on days that lost their costs, and on another grace period of the settlement, which may be the reason of changes.
  var warnings: [String] { costWarnings + graceWarnings }

  private var costWarnings: [String] {
    guard let (first, last, count) = withoutCost else { return [] }
    let (from, to) = (Timestamp.name(ofDay: first), Timestamp.name(ofDay: last))
    let days = count == 1 ? "the install day \(from)" : "\(count) install days from \(from) to \(to)"
    return [
      "The earlier report has costs of \(days) that the costs have no longer. Give a file with the costs of all days. "
        + "\(Table.dailyChanges.name) has what they were."
    ]
  }

  private var graceWarnings: [String] {
    guard let (before, now) = causes.graceHours, counts[nil, default: 0] > 0 else { return [] }
    return [
      "The grace period of postback settle (--grace-hours) changes from \(before) to \(now). So other copies may decide, also on "
        + "final days, and \(Table.dailyChanges.name) has no reason for the changes."
    ]
  }

  /// The digest of the rows of the report that was there before; nil if there is none.
  var before: String? { history.before }

  /// The number of changes.
  var added: Int { counts.values.reduce(0, +) }

  private mutating func compare(_ before: [DailyStoredRow], with after: [DailyStoredRow], _ encoder: inout RowEncoder) {
    if let day = before.first?.position.day, before.contains(where: \.hasCost), !after.contains(where: \.hasCost) {
      withoutCost = (withoutCost?.first ?? day, day, (withoutCost?.count ?? 0) + 1)
    }
    let late = Self.lateWindows(before, after)
    let moved = causes.files.contains(.cost) ? Self.groupsMovedByCosts(before, after) : []
    var rows: [DailyStoredRow.Identity: DailyStoredRow] = [:]
    for row in before { rows[row.identity] = row }
    for row in after {
      append(rows.removeValue(forKey: row.identity), row, late, moved, &encoder)
    }
    for row in before where rows[row.identity] != nil { append(row, nil, late, moved, &encoder) }
  }

  /// The groups with a row that only a cost makes, in one of the reports: its first row has the revenue of all windows.
  private static func groupsMovedByCosts(
    _ before: [DailyStoredRow],
    _ after: [DailyStoredRow]
  ) -> Set<DailyKeyBytes> {
    func groups(_ rows: [DailyStoredRow], without others: [DailyStoredRow]) -> Set<DailyKeyBytes> {
      let others = Set(others.map(\.identity))
      return Set(rows.filter { $0.postbacks == 0 && !others.contains($0.identity) }.map(\.group))
    }
    return groups(before, without: after).union(groups(after, without: before))
  }

  /// The windows of a day that have more postbacks than before.
  private static func lateWindows(_ before: [DailyStoredRow], _ after: [DailyStoredRow]) -> Set<Int64> {
    var totals: [Int64: Int64] = [:]
    for row in after { totals[row.window, default: 0] += row.postbacks }
    for row in before { totals[row.window, default: 0] -= row.postbacks }
    return Set(totals.filter { $0.value > 0 }.keys)
  }

  private mutating func append(
    _ before: DailyStoredRow?,
    _ after: DailyStoredRow?,
    _ late: Set<Int64>,
    _ moved: Set<DailyKeyBytes>,
    _ encoder: inout RowEncoder
  ) {
    guard let row = after ?? before, before?.metrics != after?.metrics else { return }
    let none = [String?](repeating: nil, count: DailyStoredRows.metrics.count)
    let (previous, current, key) = (before?.metrics.values ?? none, after?.metrics.values ?? none, row.key.values)
    for (place, column) in DailyStoredRows.metrics.enumerated() {
      let (old, new) = (previous[place], current[place])
      guard old != new else { continue }
      // A row that there is only once has all its numbers; those that are 0 say nothing.
      if before == nil || after == nil, (old ?? new) == "0" { continue }
      var isLate = column == .revenueAllWindows ? !late.isEmpty : late.contains(row.window)
      if causes.hasRemovals, after?.postbacks ?? 0 < before?.postbacks ?? 0 { isLate = false }
      let isMoved = column == .revenueAllWindows && moved.contains(row.group)
      let reason = causes.reason(of: column, isLate: isLate, isMoved: isMoved)
      for (column, cell) in zip(DailyStoredRows.key, key) { encoder.copy(column, cell) }
      encoder.text(.metric, column.rawValue)
      encoder.copy(.previous, old)
      encoder.copy(.current, new)
      encoder.time(.asOf, asOf)
      encoder.word(.reason, reason?.rawValue)
      encoder.endRow()
      counts[reason, default: 0] += 1
    }
  }
}

/// The changes that earlier reports recorded.
struct DailyChangesHistory {
  /// The member of the summary with the digest of the report that a comparison began with.
  static let comparedKey = "compared_with"

  /// The number of changes to keep.
  let kept: Int
  /// The digest of the report that is there before the new one; nil if there is none.
  let before: String?

  private let output: String

  /// Finds the changes in a folder. Those of a comparison with the same report as the new one are left out: its report
  /// did not become the current one, because it was stopped between both tables.
  init(in output: String, before: DailyProvenance?) throws(FileFailure) {
    self.output = output
    self.before = before?.rows
    guard let summary = try DerivedTable.summary(of: .dailyChanges, in: output), let rows = summary.count("rows") else {
      kept = 0
      return
    }
    var isStopped = false
    if case .string(let digest)? = summary[Self.comparedKey] { isStopped = digest == before?.rows }
    kept = isStopped ? rows - (summary.count("added") ?? 0) : rows
  }

  /// Appends the changes.
  func copy(
    _ encoder: inout RowEncoder,
    _ flush: (inout RowEncoder) throws(FileFailure) -> Void
  ) throws(FileFailure) {
    guard kept > 0, var stored = try StoredRows(.dailyChanges, in: output) else { return }
    let columns = Table.dailyChanges.columns.map(\.name)
    var copied = 0
    while copied < kept, let batch = try stored.next() {
      var cursor = RowCursor(batch, of: .dailyChanges)
      while copied < kept, cursor.next() {
        for (place, column) in columns.enumerated() { encoder.copy(column, cursor.text(place)) }
        encoder.endRow()
        copied += 1
      }
      try flush(&encoder)
    }
  }
}

extension JSONValue {
  fileprivate func count(_ key: String) -> Int? { self[key]?.integer.map(Int.init) }
}
