/// A table of a page: a caption, headings, and rows whose cells are text or numbers.
package struct NumberTable {
  /// A cell after the first one of a row.
  package enum Cell {
    /// A text, which may be a sentence.
    case text(String)
    /// A time, which is not broken into lines.
    case time(String)
    /// A number of things.
    case number(Int)
    /// A number that is written out.
    case amount(String)

    fileprivate var isText: Bool {
      switch self {
      case .text, .time: true
      case .number, .amount: false
      }
    }

    fileprivate var html: HTML {
      switch self {
      case .text(let text): "<td\(NumberTable.layout(of: text))>\(text)</td>"
      case .time(let text): "<td class=\"time\">\(text)</td>"
      case .number(let number): "<td class=\"number\">\(number)</td>"
      case .amount(let text): "<td class=\"number\">\(text)</td>"
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

  private let caption: String
  private let headings: [String]
  private var rows: [HTML] = []
  /// Indicates for each column after the first that holds text; the first row decides.
  private var columnIsText: [Bool] = []

  /// An empty table.
  package init(_ caption: String, _ headings: [String]) {
    self.caption = caption
    self.headings = headings
  }

  /// Adds a row with a title in its first cell.
  package mutating func add(_ title: String, _ cells: Cell...) { add(title, cells: cells) }

  /// Adds a row with a title in its first cell.
  package mutating func add(_ title: String, cells: [Cell]) {
    if rows.isEmpty { columnIsText = cells.map(\.isText) }
    rows.append("<tr><th scope=\"row\"\(Self.layout(of: title))>\(title)</th>\(cells.map(\.html))</tr>\n")
  }

  /// The table as markup.
  package var html: HTML {
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
