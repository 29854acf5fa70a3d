internal import ConversionModel
internal import JSON

/// Encodes the rows of one table, cell by cell in the order of its columns, in each of the formats at once.
package struct RowEncoder: Sendable {
  /// The rows as JSON Lines, where that is wanted.
  package private(set) var jsonLines: [UInt8] = []
  /// The rows as CSV, without the header, where that is wanted.
  package private(set) var csv: [UInt8] = []
  /// Rows encoded since the start.
  package private(set) var rowCount = 0

  private let table: Table
  private let writesJSON: Bool
  private let writesCSV: Bool
  private let isCSVSafe: Bool
  /// What stands before each cell of a JSON object: bracket or comma, and the key.
  private let keys: [[UInt8]]
  private var column = 0

  /// An encoder. With `isCSVSafe`, CSV texts that a spreadsheet would run as a formula begin with an apostrophe.
  package init(_ table: Table, formats: Set<TableFormat>, isCSVSafe: Bool = false) {
    self.table = table
    self.isCSVSafe = isCSVSafe
    writesJSON = formats.contains(.jsonLines)
    writesCSV = formats.contains(.csv)
    keys = table.columns.enumerated().map { index, name in Array("\(index == 0 ? "{" : ",")\"\(name)\":".utf8) }
  }

  /// The first line of a CSV file.
  package var csvHeader: [UInt8] { Array((table.columns.joined(separator: ",") + "\r\n").utf8) }

  /// Forgets the rows encoded so far, which have been written.
  package mutating func removeRows() {
    jsonLines.removeAll(keepingCapacity: true)
    csv.removeAll(keepingCapacity: true)
  }

  /// A null.
  mutating func null() {
    beginCell()
    if writesJSON { jsonLines.append(contentsOf: "null".utf8) }
  }

  /// A text.
  mutating func text(_ text: ArraySlice<UInt8>?) {
    guard let text else { return null() }
    beginCell()
    if writesJSON { jsonLines.appendJSONString(text) }
    if writesCSV { csv.appendCSV(text: text, isSafe: isCSVSafe) }
  }

  /// A text.
  mutating func text(_ text: String?) { self.text(text.map { Array($0.utf8)[...] }) }

  /// A text that needs no escaping in any format: a word, a number, a time.
  mutating func plain(quoted: Bool = true, _ append: (inout [UInt8]) -> Void) {
    beginCell()
    if writesJSON {
      if quoted { jsonLines.append(UInt8(ascii: "\"")) }
      append(&jsonLines)
      if quoted { jsonLines.append(UInt8(ascii: "\"")) }
    }
    if writesCSV { append(&csv) }
  }

  /// A word of a closed set.
  mutating func word(_ word: (some RawRepresentable<String>)?) {
    guard let word else { return null() }
    plain { $0.append(contentsOf: word.rawValue.utf8) }
  }

  /// An integer.
  mutating func integer(_ value: Int64?) {
    guard let value else { return null() }
    plain(quoted: false) { $0.appendDecimal(value) }
  }

  /// A Boolean.
  mutating func boolean(_ value: Bool?) {
    guard let value else { return null() }
    plain(quoted: false) { $0.append(contentsOf: (value ? "true" : "false").utf8) }
  }

  /// An amount of money, or a count that may be a half: an exact decimal number.
  mutating func amount(_ value: Amount?) {
    guard let value else { return null() }
    plain(quoted: false) { value.append(to: &$0) }
  }

  /// A time.
  mutating func time(_ value: Timestamp?) {
    guard let value else { return null() }
    plain { value.append(to: &$0) }
  }

  /// Words that need no escaping: an array in JSON, in CSV joined by semicolons. No word: a null.
  mutating func words(_ words: [String]) {
    guard !words.isEmpty else { return null() }
    beginCell()
    if writesJSON {
      for (index, word) in words.enumerated() {
        jsonLines.append(contentsOf: index == 0 ? "[\"".utf8 : ",\"".utf8)
        jsonLines.append(contentsOf: word.utf8)
        jsonLines.append(UInt8(ascii: "\""))
      }
      jsonLines.append(UInt8(ascii: "]"))
    }
    if writesCSV { csv.append(contentsOf: words.joined(separator: ";").utf8) }
  }

  /// A JSON value on one line: itself in JSON, its text in CSV.
  mutating func json(_ value: ArraySlice<UInt8>?) {
    guard let value else { return null() }
    beginCell()
    if writesJSON { jsonLines += value }
    if writesCSV { csv.appendCSV(text: value, isSafe: isCSVSafe) }
  }

  /// Ends a row in which every column has its cell.
  mutating func endRow() {
    precondition(column == table.columns.count, "a row of \(table.name) has \(column) cells")
    if writesJSON { jsonLines.append(contentsOf: "}\n".utf8) }
    if writesCSV { csv.append(contentsOf: "\r\n".utf8) }
    column = 0
    rowCount += 1
  }

  private mutating func beginCell() {
    if writesJSON { jsonLines += keys[column] }
    if writesCSV, column > 0 { csv.append(UInt8(ascii: ",")) }
    column += 1
  }
}

extension [UInt8] {
  /// Appends a CSV field (RFC 4180), quoted where it has to be. An empty text is quoted, to be told from a null.
  fileprivate mutating func appendCSV(text: ArraySlice<UInt8>, isSafe: Bool) {
    let quote = UInt8(ascii: "\"")
    let needsApostrophe = isSafe && text.first.map { Self.formulaStarts.contains($0) } ?? false
    let needsQuotes = text.isEmpty || text.contains { $0 < 0x20 || $0 == quote || $0 == UInt8(ascii: ",") }
    let text = text.span
    append(addingCapacity: 2 * text.count + 3) { output in
      if needsQuotes { output.append(quote) }
      if needsApostrophe { output.append(UInt8(ascii: "'")) }
      for index in text.indices {
        let byte = text[index]
        if byte == quote { output.append(quote) }
        output.append(byte)
      }
      if needsQuotes { output.append(quote) }
    }
  }

  /// What a spreadsheet takes for the start of a formula (OWASP, "CSV Injection").
  private static var formulaStarts: [UInt8] { Array("=+-@\t\r".utf8) }
}
