internal import Answers
internal import FraudSignals
internal import LookupTables
internal import PageMarkup
internal import Statistics

extension NumberTable.Cell {
  /// The share of a whole.
  static func share(_ part: Int, of whole: Int) -> NumberTable.Cell { .amount("\(Share(part, of: whole))") }
}

extension Rate {
  /// The number of records with the property, the number of all, and the share.
  var cells: [NumberTable.Cell] { [.number(count), .number(total), .share(count, of: total)] }
}

extension WilsonRate {
  /// The ends of the interval; empty without one.
  var bounds: [NumberTable.Cell] { [interval?.low, interval?.high].map { .amount($0.map(Numbers.percent) ?? "") } }
}

extension SignalTest {
  /// The party and the app.
  var subject: [NumberTable.Cell] { [.text("\(party.kind.rawValue) \(party.name)"), .text(app ?? "all")] }
}

extension HTML {
  private static let shownRows = 20
  private static let listedRows = 1000

  /// Returns the rows of the first items as a table, and those of further items as a second table that the reader can open.
  static func longTable<Items: Collection>(
    _ caption: String,
    _ headings: [String],
    _ items: Items,
    _ add: (Items.Element, inout NumberTable) -> Void
  ) -> HTML {
    var first = NumberTable(caption, headings)
    for item in items.prefix(shownRows) { add(item, &first) }
    let rest = items.dropFirst(shownRows).prefix(listedRows - shownRows)
    guard !rest.isEmpty else { return first.html }
    var others = NumberTable("\(caption): the others", headings)
    for item in rest { add(item, &others) }
    return
      "\(first.html)<details class=\"others\"><summary>\(rest.count) more</summary>\(others.html)</details>"
  }
}
