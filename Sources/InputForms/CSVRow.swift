/// The fields of one row of CSV (RFC 4180).
struct CSVRow {
  /// A field as a range of the row, without its quotes.
  struct Part {
    fileprivate var range: Range<Int>
    /// True if quotes in it are doubled.
    fileprivate var hasQuotes = false
  }

  /// The fields of the row that was split last.
  private(set) var fields: [Part] = []
  private var unquoted: [UInt8] = []

  /// Splits a row without its line end. Returns false if a quote is not closed, or has text behind it.
  mutating func split(_ row: Span<UInt8>, at separator: UInt8) -> Bool {
    fields.removeAll(keepingCapacity: true)
    var index = 0
    while true {
      var part = Part(range: index..<index)
      if index < row.count, row[index] == UInt8(ascii: "\"") {
        index += 1
        let start = index
        while true {
          while index < row.count, row[index] != UInt8(ascii: "\"") { index += 1 }
          guard index < row.count else { return false }
          guard index + 1 < row.count, row[index + 1] == UInt8(ascii: "\"") else { break }
          part.hasQuotes = true
          index += 2
        }
        part.range = start..<index
        index += 1
        guard index == row.count || row[index] == separator else { return false }
      } else {
        let start = index
        while index < row.count, row[index] != separator { index += 1 }
        part.range = start..<index
      }
      fields.append(part)
      guard index < row.count else { return true }
      index += 1
    }
  }

  /// Returns the value of a field of the row.
  func value(_ part: Part, of row: Span<UInt8>) -> [UInt8] {
    var value: [UInt8] = []
    var isSecond = false
    for index in part.range {
      isSecond = part.hasQuotes && row[index] == UInt8(ascii: "\"") && !isSecond
      if !isSecond { value.append(row[index]) }
    }
    return value
  }

  /// Calls `body` with each field's number and value, in order.
  mutating func forEach(of row: Span<UInt8>, _ body: (Int, Span<UInt8>) -> Void) {
    for (index, part) in fields.enumerated() {
      guard part.hasQuotes else {
        body(index, row.extracting(part.range))
        continue
      }
      unquoted = value(part, of: row)
      body(index, unquoted.span)
    }
  }
}
