/// The values of a label that come from outside, bounded in number: those beyond the capacity share the value `other`.
package struct BoundedLabels: Sendable {
  private let capacity: Int
  private var known: Set<String> = []

  /// The value that all values beyond the capacity share.
  package static let other = "other"

  /// Creates an empty set of values.
  package init(capacity: Int = 100) { self.capacity = capacity }

  /// Returns the label for a value: the value itself while there is room for it.
  package mutating func label(for value: String) -> String {
    if known.contains(value) { return value }
    guard known.count < capacity else { return Self.other }
    known.insert(value)
    return value
  }
}
