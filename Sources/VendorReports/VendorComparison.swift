internal import Base
internal import ConversionModel
internal import CopySettlement
package import DerivedTables
internal import DurableFiles
internal import ImportedRows
package import PostbackPipeline
package import TableReading
package import Tables

/// The comparison of what vendors' exports count with the postbacks that Apple signed.
package struct VendorComparison: Sendable {
  /// The choice of the accepted postbacks.
  package struct Settings: Sendable {
    /// The environments of the postbacks that are counted; nil for all.
    package var environments: Set<String>?
    /// The time after which nothing is counted, in milliseconds since 1970; nil for no limit.
    package var end: Int64?
    /// The day of the clock, in days since 1970-01-01. Times of receipt after it are not believed where others are.
    package var today = Timestamp.now.daysSince1970
    /// The first day of which no postbacks were removed because of their age; nil if none were.
    package var firstDay: Int64?
    /// The canonical ids of networks by their names in lower case, for rows without an id.
    package var networkIDs: [String: String] = [:]

    /// All accepted postbacks.
    package init() {}
  }

  /// The vendors, by name.
  package let vendors: [VendorReport]
  /// The lines that are not rows.
  package let unreadable: UnreadableRows

  /// Compares the rows of `skan_imported` in an output with its accepted postbacks; nil if there is no such table. `settled` has
  /// the rows of `skan_settled`. What a cache has is not read again.
  package init?(
    in output: String,
    accepted: TableFiles,
    settled: TableFiles?,
    _ settings: Settings,
    cache: PartCache,
    jobs: Int
  ) async throws(PipelineFailure) {
    let files = try PipelineFailure.state { () throws(FileFailure) in
      try TableFiles(derived: .imported, in: output)
    }
    guard let files else { return nil }
    var exports: [String: VendorExport] = [:]
    var unreadable = UnreadableRows()
    try await files.scan(jobs: jobs) {
      ImportedRecord.read($0)
    } take: { found in
      for record in found.records {
        exports[record.vendor, default: VendorExport(record.vendor)].add(record, settings)
      }
      unreadable += found.unreadable
    }
    var all = exports.values.sorted { $0.vendor < $1.vendor }
    for place in all.indices { all[place].complete() }
    var (received, ahead): (ClosedRange<Int64>?, ClosedRange<Int64>?)
    if !all.isEmpty {
      let exports = all
      let parts = try PipelineFailure.state { () throws(FileFailure) in try accepted.divided() }
      let settledFiles = try SettledFiles.byPart(settled, events: nil)
      let results = parts.mapConcurrently(jobs) { part throws(PipelineFailure) in
        let index = try await AcceptedIndex.of(part, settled: settledFiles[part.number], in: cache)
        return AcceptedPart(index, exports, settings)
      }
      for try await part in results {
        for place in all.indices { part.add(to: &all[place], at: place) }
        received = received.map { $0.union(part.days) } ?? part.days
        ahead = ahead.map { $0.union(part.daysAhead) } ?? part.daysAhead
        unreadable += part.unreadable
      }
    }
    self.unreadable = unreadable
    vendors = VendorReport.all(all, received: received ?? ahead)
  }
}

/// The accepted postbacks of a part that rows of vendors are about.
private struct AcceptedPart: Sendable {
  /// The sums of each vendor by place, and the matched transactions with the values of the postbacks.
  private var sums: [[VendorKey: VendorSums]]
  /// Indicates for each vendor that some of them are of a window after the first one.
  private var areLater: [Bool]
  private var matches: [[(place: Int, value: VendorValue)]]
  /// The first and the last day with postbacks up to that of the clock; nil if there are none.
  private(set) var days: ClosedRange<Int64>?
  /// The first and the last day with postbacks after that of the clock; nil if there are none.
  private(set) var daysAhead: ClosedRange<Int64>?
  let unreadable: UnreadableRows

  /// The campaign and the day of postbacks.
  private struct Cell: Hashable {
    let campaign: UInt32
    let day: Int64
    let revenue: UInt32
  }

  private static let noDay = Int64.max

  init(_ index: AcceptedIndex, _ exports: [VendorExport], _ settings: VendorComparison.Settings) {
    unreadable = index.unreadable
    var cells: [Cell: Int] = [:]
    sums = exports.map { _ in [:] }
    areLater = exports.map { _ in false }
    matches = exports.map { _ in [] }
    let areCounted = index.campaigns.map { settings.environments?.contains($0.environment) ?? true }
    for entry in index.entries {
      let isKnown = entry.received != AcceptedIndex.unknownTime
      if isKnown, let end = settings.end, entry.received > end { continue }
      guard areCounted[Int(entry.campaign)] else { continue }
      let campaign = index.campaigns[Int(entry.campaign)]
      for (place, export) in exports.enumerated() {
        for found in export.places(of: entry.transaction) {
          let network = export.keys[Int(export.transactions[found].key)].network
          if network == nil || network == campaign.network { matches[place].append((found, entry.value)) }
        }
      }
      let day = isKnown ? Timestamp(milliseconds: entry.received).daysSince1970 : Self.noDay
      cells[Cell(campaign: entry.campaign, day: day, revenue: entry.revenue), default: 0] += 1
    }
    for (cell, count) in cells {
      let day = cell.day == Self.noDay ? nil : cell.day
      if let day, day <= settings.today { days = (day...day).union(days) }
      if let day, day > settings.today { daysAhead = (day...day).union(daysAhead) }
      var found = VendorSums()
      found.verified = Int64(count)
      if cell.revenue > 0 {
        let revenue = index.revenues[Int(cell.revenue) - 1]
        found.verifiedRevenue[revenue.currency] = revenue.amount * count
      }
      for (place, export) in exports.enumerated() {
        if let key = export.key(index.campaigns[Int(cell.campaign)], day: day) {
          sums[place][key, default: VendorSums()] += found
          if index.campaigns[Int(cell.campaign)].window > 0 { areLater[place] = true }
        }
      }
    }
  }

  /// Adds what is about a vendor to its rows.
  func add(to export: inout VendorExport, at place: Int) {
    for (key, found) in sums[place] { export.add(key, found, areLater: areLater[place]) }
    for match in matches[place] { export.match(match.place, match.value) }
  }
}

extension VendorExport {
  /// The places of the rows with a transaction.
  fileprivate func places(of number: UInt64) -> Range<Int> {
    let start = transactions.partitioningIndex { $0.number >= number }
    var end = start
    while end < transactions.count, transactions[end].number == number { end += 1 }
    return start..<end
  }
}

extension ClosedRange<Int64> {
  fileprivate func union(_ other: Self?) -> Self {
    guard let other else { return self }
    return Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
  }
}
