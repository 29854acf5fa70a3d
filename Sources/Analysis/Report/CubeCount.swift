internal import JSON
internal import TableReading
internal import Tables

/// The counts from which a report's cube is made, of one batch or of all batches so far. Their size is bounded.
struct CubeCount: Sendable {
  /// All records by source of time, day, forwarder, network, app, reject code, decode status, window and kind of value.
  fileprivate(set) var outcomes = GroupTallies()
  /// Won first installs by source of time, day, forwarder, network, app, and the estimated, first and last possible day.
  fileprivate(set) var installs = GroupTallies()
  /// The revenue of each window by source of time, day, forwarder, network, app, currency, conversion type and model.
  fileprivate(set) var revenue = RevenueGroups()

  /// Counts of no records.
  init() {}

  /// Adds the counts of rows that come later.
  mutating func merge(_ later: Self) {
    outcomes.merge(later.outcomes)
    installs.merge(later.installs)
    revenue.merge(later.revenue)
  }

  /// Indicates that all groups are kept.
  var isWhole: Bool { outcomes.isWhole && installs.isWhole && revenue.isWhole }

  /// Writes the counts, all of whose groups are kept.
  func encode(_ writer: inout ResultWriter) {
    outcomes.encode(&writer)
    installs.encode(&writer)
    revenue.encode(&writer)
  }

  /// Reads what `encode` has written.
  init(_ reader: inout ResultReader) {
    (outcomes, installs, revenue) = (GroupTallies(&reader), GroupTallies(&reader), RevenueGroups(&reader))
  }
}

/// A reader of the keys of a report's cube.
struct CubeKeys: Sendable {
  static let common = ["received_at_source", "received_day", "forwarder", "ad_network_id", "app_id"]

  private let reject = GroupKeyReader(CubeKeys.common + ["reject_code"], in: .rejects)
  private let accepted = GroupKeyReader(CubeKeys.common, in: .postbacks)
  private let revenue = GroupKeyReader(
    CubeKeys.common + ["currency", "conversion_type", "model_id", "model_version"],
    in: .postbacks
  )
  private let decodeStatus = Table.postbacks.place(.decodeStatus)

  /// Counts a reject.
  func addReject(_ row: borrowing RowCursor, to count: inout CubeCount, _ key: inout GroupKey) {
    reject.read(row, into: &key)
    for _ in 0..<3 { key.append(nil) }
    count.outcomes.add(key)
  }

  /// Counts an accepted postback. The window and the kind of value are nil if it is not won.
  func addAccepted(
    _ row: borrowing RowCursor,
    window: Int?,
    _ value: ReportCube.ValueKind?,
    to count: inout CubeCount,
    _ key: inout GroupKey
  ) {
    accepted.read(row, into: &key)
    key.append(nil)
    key.append(row.text(decodeStatus))
    key.append(window.map { "\($0)" })
    key.append(value?.rawValue)
    count.outcomes.add(key)
  }

  /// Counts an install with its estimated, first and last possible day.
  func addInstall(_ row: borrowing RowCursor, _ days: [Int], to count: inout CubeCount, _ key: inout GroupKey) {
    accepted.read(row, into: &key)
    for day in days { key.append("\(day)") }
    count.installs.add(key)
  }

  /// Counts the revenue of a postback.
  func addRevenue(
    _ row: borrowing RowCursor,
    _ sum: RevenueWindow,
    window: Int,
    to count: inout CubeCount,
    _ key: inout GroupKey
  ) {
    revenue.read(row, into: &key)
    count.revenue.add(sum, ofWindow: window, key)
  }
}

extension GroupKey {
  /// Appends a value; nil for null.
  mutating func append(_ text: String?) {
    let bytes = text.map { Array($0.utf8) } ?? []
    append(text == nil ? nil : ByteRange(start: 0, count: bytes.count), of: bytes)
  }
}
