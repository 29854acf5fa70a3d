internal import DurableFiles
internal import Ledger
internal import Tables

/// Encoded rows of a table, or the removals that come before later rows, with the mark of the position behind them.
struct LoadedBatch<Mark: Sendable>: Sendable {
  let rows: CopyRows
  let removals: [TableRemoval]
  let missed: UnreadRows
  let masked: [MaskedCopy]
  let mark: Mark
}

/// A row that was masked after it was loaded, encoded as it is now, unless it was removed since.
struct MaskedCopy: Sendable {
  /// The row as the database may have it: as it was, and as it is now, if the output is a backup in which it is masked again.
  let rows: [TableRemoval.Row]
  let now: CopyRows?

  init(_ row: MaskedRow, of table: Table) throws(FileFailure) {
    var rows = row.earlier
    if let now = row.now, let first = rows.first {
      var cursor = RowCursor(now, of: table)
      if cursor.next(), let source = TableRemoval.Source(cursor, of: table) {
        let (format, part) = (first.format, first.part)
        rows.append(.init(format: format, part: part, offset: first.offset, byteCount: 0, key: nil, source: source))
      }
    }
    self.rows = rows
    now = try row.now.map { now throws(FileFailure) in try CopyRows(now, of: table) }
  }
}

/// The batches of a table whose parts are complete.
struct StoredBatches: AsyncSequence {
  typealias Element = RowBatch
  typealias Failure = FileFailure

  let table: Table
  let output: String

  func makeAsyncIterator() -> Iterator { Iterator(batches: self) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let batches: StoredBatches
    private var rows: StoredRows?

    fileprivate init(batches: StoredBatches) { self.batches = batches }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(FileFailure) -> RowBatch? {
      if rows == nil { rows = try StoredRows(batches.table, in: batches.output) }
      return try rows?.next()
    }
  }
}
