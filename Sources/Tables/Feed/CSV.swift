internal import JSON

/// A splitter of bytes into rows of CSV, and of rows into cells, in the form that `RowEncoder` writes (RFC 4180).
enum CSV {
  /// The cell between two separators.
  enum Cell {
    /// An absent field, which is a null.
    case null
    /// The range of the text, which has no doubled quotes.
    case text(ByteRange)
    /// The text, in which doubled quotes were made single.
    case unescaped([UInt8])
  }

  /// Calls `body` with each cell of a row in order.
  static func forEachCell(in bytes: [UInt8], _ row: Range<Int>, _ body: (Cell) -> Void) {
    var start = row.lowerBound
    while start <= row.upperBound {
      let (cell, end) = cell(in: bytes, start..<row.upperBound)
      body(cell)
      start = end + 1
    }
  }

  /// Returns the first cell of the rest of a row, and the position of the separator behind it.
  private static func cell(in bytes: [UInt8], _ rest: Range<Int>) -> (Cell, end: Int) {
    guard rest.first.map({ bytes[$0] == quote }) ?? false else {
      let end = rest.first { bytes[$0] == UInt8(ascii: ",") } ?? rest.upperBound
      let isNull = end == rest.lowerBound
      return (isNull ? .null : .text(ByteRange(start: rest.lowerBound, count: end - rest.lowerBound)), end)
    }
    let start = rest.lowerBound + 1
    var end = start
    var hasDoubledQuotes = false
    while end < rest.upperBound {
      if bytes[end] == quote {
        guard end + 1 < rest.upperBound, bytes[end + 1] == quote else { break }
        hasDoubledQuotes = true
        end += 1
      }
      end += 1
    }
    let behind = min(end + 1, rest.upperBound)
    guard hasDoubledQuotes else { return (.text(ByteRange(start: start, count: end - start)), behind) }
    var text: [UInt8] = []
    var position = start
    while position < end {
      text.append(bytes[position])
      position += bytes[position] == quote ? 2 : 1
    }
    return (.unescaped(text), behind)
  }

  static let quote = UInt8(ascii: "\"")

  /// Indicates that `RowEncoder` has put an apostrophe before a text that a spreadsheet would run as a formula.
  static func hasApostrophe(_ text: Span<UInt8>) -> Bool {
    !text.isEmpty && text[0] == UInt8(ascii: "'") && text.extracting(1..<text.count).needsApostrophe
  }

  /// Returns the range of a text without such an apostrophe.
  static func withoutApostrophe(_ range: ByteRange, in bytes: [UInt8]) -> ByteRange {
    guard hasApostrophe(bytes.span.extracting(range.indices)) else { return range }
    return ByteRange(start: range.indices.lowerBound + 1, count: range.indices.count - 1)
  }
}
