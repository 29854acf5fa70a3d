/// A table of a report's page, found by its caption.
package struct ReportedTable {
  /// The texts of the cells, row by row, without the headings.
  package let rows: [[String]]

  /// Finds the table; nil if the page does not have it.
  package init?(_ caption: String, in page: String) {
    guard let start = page.firstRange(of: "<caption>\(caption)</caption>")?.upperBound,
      let end = page[start...].firstRange(of: "</tbody>")?.lowerBound
    else { return nil }
    func parts(_ text: Substring, _ separator: String) -> [Substring] {
      text.split(separator: separator, omittingEmptySubsequences: false)
    }
    rows = parts(page[start..<end], "<tr>").dropFirst(2).map { row in
      parts(row, "</t").dropLast(2).map { cell in
        String(cell[(cell.lastIndex(of: ">").map(cell.index(after:)) ?? cell.startIndex)...])
      }
    }
  }
}
