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
    func covers(_ row: borrowing RowCursor) -> Bool {
      switch self {
      case .before(let time):
        row.time(Table.imported.place(.receivedAt)).map { $0 < time.startOfDay.milliseconds } ?? false
      case .request(let request):
        request.coverage(of: row.line, transactionID: row.text(Table.imported.place(.transactionID))) == .own
      }
    }
  }

  /// Returns the share of the rows that a removal would take.
  package static func share(_ selection: Selection, in output: String) throws(FileFailure) -> RemovalShare {
    try RemovalShare(of: .imported, in: output) { selection.covers($0) } ?? RemovalShare(old: 0, of: 0)
  }

  /// Removes rows, and replaces the table in one step if anything changes. Returns the number of removed rows; nil if the output
  /// does not have the table.
  package static func remove(
    _ selection: Selection,
    from output: String,
    isCSVSafe: Bool
  ) throws(FileFailure) -> Int? {
    guard let encoding = try TableEncoding(storing: .imported, in: output, isCSVSafe: isCSVSafe) else { return nil }
    let table = try DerivedTable(.imported, encoding, in: output)
    let copy = try table.copy(encoding, without: { selection.covers($0) }) { text in
      if case .request(let request) = selection { request.masked(text) } else { nil }
    }
    guard copy.removed > 0 || copy.isMasked else { return 0 }
    let summary = try DerivedTable.summary(of: .imported, in: output)
    try table.complete(summary: summary?.description ?? "{}")
    return copy.removed
  }
}
