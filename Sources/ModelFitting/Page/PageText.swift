internal import PageMarkup

extension HTML.Interpolation {
  /// Appends a length of a drawing.
  mutating func appendInterpolation(_ length: Double) { appendLiteral(RoundedText.fixed(length, places: 1)) }
}

/// A table of a page: headings, and rows of which the first cell is a title.
struct PageTable {
  private let caption: String
  private let headings: [String]
  private var rows: [HTML] = []
  /// The columns of text; the others have numbers.
  private let texts: Set<Int>

  init(_ caption: String, _ headings: [String], texts: Set<Int> = [0]) {
    (self.caption, self.headings, self.texts) = (caption, headings, texts)
  }

  mutating func add(_ cells: [String]) {
    let markup = cells.enumerated().map { column, cell -> HTML in
      if column == 0 { return "<th scope=\"row\">\(cell)</th>" }
      return texts.contains(column) ? "<td>\(cell)</td>" : "<td class=\"number\">\(cell)</td>"
    }
    rows.append("<tr>\(markup)</tr>\n")
  }

  var html: HTML {
    let names = headings.enumerated().map { column, heading -> HTML in
      texts.contains(column)
        ? "<th scope=\"col\">\(heading)</th>" : "<th scope=\"col\" class=\"number\">\(heading)</th>"
    }
    return """
      <div class="scroll" tabindex="0" role="group" aria-label="Table: \(caption)"><table><caption>\(caption)</caption>\
      <thead><tr>\(names)</tr></thead>
      <tbody>\(rows)</tbody></table></div>
      """
  }
}
