package import PostbackPipeline
internal import PostbackVerification
package import TableReading
package import Tables

/// The answer to a query over rejects: counts by group, rows, and conflicting copies.
package struct RejectSurvey: Sendable {
  /// Rejects with the same values in all columns of the grouping.
  package struct Group: Sendable {
    /// The values, in the order of the grouping.
    package let values: [String?]
    /// The rejects.
    package let tally: RowTally
    /// The number of records read, including accepted ones, that have the same values in those columns of the grouping that
    /// accepted postbacks also have; nil if it is unknown.
    package let read: Int?
  }

  /// All rejects that match.
  package let rejects: RowTally
  /// The number of records read that meet the conditions on columns of both tables; nil if no accepted postbacks were
  /// read.
  package let read: Int?
  /// The groups, the largest first.
  package let groups: [Group]
  /// The rejects of groups that are not kept, because there are too many.
  package let rest: RowTally
  /// The copies whose unsigned values differ from those of the first copy, with the origins of both; nil if the query
  /// does not need them, or if no accepted postbacks were read.
  package let conflicts: Conflicts?
  /// The number of records read of each forwarder; the key nil is for records without a forwarder. It is complete
  /// only if there are conflicts.
  package let readByForwarder: [String?: Int]
  /// The rows that are kept whole.
  package let rows: [[UInt8]]
  /// The lines of the tables that are not rows.
  package let unreadable: UnreadableRows

  /// Answers a query from tables of rejects and, if they are given, of accepted postbacks.
  ///
  /// The memory used does not grow with the number of rows: at most `GroupTallies.largestCount` groups and `shownRows` rows
  /// are kept.
  package init(
    _ query: RejectQuery,
    rejects: TableFiles,
    accepted: TableFiles?,
    jobs: Int
  ) async throws(PipelineFailure) {
    var counting = SurveyCounting(query, countsRead: accepted != nil)
    var part = SurveyPart()
    try await rejects.scan(jobs: jobs) { [counting] batch in
      counting.rejects(in: batch)
    } take: { later in
      part.merge(later, keeping: query.shownRows)
    }
    counting.conflictKeys = part.conflicts.keys
    if let accepted {
      try await accepted.scan(jobs: jobs) { [counting] batch in
        counting.accepted(in: batch)
      } take: { later in
        part.merge(later, keeping: query.shownRows)
      }
    }
    self.rejects = part.rejects
    read = accepted == nil ? nil : part.readCount
    let readIsKnown = accepted != nil && part.read.rest.count == 0
    let places = counting.sharedPlaces
    groups = part.groups.tallies.map { key, tally in
      let read = readIsKnown ? part.read[key.only(places)]?.count : nil
      return Group(values: key.values, tally: tally, read: read)
    }
    .sorted { $0.comes(before: $1) }
    rest = part.groups.rest
    conflicts = counting.wantsConflicts ? Conflicts(part.conflicts) : nil
    readByForwarder = Dictionary(
      part.forwarders.tallies.map { ($0.key.values[0], $0.value.count) },
      uniquingKeysWith: +
    )
    rows = part.rows
    unreadable = part.unreadable
  }
}

extension RejectSurvey.Group {
  /// Returns true if this group has more rejects than `other`, or as many and smaller values. Null is the smallest value.
  fileprivate func comes(before other: Self) -> Bool {
    guard tally.count == other.tally.count else { return tally.count > other.tally.count }
    for (one, two) in zip(values, other.values) where one != two {
      guard let one else { return true }
      guard let two else { return false }
      return one.utf8.lexicographicallyPrecedes(two.utf8)
    }
    return false
  }
}

/// The counts of one batch, or of all batches so far.
private struct SurveyPart: Sendable {
  var rejects = RowTally()
  var groups = GroupTallies()
  var readCount = 0
  /// The records read, by those columns of the grouping that accepted postbacks also have.
  var read = GroupTallies()
  /// The records read, by forwarder.
  var forwarders = GroupTallies()
  var copies: [ConflictReader.Copy] = []
  var firsts: [ConflictReader.First] = []
  var conflicts = ConflictTable()
  var rows: [[UInt8]] = []
  var unreadable = UnreadableRows()

  mutating func merge(_ later: SurveyPart, keeping limit: Int) {
    rejects += later.rejects
    groups.merge(later.groups)
    readCount += later.readCount
    read.merge(later.read)
    forwarders.merge(later.forwarders)
    conflicts.add(later.copies)
    conflicts.add(later.firsts)
    rows += later.rows.prefix(limit - rows.count)
    unreadable += later.unreadable
  }
}

