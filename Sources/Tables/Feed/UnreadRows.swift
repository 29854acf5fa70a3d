internal import Ledger

/// The number of rows that were removed because of their age before a follower has read them.
package struct UnreadRows: Equatable, Sendable {
  /// The number of rows.
  package private(set) var count: Int64 = 0
  /// False if a part of the number is estimated: the follower had read a part of their file.
  package private(set) var isExact = true

  /// Makes a number of no rows.
  package init() {}

  /// Counts the rows of removed parts that are behind a position.
  init(_ removal: TableRemoval, after cursor: TableCursor, _ format: TableFormat) {
    guard removal.reason == .retention else { return }
    for part in removal.parts.map(\.part) where part.format == format && part.length > 0 {
      guard let offset = cursor.offset(in: part.number), offset < part.length else { continue }
      let share = Double(part.length - offset) / Double(part.length)
      count += offset == 0 ? part.rows : Int64((Double(part.rows) * share).rounded(.up))
      if offset > 0 { isExact = false }
    }
  }

  /// Adds other rows.
  package static func += (left: inout UnreadRows, right: UnreadRows) {
    left.count += right.count
    left.isExact = left.isExact && right.isExact
  }

  /// The number and the noun, such as `12 rows`.
  package var text: String { "\(isExact ? "" : "about ")\(count) \(count == 1 ? "row" : "rows")" }
}
