/// A number of records with a property, and the number of those for which it is known.
package struct Rate: Equatable, Sendable {
  /// The number of records with the property.
  package var count = 0
  /// The number of records for which the property is known.
  package var total = 0

  package init(count: Int = 0, total: Int = 0) {
    (self.count, self.total) = (count, total)
  }

  /// The share, from 0 to 1; nil if there are no records.
  package var share: Double? { total > 0 ? Double(count) / Double(total) : nil }

  /// Counts a record; nil if it is not known whether it has the property.
  package mutating func add(_ hasProperty: Bool?) {
    guard let hasProperty else { return }
    total += 1
    if hasProperty { count += 1 }
  }

  package static func += (left: inout Rate, right: Rate) {
    left.count += right.count
    left.total += right.total
  }

  package static func - (left: Rate, right: Rate) -> Rate {
    Rate(count: left.count - right.count, total: left.total - right.total)
  }
}
