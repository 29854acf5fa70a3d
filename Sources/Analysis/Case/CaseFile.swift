package import PostbackPipeline
package import TableReading
package import Tables

/// The numbers and examples about the records that meet some conditions, such as those of one forwarder, for a dispute.
package struct CaseFile: Sendable {
  /// The records of one day of receipt (UTC).
  package struct Day: Sendable {
    /// The date; nil for records without a time of receipt.
    package let date: String?
    package fileprivate(set) var records = OutcomeCounts()
    /// The rejects by code.
    package fileprivate(set) var codes: [String: Int] = [:]
  }

  /// The records with the same value in a column.
  package struct Sender: Sendable {
    /// The value; nil for null.
    package let name: String?
    package fileprivate(set) var records = OutcomeCounts()
  }

  /// The columns that conditions may be about: those that rejects and accepted postbacks both have, without the bytes,
  /// and the code of rejects.
  package static let columns =
    Table.rejects.columnNames.filter {
      Table.postbacks.columnNames.contains($0) && $0 != ColumnName.rawBody.rawValue
    } + [ColumnName.rejectCode.rawValue]
  /// The columns by which the records are counted too.
  package static let senderColumns = ["forwarder", "ad_network_id", "app_id"]

  /// The records by outcome.
  package let records: OutcomeCounts
  /// The first and the last time of receipt, in milliseconds since 1970; nil if no record has one.
  package let received: ClosedRange<Int64>?
  /// The accepted postbacks by `decode_status`, the most frequent first.
  package let statuses: [(status: String, count: Int)]
  /// The rejects by code, the most frequent first.
  package let codes: [(code: String, tally: RowTally)]
  /// The records by day, in order.
  package let days: [Day]
  /// The records by each column of `senderColumns`, those with the most records first.
  package let senders: [[Sender]]
  /// The revenue that the accepted postbacks were decoded into, by app and currency.
  package let revenue: [RejectReport.RevenueRange]
  /// The copies whose unsigned values differ from those of the first copy, where either copy meets the conditions.
  package let conflicts: Conflicts?
  /// The number of records of each forwarder.
  package let readByForwarder: [String?: Int]
  /// The rows of `skan_rejects` that are examples, with their codes, as JSON.
  package let rejectedExamples: [(code: String, line: [UInt8])]
  /// The rows of `skan_postbacks` that are examples, as JSON.
  package let acceptedExamples: [[UInt8]]
  /// Indicates that some groups are left out, because there are more than can be kept.
  package let isBounded: Bool
  /// The lines of the tables that are not rows.
  package let unreadable: UnreadableRows

  /// Collects a case from the tables of whole runs. At most `examples` rejects, with an equal share for each code, and as
  /// many accepted postbacks, with an equal share for each version, are kept whole.
  package init(
    _ query: RejectQuery,
    rejects: TableFiles,
    accepted: TableFiles,
    examples: Int,
    jobs: Int
  ) async throws(PipelineFailure) {
    var query = query
    query.comparesCopies = true
    let survey = try await RejectSurvey(query, rejects: rejects, accepted: accepted, jobs: jobs)
    let counting = CaseCounting(query, examples: examples)
    var count = CaseCount(examples: examples)
    try await rejects.scan(jobs: jobs) {
      counting.rejects(in: $0)
    } take: {
      count.merge($0)
    }
    try await accepted.scan(jobs: jobs) {
      counting.accepted(in: $0)
    } take: {
      count.merge($0)
    }
    records = count.records
    received = count.span.firstSeen.flatMap { first in count.span.lastSeen.map { first...$0 } }
    statuses = Self.byCount(count.statuses).map { ($0.values[0] ?? "", $0.tally.count) }
    var codes: [String: RowTally] = [:]
    for (key, tally) in count.dayCodes.tallies { codes[key.values[1] ?? "", default: RowTally()] += tally }
    self.codes = codes.map { ($0.key, $0.value) }.sorted { ($1.1.count, $0.0) < ($0.1.count, $1.0) }
    days = Self.days(accepted: count.days, rejected: count.dayCodes)
    senders = zip(count.acceptedBySender, count.rejectedBySender).map(Self.senders)
    revenue = count.revenue.ranges
    conflicts = survey.conflicts
    readByForwarder = survey.readByForwarder
    rejectedExamples = count.rejectedExamples.rows
    acceptedExamples = count.acceptedExamples.rows.map(\.line)
    isBounded = count.isBounded
    // The survey has read the same lines.
    unreadable = survey.unreadable
  }

  private static func byCount(_ groups: GroupTallies) -> [(values: [String?], tally: RowTally)] {
    groups.tallies.map { ($0.key.values, $0.value) }
      .sorted { ($1.1.count, $0.0[0] ?? "") < ($0.1.count, $1.0[0] ?? "") }
  }

  private static func days(accepted: GroupTallies, rejected: GroupTallies) -> [Day] {
    var days: [String?: Day] = [:]
    for (key, tally) in accepted.tallies {
      let date = key.values[0]
      days[date, default: Day(date: date)].records.accepted += tally.count
    }
    for (key, tally) in rejected.tallies {
      let date = key.values[0]
      days[date, default: Day(date: date)].records.rejects.add(key.values[1] ?? "", tally.count)
      days[date, default: Day(date: date)].codes[key.values[1] ?? "", default: 0] += tally.count
    }
    // Records without a time come last.
    return days.values.sorted { ($0.date ?? "~") < ($1.date ?? "~") }
  }

  private static func senders(accepted: GroupTallies, rejected: GroupTallies) -> [Sender] {
    var senders: [String?: Sender] = [:]
    for (key, tally) in accepted.tallies {
      senders[key.values[0], default: Sender(name: key.values[0])].records.accepted += tally.count
    }
    for (key, tally) in rejected.tallies {
      senders[key.values[0], default: Sender(name: key.values[0])].records.rejects.add(key.values[1] ?? "", tally.count)
    }
    return senders.values.sorted { ($1.records.total, $0.name ?? "") < ($0.records.total, $1.name ?? "") }
  }
}

