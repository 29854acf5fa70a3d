internal import Base

/// A table of text cells, aligned in columns for people.
package struct TextTable {
  /// The right-aligned columns, which hold numbers.
  private let numberColumns: Set<Int>
  /// The columns of times, which may be cut to the date.
  private let timeColumns: Set<Int>
  private let hasHeader: Bool
  private var rows: [[String]] = []

  /// Creates a table, with a heading row if `header` is not empty.
  package init(_ header: [String] = [], numbersIn numbers: Set<Int> = [], timesIn times: Set<Int> = []) {
    (numberColumns, timeColumns) = (numbers, times)
    hasHeader = !header.isEmpty
    if hasHeader { add(header) }
  }

  /// Adds a row. Control characters in it are escaped.
  package mutating func add(_ cells: String...) { add(cells) }

  /// Adds a row. Control characters in it are escaped.
  package mutating func add(_ cells: [String]) { rows.append(cells.map(\.withControlCharactersEscaped)) }

  /// Returns the rows as lines, each indented by this many spaces. A table with headings is fitted into `width`
  /// columns, by default those of the terminal; nil leaves it as wide as it is.
  package func text(indent: Int = 0, width: Int? = Screen.width()) -> String {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.columns)
      }
    }
    if hasHeader, let width { fit(&widths, into: width - indent) }
    let lines = rows.enumerated().map { number, row in
      let line = line(row, widths)
      return String(repeating: " ", count: indent) + (hasHeader && number == 0 ? line.styled(.bold) : line)
    }
    return lines.joined(separator: "\n")
  }

  private func line(_ row: [String], _ widths: [Int]) -> String {
    var line = ""
    for (column, cell) in row.enumerated() where widths[column] > 0 {
      let cell = cell.shortened(toColumns: widths[column])
      let padding = String(repeating: " ", count: max(widths[column] - cell.columns, 0))
      let isLast = column == row.count - 1 || widths[(column + 1)...].allSatisfy { $0 == 0 }
      line += numberColumns.contains(column) ? padding + cell : isLast ? cell : cell + padding
      if isLast { break }
      line += "  "
    }
    return line
  }

  private static let gap = 2
  private static let leastWidth = 4
  /// The smallest useful width of a last text column; a narrower one is left out.
  private static let leastLastWidth = 12
  private static let dateWidth = "2026-03-10…".count

  /// Makes columns narrower until the lines fit into the width. The last text column, which explains the others, comes
  /// first and is left out if it becomes too narrow; then times, down to the date; then the widest text. Numbers are
  /// never cut: if they alone do not fit, the last columns are left out.
  private func fit(_ widths: inout [Int], into width: Int) {
    func excess() -> Int {
      widths.reduce(-Self.gap) { $0 + ($1 > 0 ? $1 + Self.gap : 0) } - width
    }
    let texts = widths.indices.filter { !numberColumns.contains($0) }
    if let last = texts.last, last == widths.count - 1, texts.count > 1, excess() > 0,
      widths[last] > Self.leastLastWidth
    {
      let left = widths[last] - excess()
      widths[last] = left >= Self.leastLastWidth ? left : 0
    }
    for time in timeColumns where widths[time] > Self.dateWidth {
      widths[time] = max(Self.dateWidth, widths[time] - max(excess(), 0))
    }
    while excess() > 0, let widest = texts.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.leastWidth {
      widths[widest] -= 1
    }
    while excess() > 0, let last = widths.dropFirst().lastIndex(where: { $0 > 0 }) { widths[last] = 0 }
  }
}

extension String {
  /// The width of the text on a terminal, in columns: a wide character (as in East Asian scripts) takes two, a lone
  /// combining mark none.
  package var columns: Int {
    utf8.count == count && utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.columns }
  }

  /// Returns the text cut to at most this many columns of a terminal, with an ellipsis if it is cut.
  package func shortened(toColumns limit: Int) -> String {
    guard columns > limit else { return self }
    guard limit > 0 else { return "" }
    var text = ""
    var width = 1
    for character in self {
      width += character.columns
      if width > limit { break }
      text.append(character)
    }
    return text + "…"
  }
}

extension Character {
  /// The width of the character on a terminal, in columns.
  fileprivate var columns: Int {
    guard let scalar = unicodeScalars.first else { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return unicodeScalars.count == 1 ? 0 : 1
    default: break
    }
    // Blocks whose characters are wide (Unicode Standard Annex 11): Hangul Jamo, CJK, Hangul, compatibility and fullwidth
    // forms, pictographs, and the supplementary ideographic planes.
    return switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
      0x20000...0x3FFFD:
      2
    default: 1
    }
  }
}
