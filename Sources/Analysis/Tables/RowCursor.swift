package import JSON
package import PostbackPipeline

/// Goes through the rows of a batch, one after the other.
package struct RowCursor: ~Copyable {
  /// The batch, and behind it what the row at hand has in escapes.
  package private(set) var bytes: [UInt8]
  /// The lines that are no row.
  package private(set) var unreadable = UnreadableRows()

  private let records: [Record]
  private let origins: [BatchOrigin]
  private let byteCount: Int
  private var parser: JSONParser
  private var document = JSONDocument()
  private var position = -1

  /// Stands before the first row of a batch of that table's rows.
  package init(_ batch: RawBatch, of table: Table) {
    bytes = batch.bytes
    records = batch.records
    origins = batch.origins
    byteCount = batch.bytes.count
    parser = JSONParser(names: table.columns)
  }

  /// Goes to the next row; false where there is none. Lines that are no row are passed over and noted.
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
    if case .tooLarge(let count, _) = record.defect { return "has \(count) bytes, more than a row can" }
    if case .truncatedInput(let reason) = record.defect { return reason }
    do throws(JSONDefect) {
      try parser.parse(record.bytes.indices, of: &bytes, into: &document)
    } catch {
      return "is not JSON"
    }
    guard document.root.kind == .object else { return "is no object" }
    return document.fields.contains { $0.kind != .absent } ? nil : "has none of the table's columns"
  }

  /// The text of a cell: of a string what it says, of all else the JSON; nil where it is null or not there.
  package func cell(_ column: Int) -> ByteRange? {
    let field = document.fields[column]
    return field.kind == .absent || field.kind == .null ? nil : field.text
  }

  /// The text of a cell.
  package func text(_ column: Int) -> String? {
    cell(column).map { String(decoding: bytes[$0.indices], as: UTF8.self) }
  }

  /// The integer that a cell is.
  package func integer(_ column: Int) -> Int64? {
    guard let cell = cell(column), cell.count < 20 else { return nil }
    return Int64(String(decoding: bytes[cell.indices], as: UTF8.self))
  }

  /// Whether a cell is `true`; nil where it is no Boolean.
  package func boolean(_ column: Int) -> Bool? {
    switch document.fields[column].kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The row as it was written.
  package var line: [UInt8] { Array(bytes[records[position].bytes.indices]) }

  /// The file and the line in it where the row at hand stands.
  package var source: (input: InputFile, line: Int) {
    var before = 0
    for origin in origins {
      before += origin.recordCount
      if position < before { return (origin.input, records[position].line) }
    }
    preconditionFailure("every record has an origin")
  }
}

/// Lines of tables that are no rows: counted, and the first is named.
package struct UnreadableRows: Sendable, Equatable {
  /// How many.
  package private(set) var count = 0
  /// The first: which line of which file, and what is wrong with it.
  package private(set) var first: String?

  /// None.
  package init() {}

  mutating func add(_ problem: String, line: Int, in file: String) {
    if first == nil { first = "\(file), line \(line): \(problem)" }
    count += 1
  }

  /// Adds what comes later.
  package static func += (left: inout UnreadableRows, right: UnreadableRows) {
    left.count += right.count
    left.first = left.first ?? right.first
  }
}

extension Table {
  /// The place of a column, which is one of the table's.
  package func place(_ column: String) -> Int {
    guard let place = columns.firstIndex(of: column) else { preconditionFailure("\(name) has no column \(column)") }
    return place
  }
}
