package import Tables
package import JSON
package import PostbackPipeline

/// A cursor over the rows of a batch.
package struct RowCursor: ~Copyable {
  /// The bytes of the batch, followed by text that was decoded for the current row, such as strings with escapes.
  package private(set) var bytes: [UInt8]
  /// The lines that are not rows.
  package private(set) var unreadable = UnreadableRows()

  private let records: [Record]
  private let origins: [BatchOrigin]
  private let byteCount: Int
  private var parser: JSONParser
  private var document = JSONDocument()
  private var position = -1

  /// Places the cursor before the first row of a batch of rows of `table`.
  package init(_ batch: RawBatch, of table: Table) {
    bytes = batch.bytes
    records = batch.records
    origins = batch.origins
    byteCount = batch.bytes.count
    parser = JSONParser(names: table.columnNames)
  }

  /// Moves to the next row; returns false if there is none. Lines that are not rows are skipped and noted in
  /// `unreadable`.
  package mutating func next() -> Bool {
    while position + 1 < records.count {
      position += 1
      bytes.removeLast(bytes.count - byteCount)
      if let problem = parse() {
        unreadable.add(problem, line: records[position].line, in: source.input.path)
      } else {
        return true
      }
    }
    return false
  }

  private mutating func parse() -> String? {
    let record = records[position]
    if case .tooLarge(let count, _) = record.defect { return "the line has \(count) bytes, more than a row can have" }
    if case .truncatedInput(let reason) = record.defect { return reason }
    do throws(JSONDefect) {
      try parser.parse(record.bytes.indices, of: &bytes, into: &document)
    } catch {
      return "the line is not JSON"
    }
    guard document.root.kind == .object else { return "the line is not an object" }
    return document.fields.contains { $0.kind != .absent } ? nil : "the line has none of the table's columns"
  }

  /// The range in `bytes` of a cell's text: the content of a string, or the JSON of any other value. Nil if the cell is
  /// null or absent.
  package func cell(_ column: Int) -> ByteRange? {
    let field = document.fields[column]
    return field.kind == .absent || field.kind == .null ? nil : field.text
  }

  /// The text of a cell; nil if the cell is null or absent.
  package func text(_ column: Int) -> String? {
    cell(column).map { String(decoding: bytes[$0.indices], as: UTF8.self) }
  }

  /// The integer in a cell; nil if the cell is not an integer, or has 20 characters or more.
  package func integer(_ column: Int) -> Int64? {
    guard let cell = cell(column), cell.count < 20 else { return nil }
    return Int64(String(decoding: bytes[cell.indices], as: UTF8.self))
  }

  /// The Boolean in a cell; nil if the cell is not a Boolean.
  package func boolean(_ column: Int) -> Bool? {
    switch document.fields[column].kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The bytes of the row, as they were written.
  package var line: [UInt8] { Array(bytes[records[position].bytes.indices]) }

  /// The file and the line that hold the current row.
  package var source: (input: InputFile, line: Int) {
    var before = 0
    for origin in origins {
      before += origin.recordCount
      if position < before { return (origin.input, records[position].line) }
    }
    preconditionFailure("every record has an origin")
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

  mutating func add(_ problem: String, line: Int, in file: String) {
    if first == nil { first = "line \(line) of \(file): \(problem)" }
    count += 1
  }

  /// Adds the lines that come later.
  package static func += (left: inout UnreadableRows, right: UnreadableRows) {
    left.count += right.count
    left.first = left.first ?? right.first
  }
}

extension Table {
  /// Returns the index of a column, which the table must have.
  package func place(_ column: String) -> Int {
    guard let place = columnNames.firstIndex(of: column) else { preconditionFailure("\(name) has no column \(column)") }
    return place
  }
}
