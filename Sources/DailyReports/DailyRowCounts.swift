internal import TableReading

/// The counts of rows that are in the daily tables, and of those that are not.
package struct DailyRowCounts: Sendable, Equatable {
  /// The number of rows that were read.
  var read = 0
  /// The number of rows that were left out, by environment.
  var leftOut: [String: Int] = [:]
  /// The number of rows that were left out because a forwarder marks them as tests.
  var tests = 0
  /// The number of rows that were left out because they were received after the time of the report.
  var late = 0
  /// The number of counted rows whose copies were compared.
  var settled = 0
  /// The number of counted rows without a time of receipt.
  var withoutReceipt = 0
  /// The number of counted rows without an install date.
  var withoutInstallDate = 0
  /// The times of receipt of the counted rows.
  var receipts = LatestReceipts()
  /// The times of receipt that are after the day of the report.
  private(set) var receiptsAhead = LatestReceipts()

  /// The counts, in the order of their bytes.
  static let counts: [any WritableKeyPath<Self, Int> & Sendable] = [
    \.read, \.tests, \.late, \.settled, \.withoutReceipt, \.withoutInstallDate,
  ]

  package static func += (left: inout Self, right: Self) {
    for count in counts { left[keyPath: count] += right[keyPath: count] }
    left.leftOut.merge(right.leftOut, uniquingKeysWith: +)
    left.receipts += right.receipts
  }

  /// Leaves out the rows that were received after a day, as their time of receipt says, and removes them from `cells`. If no row
  /// was received earlier, all stay: the clock may be wrong.
  package mutating func leaveOut(receivedAfter today: Int64, of cells: inout DailyCells) {
    let times = receipts.divided(after: today)
    receiptsAhead = times.after
    guard times.after.latest != nil, times.upTo.latest != nil else { return }
    receipts = times.upTo
    for (cell, count) in cells.removeReceived(after: today) {
      late += count
      if cells.outcomes[Int(cell.outcome)].trust != nil { settled -= count }
      if cell.install == DailyCell.unknownDay { withoutInstallDate -= count }
    }
  }
}
