internal import Base
package import ConversionModel
package import JSON
internal import Ledger
package import PostbackVerification

/// A cursor over the rows of a batch.
package struct RowCursor: ~Copyable {
  /// The bytes of the batch, followed by text that was decoded for the current row, such as strings with escapes.
  package private(set) var bytes: [UInt8]
  /// The lines that are not rows.
  package private(set) var unreadable = UnreadableRows()

  private let batch: RowBatch
  private let byteCount: Int
  /// The rows that were parsed before; nil to parse each of them.
  private let parsed: ParsedRows?
  private var parser: JSONParser?
  private var document = JSONDocument()
  /// The cells of a row of CSV, by the columns of the table; nil is a null.
  private var cells: [ByteRange?]
  private var position = -1
  /// The reader of rows of which few cells are wanted; nil if all may be.
  private var leading: LeadingCells?
  /// Indicates that the current row was read by `leading`.
  private var isLeading = false

  /// Places the cursor before the first row of a batch of rows of `table`. If `columns` are given, no other cells may be asked
  /// for, and rows are not parsed beyond them.
  package init(_ batch: RowBatch, of table: Table, only columns: [Int]? = nil) {
    leading = batch.format == .jsonLines ? columns.map { LeadingCells($0, of: table) } : nil
    bytes = batch.bytes
    (self.batch, parsed) = (batch, nil)
    byteCount = batch.bytes.count
    parser = batch.format == .jsonLines ? JSONParser(names: table.columnNames) : nil
    cells = Array(repeating: nil, count: batch.format == .csv ? table.columns.count : 0)
  }

  /// Places the cursor before the first of rows that were parsed before.
  package init(_ rows: ParsedRows) {
    (batch, parsed, bytes, byteCount) = (rows.batch, rows, rows.bytes, rows.bytes.count)
    parser = nil
    cells = []
  }

  /// Moves to the next row; returns false if there is none. Lines that are not rows are skipped and noted in
  /// `unreadable`.
  package mutating func next() -> Bool {
    while position + 1 < batch.rows.count {
      position += 1
      if bytes.count > byteCount { bytes.removeLast(bytes.count - byteCount) }
      if let problem = parse() {
        unreadable.add(problem, line: source.line, in: source.path)
      } else {
        return true
      }
    }
    return false
  }

  /// Reads the current row as a whole, so that any of its cells may be asked for. Returns false if it is not a row; then
  /// `unreadable` has its line.
  package mutating func readWhole() -> Bool {
    guard isLeading else { return true }
    isLeading = false
    guard let problem = parser?.problem(ofRow: batch.rows[position].bytes, &bytes, into: &document) else { return true }
    unreadable.add(problem, line: source.line, in: source.path)
    return false
  }

  /// Parses the current row. Returns the problem of a line that is not a row.
  private mutating func parse() -> String? {
    if let parsed { return parsed.problems[position] }
    let row = batch.rows[position]
    if let problem = row.problem { return problem }
    switch batch.format {
    case .jsonLines:
      isLeading = leading?.read(bytes, row.bytes) ?? false
      return isLeading ? nil : parser?.problem(ofRow: row.bytes, &bytes, into: &document)
    case .csv: return parseCSV(row.bytes)
    }
  }

  private mutating func parseCSV(_ row: ByteRange) -> String? {
    for column in cells.indices { cells[column] = nil }
    var count = 0
    var decoded: [(column: Int, text: [UInt8])] = []
    CSV.forEachCell(in: bytes, row.indices) { cell in
      defer { count += 1 }
      guard count < batch.csvColumns.count, let column = batch.csvColumns[count] else { return }
      switch cell {
      case .null: break
      case .text(let range): cells[column] = batch.isCSVSafe ? CSV.withoutApostrophe(range, in: bytes) : range
      case .unescaped(let text):
        let isGuarded = batch.isCSVSafe && CSV.hasApostrophe(text.span)
        decoded.append((column, isGuarded ? Array(text.dropFirst()) : text))
      }
    }
    for (column, text) in decoded {
      cells[column] = ByteRange(start: bytes.count, count: text.count)
      bytes += text
    }
    let expected = batch.csvColumns.count
    return count == expected ? nil : "the row has \(count) cells, and the header \(expected)"
  }

  /// The number of the lines of the batch before the current row, also of those that are not rows.
  package var index: Int { position }

  /// The range in `bytes` of a cell's text: the content of a string, or the JSON of any other value. Nil if the cell is
  /// null or absent.
  package func cell(_ column: Int) -> ByteRange? {
    guard batch.format == .jsonLines else { return cells[column] }
    if isLeading, let leading { return leading.cells[column] }
    let field = field(column)
    return field.kind == .absent || field.kind == .null ? nil : field.text
  }

  private func field(_ column: Int) -> JSONField { parsed?.field(position, column) ?? document.fields[column] }

  /// The text of a cell; nil if the cell is null or absent.
  package func text(_ column: Int) -> String? {
    cell(column).map { String(decoding: bytes[$0.indices], as: UTF8.self) }
  }

  /// The integer in a cell; nil if the cell is not an integer, or has 20 characters or more.
  package func integer(_ column: Int) -> Int64? {
    cell(column).flatMap { Int64(decimal: bytes.span.extracting($0.indices)) }
  }

  /// The Boolean in a cell; nil if the cell is not a Boolean.
  package func boolean(_ column: Int) -> Bool? {
    guard batch.format == .jsonLines, !isLeading else { return text(column).flatMap { Bool($0) } }
    switch field(column).kind {
    case .true: return true
    case .false: return false
    default: return nil
    }
  }

  /// The amount in a cell; nil if the cell is null or not an amount.
  package func amount(_ column: Int) -> Amount? {
    cell(column).flatMap { Amount(written: bytes.span.extracting($0.indices)) }
  }

  /// The time in a cell, in milliseconds since 1970; nil if the cell is null or not a time.
  package func time(_ column: Int) -> Int64? {
    guard let cell = cell(column) else { return nil }
    return Timestamp(parsing: bytes.span.extracting(cell.indices))?.milliseconds
  }

  /// The key of a postback in a cell; nil if the cell is null or not a key.
  package func key(_ column: Int) -> PostbackKey? {
    cell(column).flatMap { PostbackKey(hexadecimal: bytes.span.extracting($0.indices)) }
  }

  /// The bytes of a rejected record, from the columns `raw_body` and `raw_body_base64`; nil if both are null, or if the
  /// base64 is not valid.
  package func rawBody(_ body: Int, base64: Int) -> [UInt8]? {
    if let body = cell(body) { return Array(bytes[body.indices]) }
    guard let base64 = cell(base64) else { return nil }
    var raw: [UInt8] = []
    return Base64.standard.decode(bytes.span.extracting(base64.indices), appendingTo: &raw) ? raw : nil
  }

  /// The bytes of the row, as they were written.
  package var line: [UInt8] { Array(bytes[batch.rows[position].bytes.indices]) }

  /// The path of the file that holds the current row, and the number of its line in it; nil if the file was not read from
  /// its start.
  package var source: (path: String, line: Int?) {
    var before = 0
    for file in batch.files {
      before += file.rowCount
      if position < before { return (file.path, batch.rows[position].line) }
    }
    preconditionFailure("every row has a file")
  }
}

