package import Base
internal import DerivedTables
package import DurableFiles
internal import JSON
package import Ledger
package import Tables

/// The removal of rows from `skan_imported` of an output.
package enum ImportedRemoval {
  /// The choice of the rows that go.
  package enum Selection: Sendable {
    /// The rows of whole days before a time. Rows without a time stay.
    case before(Timestamp)
    /// The rows of a person's transactions. In those of others the person's ids and addresses are masked.
    case request(RemovalRequest)

    /// Indicates that a row goes.
    func covers(_ row: StoredImports.Row, _ line: [UInt8]) -> Bool {
      switch self {
      case .before(let time):
        return row.receivedAt.map { $0 < time.startOfDay.milliseconds } ?? false
      case .request(let request): return request.coverage(of: line, transactionID: row.transaction) == .own
      }
    }

    /// Returns the text that takes the place of a cell's.
    func kept(_ text: String?) -> String? {
      guard case .request(let request) = self, let text else { return text }
      return request.masked(text) ?? text
    }
  }

  /// Returns the share of the rows that a removal would take.
  package static func share(_ selection: Selection, in output: String) throws(FileFailure) -> RemovalShare {
    var share = RemovalShare(old: 0, of: 0)
    try StoredImports(in: output).forEach { row, cursor throws(FileFailure) in
      share.all += 1
      if selection.covers(row, cursor.line) { share.old += 1 }
    }
    return share
  }

  /// Removes rows, and replaces the table in one step if anything changes. Returns the number of removed rows; nil if the output
  /// does not have the table.
  package static func remove(
    _ selection: Selection,
    from output: String,
    isCSVSafe: Bool
  ) throws(FileFailure) -> Int? {
    let stored = StoredImports(in: output)
    guard let encoding = try stored.encoding(isCSVSafe: isCSVSafe) else { return nil }
    let table = try DerivedTable(.imported, encoding, in: output)
    var encoder = RowEncoder(.imported, encoding)
    var (removed, kept, isChanged) = (0, 0, false)
    try stored.forEach { row, cursor throws(FileFailure) in
      guard !selection.covers(row, cursor.line) else {
        removed += 1
        return
      }
      for (index, column) in Table.imported.columns.enumerated() {
        let text = cursor.text(index)
        let other = selection.kept(text)
        isChanged = isChanged || other != text
        encoder.copy(column.name, other)
      }
      encoder.endRow()
      kept += 1
      if kept % 2000 == 0 { try table.append(encoder.take()) }
    }
    guard removed > 0 || isChanged else { return 0 }
    try table.append(encoder.take())
    let summary = try DerivedTable.summary(of: .imported, in: output)
    try table.complete(summary: summary?.description ?? "{}")
    return removed
  }
}
