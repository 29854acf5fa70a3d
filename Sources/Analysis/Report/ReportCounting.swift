internal import ConversionModel
internal import TableReading
package import Tables

/// A counter of the rows of batches for a report.
package struct ReportCounting: Sendable {
  let sampleLimit: Int

  private let stage = GroupKeyReader(["stage"], in: .rejects)
  private let hour = GroupKeyReader(["received_at_source", "received_hour", "reject_code"], in: .rejects)
  private let networkCode = GroupKeyReader(["ad_network_id", "reject_code"], in: .rejects)
  private let forwarderCode = GroupKeyReader(["forwarder", "reject_code"], in: .rejects)
  private let conflict = ConflictReader()
  private let accepted = GroupKeyReader(
    ["received_at_source", "ad_network_id", "forwarder", "decode_status"],
    in: .postbacks
  )
  private let sender = GroupKeyReader(["channel", "forwarder"], in: .postbacks)
  private let cube = CubeKeys()
  private let identifiers = SourceIdentifiers()
  private let rejects = RejectColumns()
  private let postbacks = PostbackColumns()

  /// Counts rejects.
  package func rejects(in rows: ParsedRows) -> ReportCount {
    var count = ReportCount(sample: sampleLimit)
    var key = GroupKey()
    var row = RowCursor(rows)
    var reader = SourceIdentifiers.Reader()
    while row.next() {
      let time = row.time(rejects.receivedAt)
      func add(_ reader: GroupKeyReader, to groups: inout GroupTallies) {
        reader.read(row, into: &key)
        groups.add(key, at: time)
      }
      add(stage, to: &count.stages)
      add(hour, to: &count.hours)
      add(networkCode, to: &count.networkCodes)
      add(forwarderCode, to: &count.forwarderCodes)
      cube.addReject(row, to: &count.cube, &key)
      identifiers.add(row, &reader, to: &count.identifiers, &key)
      if let copy = conflict.copy(row, matches: true) { count.conflicts.add(CollectionOfOne(copy)) }
      count.sample.add(row.line, digest: row.text(rejects.digest) ?? "", code: row.text(rejects.code) ?? "")
    }
    // Groups of fewer columns are sums of those of more.
    count.codes.add(count.hours, by: [0, 2])
    count.sources.add(count.codes, by: [0])
    count.networks.add(count.networkCodes, by: [0])
    count.forwarders.add(count.forwarderCodes, by: [0])
    count.unreadable = row.unreadable
    return count
  }

  /// Counts accepted postbacks.
  package func accepted(in rows: ParsedRows) -> ReportCount {
    var count = ReportCount(sample: sampleLimit)
    var groups = GroupTallies()
    var key = GroupKey()
    var row = RowCursor(rows)
    while row.next() {
      count.accepted += 1
      accepted.read(row, into: &key)
      groups.add(key, at: row.time(postbacks.receivedAt))
      if let postback = row.key(postbacks.key) {
        sender.read(row, into: &key)
        count.senders.add(postback, from: key)
      }
      guard row.boolean(postbacks.didWin) != false,
        let window = Int(exactly: row.integer(postbacks.window) ?? 0), count.windows.indices.contains(window)
      else {
        cube.addAccepted(row, window: nil, nil, to: &count.cube, &key)
        continue
      }
      let kind: ReportCube.ValueKind =
        row.cell(postbacks.conversionValue) != nil ? .fine : row.cell(postbacks.coarseValue) != nil ? .coarse : .null
      cube.addAccepted(row, window: window, kind, to: &count.cube, &key)
      if let days = count.add(kind, window: window, row, postbacks) {
        cube.addInstall(row, days, to: &count.cube, &key)
      }
      guard let sum = RevenueWindow(row, postbacks) else { continue }
      count.revenue.add(sum, ofWindow: window, row, &key)
      cube.addRevenue(row, sum, window: window, to: &count.cube, &key)
    }
    count.sources.add(groups, by: [0])
    count.networks.add(groups, by: [1])
    count.forwarders.add(groups, by: [2])
    count.statuses.add(groups, by: [3])
    count.unreadable = row.unreadable
    return count
  }
}

extension ReportCount {
  /// Counts a won postback. Returns the estimated, the first and the last possible day of its install; nil if it is none.
  fileprivate mutating func add(
    _ kind: ReportCube.ValueKind,
    window: Int,
    _ row: borrowing RowCursor,
    _ columns: PostbackColumns
  ) -> [Int]? {
    switch kind {
    case .fine: windows[window].fine += 1
    case .coarse: windows[window].coarse += 1
    case .null: windows[window].none += 1
    }
    guard window == 0, row.boolean(columns.redownload) != true,
      row.text(columns.conversionType) ?? Self.install == Self.install
    else { return nil }
    guard let estimated = row.day(columns.estimated), let earliest = row.day(columns.earliest),
      let latest = row.day(columns.latest), earliest <= latest, latest - earliest < Self.longestInterval,
      Self.plausibleDays.contains(earliest), Self.plausibleDays.contains(latest),
      Self.plausibleDays.contains(estimated)
    else {
      otherInstalls += 1
      return nil
    }
    let origin = TimeOrigin(row.text(columns.receivedAtSource)).rawValue
    installs[origin][estimated, default: .init(day: estimated)].estimated += 1
    if earliest == latest { installs[origin][earliest, default: .init(day: earliest)].certain += 1 }
    for day in earliest...latest { installs[origin][day, default: .init(day: day)].possible += 1 }
    return [estimated, earliest, latest]
  }

  /// The conversion type of new installs in AdAttributionKit; SKAdNetwork has none.
  private static let install = "download"

  /// The limit, in days, for the interval of possible install dates; longer intervals are not plausible. The longest
  /// one that a postback allows is a few weeks.
  private static let longestInterval = 60

  /// The days since 1970-01-01 on which installs are counted, about until 2106.
  private static let plausibleDays = 0..<50_000
}

extension RevenueWindow {
  /// The revenue of the current row; nil if it has none.
  init?(_ row: borrowing RowCursor, _ columns: PostbackColumns) {
    guard row.cell(columns.currency) != nil, let estimate = row.amount(columns.revenue) else { return nil }
    let maximum = row.amount(columns.maxRevenue)
    postbacks = 1
    isCumulative = row.boolean(columns.cumulative) == true
    self.estimate = estimate
    minimum = row.amount(columns.minRevenue) ?? .zero
    closedMaximum = maximum ?? .zero
    openEnded = maximum == nil ? 1 : 0
  }
}

extension RowCursor {
  /// The day of the time in a cell, as the number of days since 1970-01-01; nil if the cell is not a time.
  fileprivate func day(_ column: Int) -> Int? { time(column).map { Int($0 / 86_400_000) } }
}
