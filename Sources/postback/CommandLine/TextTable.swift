/// Lines of cells in columns, aligned for a person to read.
struct TextTable {
  /// The columns whose cells end, and not begin, below each other: numbers.
  var numberColumns: Set<Int> = []
  private var rows: [[String]] = []

  init(numbersIn columns: Set<Int> = []) { numberColumns = columns }

  /// Adds a line. What would move the cursor is escaped.
  mutating func add(_ cells: String...) { add(cells) }

  /// Adds a line. What would move the cursor is escaped.
  mutating func add(_ cells: [String]) { rows.append(cells.map(\.withControlCharactersEscaped)) }

  /// The lines, each indented by so many spaces.
  func text(indent: Int = 0) -> String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.compactMap { $0.count > column ? $0[column].count : nil }.max() ?? 0
    }
    let lines = rows.map { row in
      var line = String(repeating: " ", count: indent)
      for (column, cell) in row.enumerated() {
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        let isLast = column == row.count - 1
        line += numberColumns.contains(column) ? padding + cell : isLast ? cell : cell + padding
        line += isLast ? "" : "  "
      }
      return line
    }
    return lines.joined(separator: "\n")
  }
}
