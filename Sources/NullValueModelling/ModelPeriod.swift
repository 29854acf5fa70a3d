internal import Base

/// The time over which postbacks are modelled together, by their estimated install dates.
package enum ModelPeriod: String, CaseIterable, Sendable {
  /// All postbacks of the report.
  case all
  /// A week, from Monday to Sunday in UTC.
  case week
  /// A month in UTC.
  case month

  /// Returns the number of the period that contains a day, which is given in days since 1970-01-01. The numbers of
  /// periods that follow each other do so too. Nil for a week or a month if the day is not known.
  package func number(ofDay day: Int64?) -> Int64? {
    switch self {
    case .all: 0
    // 1970-01-01 was a Thursday.
    case .week: day.map { ($0 + 3) / 7 - (($0 + 3) % 7 < 0 ? 1 : 0) }
    case .month: day.map(Timestamp.month(ofDay:))
    }
  }

  /// Returns the first and the last day of a period with this number; nil for `all`.
  package func days(of number: Int64) -> ClosedRange<Int64>? {
    switch self {
    case .all: nil
    case .week: 7 * number - 3...7 * number + 3
    case .month: Timestamp.firstDay(ofMonth: number)...Timestamp.firstDay(ofMonth: number + 1) - 1
    }
  }
}
