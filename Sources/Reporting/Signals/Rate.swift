/// A number of records with a property, and the number of those for which it is known.
package struct Rate: Equatable, Sendable {
  /// The number of records with the property.
  package var count = 0
  /// The number of records for which the property is known.
  package var total = 0

  /// The share, from 0 to 1; nil if there are no records.
  package var share: Double? { total > 0 ? Double(count) / Double(total) : nil }

  mutating func add(_ hasProperty: Bool) {
    total += 1
    if hasProperty { count += 1 }
  }

  static func += (left: inout Rate, right: Rate) {
    left.count += right.count
    left.total += right.total
  }

  static func - (left: Rate, right: Rate) -> Rate {
    Rate(count: left.count - right.count, total: left.total - right.total)
  }
}

extension Rate: Compact {
  func encode(_ writer: inout CompactWriter) {
    writer.append(count)
    writer.append(total)
  }

  init(_ reader: inout CompactReader) { self.init(count: reader.count(), total: reader.count()) }
}
