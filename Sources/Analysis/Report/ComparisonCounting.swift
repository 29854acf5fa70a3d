internal import Base
internal import JSON
package import PostbackPipeline
internal import SKAdNetwork
package import TableReading
internal import Tables

/// Counts rejects by day, code, sender and source identifier, without harmless copies.
struct SourceIdentifiers: Sendable {
  private let key = GroupKeyReader(CubeKeys.common + ["reject_code"], in: .rejects)
  private let columns = RejectColumns()

  /// A reader of the source identifier, or else the campaign id, of one record after the other.
  struct Reader: ~Copyable {
    private var parser = JSONParser(names: ["source-identifier", "campaign-id"])
    private var document = JSONDocument()
    private var bytes: [UInt8] = []

    /// The number of a record; nil if it has none, is not JSON, or the number is too long.
    mutating func read(_ record: Span<UInt8>) -> String? {
      bytes.removeAll(keepingCapacity: true)
      bytes.append(copying: record)
      bytes.append(contentsOf: repeatElement(0, count: JSONParser.padding))
      do { try parser.parse(0..<record.count, of: &bytes, into: &document) } catch { return nil }
      guard document.root.kind == .object else { return nil }
      let (identifier, campaign) = (document.fields[0], document.fields[1])
      if identifier.kind == .string { return text(identifier) }
      return campaign.kind == .number ? text(campaign).flatMap { Int64($0) }.map { "\($0)" } : nil
    }

    private func text(_ field: JSONField) -> String? {
      field.text.count <= SourceIdentifiers.longest ? String(decoding: bytes[field.text.indices], as: UTF8.self) : nil
    }
  }

  /// Counts the current reject, if its record has a source identifier or a campaign id.
  func add(_ row: borrowing RowCursor, _ reader: inout Reader, to groups: inout GroupTallies, _ group: inout GroupKey) {
    guard row.text(columns.code).flatMap(RejectCode.init)?.rejectClass != .copies, let record = row.cell(columns.body),
      let source = reader.read(row.bytes.span.extracting(record.indices))
    else { return }
    key.read(row, into: &group)
    group.append(source)
    groups.add(group)
  }

  private static let longest = 20

  /// Removes the groups of days that are too early for a comparison of the latest periods, which end with the last day of all
  /// records: not before the last day of these.
  static func keepLatest(_ groups: inout GroupTallies) {
    var days: [String: Int?] = [:]
    func place(_ key: GroupKey) -> (origin: TimeOrigin, day: Int)? {
      let values = key.values(first: 2)
      guard let date = values[1] else { return nil }
      let day = days[date] ?? Timestamp("\(date)T00:00:00Z").map { Int($0.daysSince1970) }
      days[date] = .some(day)
      return day.map { (TimeOrigin(values[0]), $0) }
    }
    var last: [TimeOrigin: Int] = [:]
    for (key, _) in groups.tallies {
      if let place = place(key) { last[place.origin] = max(last[place.origin] ?? place.day, place.day) }
    }
    groups.keep { key in
      guard let place = place(key), let last = last[place.origin] else { return false }
      return place.day > last - 2 * RejectPeriod.longest
    }
  }
}

/// Counts the rows of a batch for a comparison of two periods.
private struct ComparisonCounting: Sendable {
  let rejects: RowFilter
  let accepted: RowFilter
  private let cube = CubeKeys()
  private let sources = SourceIdentifiers()

  struct Part: Sendable {
    var count = CubeCount()
    var sources = GroupTallies()
  }

  func rejects(in batch: RawBatch) -> Part {
    var part = Part()
    var key = GroupKey()
    var row = RowCursor(batch, of: .rejects)
    var reader = SourceIdentifiers.Reader()
    while row.next() {
      guard rejects.matches(row) else { continue }
      cube.addReject(row, to: &part.count, &key)
      sources.add(row, &reader, to: &part.sources, &key)
    }
    return part
  }

  func accepted(in batch: RawBatch) -> Part {
    var part = Part()
    var key = GroupKey()
    var row = RowCursor(batch, of: .postbacks)
    while row.next() {
      guard accepted.matches(row) else { continue }
      cube.addAccepted(row, window: nil, nil, to: &part.count, &key)
    }
    return part
  }
}

extension RejectComparison {
  /// Compares the records that meet the conditions of a query, whatever its span is. Conditions on columns that accepted
  /// postbacks do not have are for rejects alone.
  package init(
    _ query: RejectQuery,
    _ periods: (before: RejectPeriod, after: RejectPeriod),
    rejects: TableFiles,
    accepted: TableFiles?,
    jobs: Int
  ) async throws(PipelineFailure) {
    let span = TimeSpan(
      since: Int64(periods.before.days.lowerBound) * 86_400_000,
      until: Int64(periods.after.days.upperBound + 1) * 86_400_000
    )
    let counting = ComparisonCounting(
      rejects: RowFilter(query.conditions, during: span, in: .rejects),
      accepted: RowFilter(query.sharedConditions, during: span, in: .postbacks)
    )
    var all = ComparisonCounting.Part()
    try await rejects.scan(jobs: jobs) {
      counting.rejects(in: $0)
    } take: {
      all.count.merge($0.count)
      all.sources.merge($0.sources)
    }
    try await accepted?.scan(jobs: jobs) {
      counting.accepted(in: $0)
    } take: {
      all.count.merge($0.count)
    }
    self.init(all.count, all.sources, origin: nil, periods)
  }
}
