internal import Answers
internal import PageMarkup

extension NumberTable.Cell {
  /// The share of a whole.
  static func share(_ part: Int, of whole: Int) -> NumberTable.Cell { .amount("\(Share(part, of: whole))") }
}

extension HTML {
  private static let shownRows = 20
  private static let listedRows = 1000

  /// Returns the first rows as a table, and further rows as a second table that the reader can open.
  static func longTable(
    _ caption: String,
    _ headings: [String],
    _ count: Int,
    _ add: (Int, inout NumberTable) -> Void
  ) -> HTML {
    var first = NumberTable(caption, headings)
    for index in 0..<min(count, shownRows) { add(index, &first) }
    guard count > shownRows else { return first.html }
    var others = NumberTable("\(caption): the others", headings)
    for index in shownRows..<min(count, listedRows) { add(index, &others) }
    return
      "\(first.html)<details class=\"others\"><summary>\(min(count, listedRows) - shownRows) more</summary>\(others.html)</details>"
  }

  /// A field with its value before and after a change, where nil means absent, and the number of such changes.
  typealias ChangedField = (field: String, before: String?, after: String?, count: Int)

  /// Returns a long table of changed fields.
  static func beforeAndAfter(_ caption: String, _ headings: [String], _ changes: [ChangedField]) -> HTML {
    longTable(caption, headings, changes.count) { index, table in
      let change = changes[index]
      table.add(
        change.field,
        .text(change.before ?? "absent"),
        .text(change.after ?? "absent"),
        .number(change.count)
      )
    }
  }
}