/// A counter for the rows of a batch, for one query.
private struct SurveyCounting: Sendable {
  private let shared: RowFilter
  private let own: RowFilter
  private let groupKey: GroupKeyReader
  private let readKey: GroupKeyReader
  private let acceptedFilter: RowFilter
  private let acceptedKey: GroupKeyReader
  private let columns = RejectColumns()
  private let shownRows: Int
  private let countsRead: Bool
  private let conflict = ConflictReader()
  private let forwarder = GroupKeyReader(["forwarder"], in: .rejects)
  private let acceptedForwarder = GroupKeyReader(["forwarder"], in: .postbacks)
  /// True if conflicts are collected: the query asks for them, and accepted postbacks are read.
  let wantsConflicts: Bool
  /// The keys of the postbacks whose first copy is to be found among accepted postbacks.
  var conflictKeys: Set<PostbackKey> = []

  init(_ query: RejectQuery, countsRead: Bool) {
    shared = RowFilter(query.sharedConditions, during: query.span, in: .rejects)
    own = RowFilter(query.ownConditions, during: TimeSpan(), in: .rejects)
    groupKey = GroupKeyReader(query.grouping, in: .rejects)
    acceptedFilter = RowFilter(query.sharedConditions, during: query.span, in: .postbacks)
    acceptedKey = GroupKeyReader(query.grouping, in: .postbacks)
    readKey = GroupKeyReader(acceptedKey.columns.map { query.grouping[$0] }, in: .rejects)
    shownRows = query.shownRows
    self.countsRead = countsRead
    wantsConflicts = countsRead && query.wantsConflicts
  }

  /// The cells of rejects that are read; nil if they may be any.
  private var rejectCells: [Int]? {
    wantsConflicts
      ? nil : shared.columns + own.columns + groupKey.cells + readKey.cells + [columns.receivedAt, columns.code]
  }

  /// The cells of accepted postbacks that are read; nil if they may be any.
  private var acceptedCells: [Int]? { conflictKeys.isEmpty ? acceptedFilter.columns + acceptedKey.cells : nil }

  /// The indexes in the grouping of the columns that accepted postbacks also have.
  var sharedPlaces: [Int] { acceptedKey.columns }

  func rejects(in batch: RawBatch) -> SurveyPart {
    var part = SurveyPart()
    var key = GroupKey()
    var row = RowCursor(batch, of: .rejects, only: rejectCells)
    while row.next() {
      let isShared = shared.matches(row)
      if wantsConflicts, conflict.isConflict(row), own.matches(row) {
        if let copy = conflict.copy(row, matches: isShared) { part.copies.append(copy) }
      }
      guard isShared else { continue }
      if countsRead {
        part.readCount += 1
        readKey.read(row, into: &key)
        part.read.add(key)
      }
      if wantsConflicts {
        forwarder.read(row, into: &key)
        part.forwarders.add(key)
      }
      guard own.matches(row) else { continue }
      let time = row.time(columns.receivedAt)
      let code = row.text(columns.code) ?? ""
      part.rejects.add(at: time)
      part.rejects.classes.add(code)
      groupKey.read(row, into: &key)
      part.groups.add(key, at: time, code: code)
      if part.rows.count < shownRows { part.rows.append(row.line) }
    }
    part.unreadable = row.unreadable
    return part
  }

  func accepted(in batch: RawBatch) -> SurveyPart {
    var part = SurveyPart()
    var key = GroupKey()
    guard !acceptedFilter.isEverything || !acceptedKey.columns.isEmpty || !conflictKeys.isEmpty else {
      // Only the number of accepted postbacks is needed.
      part.readCount = batch.records.count
      part.read.add(key, count: batch.records.count)
      return part
    }
    var row = RowCursor(batch, of: .postbacks, only: acceptedCells)
    while row.next() {
      let isShared = acceptedFilter.matches(row)
      if let first = conflict.first(row, among: conflictKeys, matches: isShared) { part.firsts.append(first) }
      guard isShared else { continue }
      part.readCount += 1
      acceptedKey.read(row, into: &key)
      part.read.add(key)
      if !conflictKeys.isEmpty {
        acceptedForwarder.read(row, into: &key)
        part.forwarders.add(key)
      }
    }
    part.unreadable = row.unreadable
    return part
  }
}
