package import Tables

/// The numbers of rows that a load has written, by table.
package struct LoadTally: Sendable, Equatable {
  /// The numbers of a table.
  package struct Count: Sendable, Equatable {
    /// The rows that were written.
    package var loaded = 0
    /// The rows whose key was there already.
    package var present = 0
    /// The number of times that the table was replaced as a whole.
    package var replacements = 0
    /// The rows that were removed: those that the output does not have any more on a person's request, and those that were
    /// taken back.
    package var removed = 0
    /// The rows of others that were replaced, because text of a person was masked in them.
    package var masked = 0
    /// The rows that the output had no more when they would have been read.
    package var missed = UnreadRows()
  }

  /// The numbers by the name of the table, without those that are 0.
  package private(set) var tables: [String: Count] = [:]

  /// Creates a tally without tables.
  package init() {}

  /// The numbers of a table.
  subscript(name: String) -> Count {
    get { tables[name] ?? Count() }
    set { tables[name] = newValue == Count() ? nil : newValue }
  }

  /// Adds the numbers of a later transaction.
  static func += (left: inout LoadTally, right: LoadTally) {
    for (name, count) in right.tables {
      left[name].loaded += count.loaded
      left[name].present += count.present
      left[name].replacements += count.replacements
      left[name].removed += count.removed
      left[name].masked += count.masked
      left[name].missed += count.missed
    }
  }
}