extension Int64 {
  /// Parses digits with or without a sign before them; nil for other bytes, and for a text of 20 characters or more.
  fileprivate init?(decimal text: Span<UInt8>) {
    guard !text.isEmpty, text.count < 20 else { return nil }
    let isNegative = text[0] == UInt8(ascii: "-")
    let start = isNegative || text[0] == UInt8(ascii: "+") ? 1 : 0
    guard start < text.count else { return nil }
    // 19 digits are below 2 to the power of 64.
    var magnitude: UInt64 = 0
    for index in start..<text.count {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      magnitude = magnitude * 10 + UInt64(digit)
    }
    guard let number = Int64(exactly: magnitude) else { return nil }
    self = isNegative ? -number : number
  }
}

/// The number of lines of tables that are not rows, and a description of the first one.
package struct UnreadableRows: Sendable, Equatable {
  /// The number of lines.
  package private(set) var count = 0
  /// The line number, the file and the problem of the first line, as text; nil if there is none.
  package private(set) var first: String?

  /// Creates a count of no lines.
  package init() {}

  mutating func add(_ problem: String, line: Int?, in file: String) {
    if first == nil { first = "\(line.map { "line \($0)" } ?? "a line") of \(file): \(problem)" }
    count += 1
  }

  /// Adds the lines that come later.
  package static func += (left: inout UnreadableRows, right: UnreadableRows) {
    left.count += right.count
    left.first = left.first ?? right.first
  }
}

extension JSONValue {
  /// The bytes of a rejected record in a row as JSON; nil as from `RowCursor`.
  package var rawBody: [UInt8]? {
    if let body = self[ColumnName.rawBody.rawValue]?.text { return Array(body.utf8) }
    var raw: [UInt8] = []
    guard let text = self[ColumnName.rawBodyBase64.rawValue]?.text else { return nil }
    return Base64.standard.decode(text.utf8.span, appendingTo: &raw) ? raw : nil
  }

  /// The amount that a number is; nil for any other value.
  package var amount: Amount? {
    guard case .number(let text) = self else { return nil }
    return Amount(written: text.utf8.span)
  }
}
