import Foundation

/// A table of a report's page, found by its caption.
struct ReportedTable {
  /// The texts of the cells, row by row, without the headings.
  let rows: [[String]]

  init?(_ caption: String, in page: String) {
    guard let start = page.range(of: "<caption>\(caption)</caption>"),
      let end = page.range(of: "</table>", range: start.upperBound..<page.endIndex)
    else { return nil }
    rows = page[start.upperBound..<end.lowerBound].components(separatedBy: "<tr>").dropFirst(2).map { row in
      row.components(separatedBy: "</t").dropLast(2).map { cell in
        String(cell[(cell.lastIndex(of: ">").map(cell.index(after:)) ?? cell.startIndex)...])
      }
    }
  }
}
