internal import Glibc
package import JSON
package import Ledger

/// A batch of rows of one table, as they stand in its files.
package struct RowBatch: Sendable {
  /// A row, or a line that should be one.
  package struct Row: Sendable {
    /// The range of its bytes in the batch, without the line end.
    package let bytes: ByteRange
    /// The number of its line in the file, from 1; nil if the file was not read from its start.
    package let line: Int?
    /// The reason for which it cannot be a row; nil if none is known.
    package let problem: String?

    package init(bytes: ByteRange, line: Int?, problem: String? = nil) {
      (self.bytes, self.line, self.problem) = (bytes, line, problem)
    }
  }

  /// The number of bytes that must follow the last row; their values do not matter.
  package static let padding = JSONParser.padding

  /// The format of the rows.
  package let format: TableFormat
  /// The bytes of the rows, and then `padding` bytes.
  package let bytes: [UInt8]
  /// The rows in order.
  package let rows: [Row]
  /// The paths of the files with the rows, in order, each with its number of rows.
  package let files: [(path: String, rowCount: Int)]
  /// The index in the table's columns for each cell of CSV, nil for a column that the table does not have.
  let csvColumns: [Int?]
  /// Indicates that texts of CSV which a spreadsheet would run as a formula have an apostrophe in front.
  let isCSVSafe: Bool

  /// Makes a batch of rows in JSON Lines.
  package init(jsonLines bytes: [UInt8], _ rows: [Row], of files: [(path: String, rowCount: Int)]) {
    self.init(.jsonLines, bytes, rows, of: files, isCSVSafe: false)
  }

  init(
    _ format: TableFormat,
    _ bytes: [UInt8],
    _ rows: [Row],
    of files: [(path: String, rowCount: Int)],
    csvColumns: [Int?] = [],
    isCSVSafe: Bool
  ) {
    self.isCSVSafe = isCSVSafe
    (self.format, self.bytes, self.rows, self.files, self.csvColumns) = (format, bytes, rows, files, csvColumns)
  }
}

extension RowBatch {
  /// The first row alone; nil if there is none.
  var first: RowBatch? {
    rows.first.map { row in
      let files = files.prefix(1).map { (path: $0.path, rowCount: 1) }
      return RowBatch(format, bytes, [row], of: files, csvColumns: csvColumns, isCSVSafe: isCSVSafe)
    }
  }

  /// Makes a batch of rows of a table that were encoded, to read them again.
  package init(_ encoded: EncodedRows, in format: TableFormat, of table: Table) {
    let bytes = encoded[format]
    let (rows, _) = Self.rows(in: bytes, bytes.count, format, line: 1)
    self.init(
      format,
      bytes + [UInt8](repeating: 0, count: Self.padding),
      rows,
      of: [(path: table.name, rowCount: rows.count)],
      csvColumns: format == .csv ? Array(table.columns.indices) : [],
      isCSVSafe: false
    )
  }

  /// Returns the place of the first line feed in a range; nil if there is none.
  private static func lineEnd(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress,
        let found = unsafe memchr(start + range.lowerBound, Int32(UInt8(ascii: "\n")), range.count)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - start
    }
  }

  /// Returns the whole rows among the first `count` bytes, and the number of the line behind them. The first row begins at
  /// the line `line`, if that is known.
  static func rows(
    in bytes: [UInt8],
    _ count: Int,
    _ format: TableFormat,
    line: Int?
  ) -> (rows: [Row], nextLine: Int?) {
    var rows: [Row] = []
    var line = line
    guard format == .csv else {
      var start = 0
      while start < count, let end = lineEnd(in: bytes, start..<count) {
        rows.append(Row(bytes: ByteRange(start: start, count: end - start), line: line))
        start = end + 1
        line = line.map { $0 + 1 }
      }
      return (rows, line)
    }
    var lines = 0
    var isQuoted = false
    var start = 0
    for position in 0..<count {
      let byte = bytes[position]
      // A quote inside a field is doubled, so that it toggles twice.
      if byte == CSV.quote { isQuoted.toggle() }
      guard byte == UInt8(ascii: "\n") else { continue }
      lines += 1
      guard !isQuoted else { continue }
      let end = position > start ? position - 1 : position
      rows.append(Row(bytes: ByteRange(start: start, count: end - start), line: line))
      start = position + 1
      line = line.map { $0 + lines }
      lines = 0
    }
    return (rows, line)
  }
}
