package import DurableFiles
package import JSON
package import Tables

/// The rule by which a derived table may replace the one that is there.
///
/// A table that has much fewer rows than before is nearly always a mistake: of an environment, a folder or an option. So it
/// does not replace the one before, unless rows of the input were removed or the user says so.
package struct TableReplacement: Sendable {
  /// Indicates that any table may be replaced by any other.
  package var isForced: Bool
  /// The number of removals of rows from the tables of the run so far, by `retain` and `forget`; nil if it is not known.
  package var removals: Int?
  /// The folder that users know the table in; nil if it is the one that it is written in.
  package var place: String?

  /// The share of the rows that must be left, in percent.
  private static let least = 80

  /// The member of a summary with the number of removals.
  static let removalsKey = "removals"

  /// Makes a rule.
  package init(isForced: Bool = false, removals: Int? = nil, place: String? = nil) {
    (self.isForced, self.removals, self.place) = (isForced, removals, place)
  }

  /// The member of the summary of a table.
  package var member: JSONValue.Member { .init(Self.removalsKey, removals.map { .integer($0) } ?? .null) }

  /// Throws `.incompatible` if a new table has too few of something, of which the table before had `before`.
  package func verify(
    _ table: Table,
    in output: String,
    before: (JSONValue) -> Int?,
    now: Int,
    of things: String,
    because reason: String
  ) throws(FileFailure) {
    guard !isForced, let summary = try DerivedTable.summary(of: table, in: output), let before = before(summary) else {
      return
    }
    let earlier = summary[Self.removalsKey]?.integer ?? 0
    guard before > 0, now * 100 < before * Self.least, Int64(removals ?? 0) == earlier else { return }
    throw FileFailure(
      .incompatible,
      "\(place ?? output)/\(table.name)",
      "The table would have \(now) \(things) in place of \(before), and stays as it is: \(reason)",
      advice: "Correct the options or the input, or give --replace if the table shall be replaced"
    )
  }
}
