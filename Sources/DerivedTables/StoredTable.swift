package import DurableFiles
package import Ledger
package import Tables

extension TableEncoding {
  /// The encoding of a table that is in an output, for the table that replaces it; nil if the output does not have it.
  package init?(storing table: Table, in output: String, isCSVSafe: Bool) throws(FileFailure) {
    let names = try DurableFolder("\(output)/\(table.name)").names()
    let formats = Set(TableFormat.allCases.filter { format in names.contains { $0.hasSuffix(".\(format.rawValue)") } })
    guard !formats.isEmpty else { return nil }
    let isMarked = names.contains(StoredRows.csvSafeName)
    // CSV that was written without a mark of its apostrophes is read as it is, and written so again.
    self.init(formats, isCSVSafe: isMarked || (isCSVSafe && formats.contains(.jsonLines)))
  }
}

extension RemovalShare {
  /// The share of the rows of a table in an output that `goes` chooses; nil if the output does not have the table.
  package init?(of table: Table, in output: String, _ goes: (borrowing RowCursor) -> Bool) throws(FileFailure) {
    guard var stored = try StoredRows(table, in: output) else { return nil }
    self.init(old: 0, of: 0)
    while let batch = try stored.next() {
      var row = RowCursor(batch, of: table)
      while row.next() {
        all += 1
        if goes(row) { old += 1 }
      }
    }
  }
}

extension DerivedTable {
  /// Appends the rows of the table that is there before, without those that `goes` chooses. `masking` returns the text that takes
  /// the place of a cell's; nil if it stays. Returns the number of rows that go, and an indication that a text was masked.
  @discardableResult
  package func copy(
    _ encoding: TableEncoding,
    without goes: (borrowing RowCursor) -> Bool,
    masking: (String) -> String? = { _ in nil }
  ) throws(FileFailure) -> (removed: Int, isMasked: Bool) {
    var (removed, isMasked) = (0, false)
    guard var stored = try StoredRows(table, in: output) else { return (removed, isMasked) }
    while let batch = try stored.next() {
      var row = RowCursor(batch, of: table)
      var encoder = RowEncoder(table, encoding, inputBytes: batch.bytes.count)
      while row.next() {
        guard !goes(row) else {
          removed += 1
          continue
        }
        for (index, column) in table.columns.enumerated() {
          let text = row.text(index)
          let masked = text.flatMap(masking) ?? text
          isMasked = isMasked || masked != text
          encoder.copy(column.name, masked)
        }
        encoder.endRow()
      }
      try append(encoder.take())
    }
    return (removed, isMasked)
  }
}