/// The counts of one batch, or of all batches so far. Their size is bounded, whatever the tables hold.
private struct CaseCount: Sendable {
  var records = OutcomeCounts()
  var span = RowTally()
  var statuses = GroupTallies()
  /// Accepted postbacks by day.
  var days = GroupTallies()
  /// Rejects by day and code.
  var dayCodes = GroupTallies()
  var acceptedBySender = CaseFile.senderColumns.map { _ in GroupTallies() }
  var rejectedBySender = CaseFile.senderColumns.map { _ in GroupTallies() }
  var revenue = RevenueSums()
  var rejectedExamples: RejectSample
  var acceptedExamples: RejectSample

  init(examples: Int) {
    rejectedExamples = RejectSample(limit: examples)
    acceptedExamples = RejectSample(limit: examples)
  }

  mutating func merge(_ later: CaseCount) {
    records += later.records
    span += later.span
    statuses.merge(later.statuses)
    days.merge(later.days)
    dayCodes.merge(later.dayCodes)
    for index in acceptedBySender.indices {
      acceptedBySender[index].merge(later.acceptedBySender[index])
      rejectedBySender[index].merge(later.rejectedBySender[index])
    }
    revenue.merge(later.revenue)
    rejectedExamples.merge(later.rejectedExamples)
    acceptedExamples.merge(later.acceptedExamples)
  }

  var isBounded: Bool {
    let groups = [statuses, days, dayCodes] + acceptedBySender + rejectedBySender
    return groups.contains { $0.rest.count > 0 } || revenue.isBounded
  }
}

/// A counter for the rows of a batch.
private struct CaseCounting: Sendable {
  private let ofRejects: RowFilter
  /// Nil if a condition is about rejects alone.
  private let ofAccepted: RowFilter?
  private let examples: Int
  private let status = GroupKeyReader(["decode_status"], in: .postbacks)
  private let day = GroupKeyReader(["received_day"], in: .postbacks)
  private let dayCode = GroupKeyReader(["received_day", "reject_code"], in: .rejects)
  private let version = GroupKeyReader(["framework", "version"], in: .postbacks)
  private let acceptedSenders = CaseFile.senderColumns.map { GroupKeyReader([$0], in: .postbacks) }
  private let rejectedSenders = CaseFile.senderColumns.map { GroupKeyReader([$0, "reject_code"], in: .rejects) }
  private let columns = PostbackColumns()
  private let rejects = RejectColumns()

  init(_ query: RejectQuery, examples: Int) {
    ofRejects = RowFilter(query.conditions, during: query.span, in: .rejects)
    ofAccepted = query.isOfRejectsAlone ? nil : RowFilter(query.conditions, during: query.span, in: .postbacks)
    self.examples = examples
  }

  func rejects(in batch: RawBatch) -> CaseCount {
    var count = CaseCount(examples: examples)
    var group = GroupKey()
    var row = RowCursor(batch, of: .rejects)
    while row.next() {
      guard ofRejects.matches(row) else { continue }
      let time = row.time(rejects.receivedAt)
      let code = row.text(rejects.code) ?? ""
      count.records.rejects.add(code)
      count.span.add(at: time)
      dayCode.read(row, into: &group)
      count.dayCodes.add(group, at: time)
      for (index, reader) in rejectedSenders.enumerated() {
        reader.read(row, into: &group)
        count.rejectedBySender[index].add(group)
      }
      count.rejectedExamples.add(row.line, digest: row.text(rejects.digest) ?? "", code: code)
    }
    return count
  }

  func accepted(in batch: RawBatch) -> CaseCount {
    var count = CaseCount(examples: examples)
    guard let ofAccepted else { return count }
    var group = GroupKey()
    var row = RowCursor(batch, of: .postbacks)
    while row.next() {
      guard ofAccepted.matches(row) else { continue }
      count.records.accepted += 1
      count.span.add(at: row.time(columns.receivedAt))
      day.read(row, into: &group)
      count.days.add(group)
      status.read(row, into: &group)
      count.statuses.add(group)
      for (index, reader) in acceptedSenders.enumerated() {
        reader.read(row, into: &group)
        count.acceptedBySender[index].add(group)
      }
      version.read(row, into: &group)
      let kind = group.values.map { $0 ?? "" }.joined(separator: " ")
      count.acceptedExamples.add(row.line, digest: row.text(columns.key) ?? "", code: kind)
      guard row.boolean(columns.didWin) != false, let window = Int(exactly: row.integer(columns.window) ?? 0),
        (0..<3).contains(window), let sum = RevenueWindow(row, columns)
      else { continue }
      count.revenue.add(sum, ofWindow: window, row, &group)
    }
    return count
  }
}
