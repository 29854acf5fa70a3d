package import DurableFiles
package import JSON
package import Tables

/// The rule by which a derived table may replace the one that is there.
///
/// A table that has much fewer rows than before is nearly always a mistake: of an environment, a folder or an option. So it
/// does not replace the one before, unless the user says so. Rows that `retain` and `forget` removed from the input do not count.
package struct TableReplacement: Sendable {
  /// Indicates that any table may be replaced by any other.
  package var isForced: Bool
  /// The number of rows that `retain` and `forget` have removed from `skan_postbacks` so far; nil if it is not known.
  package var removedRows: Int64?
  /// The folder that users know the table in; nil if it is the one that it is written in.
  package var place: String?

  /// The share of the rows that must be left, in percent.
  private static let least = 80

  /// The member of a summary with the number of removed rows.
  static let removedRowsKey = "removed_rows"

  /// Makes a rule.
  package init(isForced: Bool = false, removedRows: Int64? = nil, place: String? = nil) {
    (self.isForced, self.removedRows, self.place) = (isForced, removedRows, place)
  }

  /// The member of the summary of a table.
  package var member: JSONValue.Member { .init(Self.removedRowsKey, .integer(removedRows)) }

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
    let removed = max(0, Int((removedRows ?? 0) - (summary[Self.removedRowsKey]?.integer ?? 0)))
    guard before > removed, now * 100 < (before - removed) * Self.least else { return }
    let others = removed == 0 ? "" : " less \(removed) rows that were removed from skan_postbacks"
    throw FileFailure(
      .incompatible,
      "\(place ?? output)/\(table.name)",
      "The table would have \(now) \(things) in place of \(before)\(others), and stays as it is: \(reason)",
      advice: "Correct the options or the input, or give --replace if the table shall be replaced"
    )
  }

  /// Throws if a lookup table or the costs had `before` entries when the derived tables were made, and has none now: `.notFound` if
  /// the file is gone, for which `now` is nil, and `.incompatible` otherwise.
  package func verify(file path: String, before: Int, now: Int?) throws(FileFailure) {
    guard !isForced, before > 0, now ?? 0 == 0 else { return }
    throw FileFailure(
      now == nil ? .notFound : .incompatible,
      path,
      """
      The file \(now == nil ? "is missing" : "has no rows"), and the derived tables were made with \
      \(before == 1 ? "1 entry" : "\(before) entries") of it. They stay as they are
      """,
      advice:
        "Bring the \(now == nil ? "file" : "rows") back, or give --replace once if the tables shall be made without them"
    )
  }
}
