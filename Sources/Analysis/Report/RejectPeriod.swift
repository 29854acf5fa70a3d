internal import Base
package import TableReading

/// Some days of receipt in UTC, as one period.
package struct RejectPeriod: Sendable, Hashable, CustomStringConvertible {
  /// The days, as numbers of days since 1970-01-01.
  package let days: ClosedRange<Int>

  package init(_ days: ClosedRange<Int>) { self.days = days }

  /// Reads `2026-03-01/2026-03-07` with both days included, or one day. Throws if the text is no period.
  package init(parsing text: String) throws(QueryDefect) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { part in
      part.utf8.count == 10 ? Timestamp(dateOrTime: String(part)).map { Int($0.daysSince1970) } : nil
    }
    guard (1...2).contains(parts.count), let first = parts[0], let last = parts[parts.count - 1], first <= last,
      last - first < 3660
    else { throw QueryDefect("\(text) is not a period. Write two dates, such as 2026-03-01/2026-03-07, or one.") }
    days = first...last
  }

  /// Reads two periods with a comma between them, the earlier one first.
  package static func pair(_ text: String) throws(QueryDefect) -> (before: RejectPeriod, after: RejectPeriod) {
    var periods: [RejectPeriod] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      periods.append(try RejectPeriod(parsing: String(part.filter { !$0.isWhitespace })))
    }
    guard periods.count == 2, periods[0].days.upperBound < periods[1].days.lowerBound else {
      throw QueryDefect(
        "\(text) is not two periods, the earlier one first. Write 2026-03-01/2026-03-07,2026-03-08/2026-03-14."
      )
    }
    return (periods[0], periods[1])
  }

  /// The most days of each of the latest periods.
  static let longest = 7

  /// The last week of the days and the week before it, or both halves of less than two weeks; nil for fewer than two days.
  package static func latest(of days: ClosedRange<Int>?) -> (before: RejectPeriod, after: RejectPeriod)? {
    guard let days else { return nil }
    let length = min(longest, days.count / 2)
    guard length > 0 else { return nil }
    let last = days.upperBound
    return (RejectPeriod(last - 2 * length + 1...last - length), RejectPeriod(last - length + 1...last))
  }

  /// The first and the last date.
  package var description: String {
    let (first, last) = (Timestamp.name(ofDay: days.lowerBound), Timestamp.name(ofDay: days.upperBound))
    return first == last ? first : "\(first)/\(last)"
  }
}
