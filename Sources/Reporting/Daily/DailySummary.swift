internal import Base
package import JSON
internal import Tables

/// The counts of a daily report.
package struct DailySummary: Sendable {
  /// The sums over all counted postbacks by conversion window.
  package internal(set) var windows = [DailyMetrics](repeating: DailyMetrics(), count: 3)
  /// The number of rows of `skan_daily`, `skan_daily_events` and `skan_daily_values`.
  package internal(set) var written = [0, 0, 0]
  /// The number of days of each date type.
  package internal(set) var days: [DateType: Int] = [:]

  private let rows: DailyRowCounts
  private let settings: DailySettings
  private let lookupDigest: String
  private var lastDay: Int64??

  init(_ rows: DailyRowCounts, _ settings: DailySettings, _ lookups: Lookups) {
    (self.rows, self.settings, lookupDigest) = (rows, settings, lookups.hexadecimalDigest)
  }

  /// Counts a row of `skan_daily`.
  mutating func add(_ row: DailyRow) {
    if row.group.dateType == .received { windows[row.group.window] += row.metrics }
  }

  /// The summary as a JSON object.
  package var json: JSONValue {
    .object([
      .init("rows_read", .integer(rows.read)),
      .init("postbacks", .integer(windows.reduce(0) { $0 + $1.postbacks })),
      .init("lookup_digest", .string(lookupDigest)),
    ])
  }
}
