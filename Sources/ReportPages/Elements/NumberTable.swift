internal import Answers
internal import PageMarkup

/// A table of a page: a caption, headings, and rows whose cells are text or numbers.
struct NumberTable {
  enum Cell {
    case text(String)
    /// A time, which is not broken into lines.
    case time(String)
    case number(Int)
    /// A number that is written out.
    case amount(String)
    case share(Int, of: Int)

    fileprivate var isText: Bool {
      switch self {
      case .text, .time: true
      case .number, .amount, .share: false
      }
    }

    fileprivate var html: HTML {
      switch self {
      case .text(let text): "<td\(NumberTable.layout(of: text))>\(text)</td>"
      case .time(let text): "<td class=\"time\">\(text)</td>"
      case .number(let number): "<td class=\"number\">\(number)</td>"
      case .amount(let text): "<td class=\"number\">\(text)</td>"
      case .share(let part, let whole): "<td class=\"number\">\("\(Share(part, of: whole))")</td>"
      }
    }
  }

  /// The class of a cell whose words must not be broken into syllables of a narrow column: sentences get a width, and only
  /// a word that is too long for a column, such as the name of a forged sender, is broken. The page's script has the same.
  fileprivate static func layout(of text: String) -> HTML {
    if text.split(separator: " ").contains(where: { $0.utf8.count > longestWord }) { return " class=\"long\"" }
    return text.utf8.count > longestLabel ? " class=\"prose\"" : ""
  }

  private static let (longestWord, longestLabel) = (28, 40)

  let caption: String
  let headings: [String]
  private var rows: [HTML] = []
  /// Indicates for each column after the first that holds text; the first row decides.
  private var columnIsText: [Bool] = []

  init(_ caption: String, _ headings: [String]) {
    self.caption = caption
    self.headings = headings
  }

  /// Adds a row with a title in its first cell.
  mutating func add(_ title: String, _ cells: Cell...) { add(title, cells: cells) }

  /// Adds a row with a title in its first cell.
  mutating func add(_ title: String, cells: [Cell]) {
    if rows.isEmpty { columnIsText = cells.map(\.isText) }
    rows.append("<tr><th scope=\"row\"\(Self.layout(of: title))>\(title)</th>\(cells.map(\.html))</tr>\n")
  }

  var html: HTML {
    let isText = [true] + columnIsText
    let headings = headings.enumerated().map { column, heading -> HTML in
      column < isText.count && !isText[column]
        ? "<th scope=\"col\" class=\"number\">\(heading)</th>" : "<th scope=\"col\">\(heading)</th>"
    }
    return """
      <div class="scroll" tabindex="0" role="group" aria-label="Table: \(caption)"><table><caption>\(caption)</caption><thead><tr>\(headings)</tr></thead>
      <tbody>\(rows)</tbody></table></div>
      """
  }
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
