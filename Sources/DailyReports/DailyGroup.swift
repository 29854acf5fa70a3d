internal import Base

/// The date that a row of the daily tables is of.
package enum DateType: String, CaseIterable, Sendable {
  /// The day of receipt.
  case received
  /// The day of the estimated install date.
  case install
}

/// The key of a row of the daily tables: a day, a conversion window, and a value for each dimension that is grouped by.
package struct DailyGroup: Hashable, Sendable {
  /// The meaning of the day.
  package var dateType: DateType
  /// The day in UTC, in days since 1970-01-01; nil if it is not known.
  package var day: Int64?
  /// The conversion window, from 0.
  package var window: Int
  /// The values of the dimensions by their places; nil where there is none, or the dimension is not grouped by.
  package var values: [String?]

  /// The value of a dimension.
  package subscript(dimension: DailyDimension) -> String? {
    get { values[dimension.place] }
    set { values[dimension.place] = newValue }
  }
}

extension DailyGroup: Comparable {
  /// Tells if a row with the left key stands before one with the right key: by date type, day, window and dimensions.
  /// A null day comes last, and any other null first.
  package static func < (left: DailyGroup, right: DailyGroup) -> Bool {
    if left.dateType != right.dateType { return left.dateType == .received }
    if left.day != right.day { return left.day ?? .max < right.day ?? .max }
    if left.window != right.window { return left.window < right.window }
    return precedes(left.values, right.values)
  }

  /// Tells if values of the dimensions come before others: numbers by size, texts by their bytes.
  package static func precedes(_ left: [String?], _ right: [String?]) -> Bool {
    for dimension in DailyDimension.allCases {
      let (one, other) = (left[dimension.place], right[dimension.place])
      guard one?.exact != other?.exact else { continue }
      guard let one, let other else { return one == nil }
      if dimension.isNumber, one.utf8.count != other.utf8.count { return one.utf8.count < other.utf8.count }
      return one.utf8.lexicographicallyPrecedes(other.utf8)
    }
    return false
  }
}
