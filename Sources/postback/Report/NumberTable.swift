/// A table of a page: a caption, headings, and rows whose cells are text or numbers.
struct NumberTable {
  enum Cell {
    case text(String)
    /// A time, which is not broken into lines.
    case time(String)
    case number(Int)
    case share(Int, of: Int)

    fileprivate var isText: Bool {
      switch self {
      case .text, .time: true
      case .number, .share: false
      }
    }

    fileprivate var html: HTML {
      switch self {
      case .text(let text): "<td>\(text)</td>"
      case .time(let text): "<td class=\"time\">\(text)</td>"
      case .number(let number): "<td class=\"number\">\(number)</td>"
      case .share(let part, let whole): "<td class=\"number\">\("\(Share(part, of: whole))")</td>"
      }
    }
  }

  let caption: String
  let headings: [String]
  private var rows: [HTML] = []
  /// True for each column after the first that holds text; the first row decides.
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
    rows.append("<tr><th scope=\"row\">\(title)</th>\(cells.map(\.html))</tr>\n")
  }

  var html: HTML {
    let isText = [true] + columnIsText
    let headings = headings.enumerated().map { column, heading -> HTML in
      column < isText.count && !isText[column]
        ? "<th scope=\"col\" class=\"number\">\(heading)</th>" : "<th scope=\"col\">\(heading)</th>"
    }
    return """
      <div class="scroll"><table><caption>\(caption)</caption><thead><tr>\(headings)</tr></thead>
      <tbody>\(rows)</tbody></table></div>
      """
  }
}
