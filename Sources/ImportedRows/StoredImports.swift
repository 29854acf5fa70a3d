internal import DerivedTables
internal import DurableFiles
internal import Ledger
internal import Tables

/// The rows of `skan_imported` in an output that a new table takes over.
struct StoredImports {
  private static let columns = (
    vendor: Table.imported.place(.vendor), transaction: Table.imported.place(.transactionID),
    receivedAt: Table.imported.place(.receivedAt)
  )

  /// The cells of a row by which rows are chosen.
  struct Row {
    let vendor: String
    let transaction: String?
    /// The time in milliseconds since 1970; nil if the row has none.
    let receivedAt: Int64?
  }

  private let output: String

  init(in output: String) { self.output = output }

  /// Calls `body` for each row, with the texts of its cells.
  func forEach(
    _ body: (Row, borrowing RowCursor) throws(FileFailure) -> Void
  ) throws(FileFailure) {
    guard var stored = try StoredRows(.imported, in: output) else { return }
    while let batch = try stored.next() {
      var row = RowCursor(batch, of: .imported)
      while row.next() {
        let columns = Self.columns
        let found = Row(
          vendor: row.text(columns.vendor) ?? "",
          transaction: row.text(columns.transaction),
          receivedAt: row.time(columns.receivedAt)
        )
        try body(found, row)
      }
    }
  }

  /// Appends the rows that `keeps` chooses to a table.
  func copy(
    to table: DerivedTable,
    _ encoding: TableEncoding,
    where keeps: (Row) -> Bool
  ) throws(FileFailure) {
    var encoder = RowEncoder(.imported, encoding)
    var pending = 0
    try forEach { row, cursor throws(FileFailure) in
      guard keeps(row) else { return }
      for (index, column) in Table.imported.columns.enumerated() { encoder.copy(column.name, cursor.text(index)) }
      encoder.endRow()
      pending += 1
      if pending % 2000 == 0 { try table.append(encoder.take()) }
    }
    try table.append(encoder.take())
  }

  /// The formats of the table; nil if the output does not have it.
  func encoding(isCSVSafe: Bool) throws(FileFailure) -> TableEncoding? {
    let names = try DurableFolder("\(output)/\(Table.imported.name)").names()
    let formats = Set(TableFormat.allCases.filter { format in names.contains { $0.hasSuffix(".\(format.rawValue)") } })
    guard !formats.isEmpty else { return nil }
    let isMarked = names.contains(StoredRows.csvSafeName)
    // CSV that was written without a mark of its apostrophes is read as it is, and written so again.
    return TableEncoding(formats, isCSVSafe: isMarked || (isCSVSafe && formats.contains(.jsonLines)))
  }
}
