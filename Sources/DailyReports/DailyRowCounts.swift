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
  /// The latest time of receipt of a counted row, in milliseconds since 1970.
  var newest: Int64?

  package static func += (left: inout Self, right: Self) {
    left.read += right.read
    left.leftOut.merge(right.leftOut, uniquingKeysWith: +)
    left.tests += right.tests
    left.late += right.late
    left.settled += right.settled
    left.withoutReceipt += right.withoutReceipt
    left.withoutInstallDate += right.withoutInstallDate
    left.newest = [left.newest, right.newest].compactMap(\.self).max()
  }
}
