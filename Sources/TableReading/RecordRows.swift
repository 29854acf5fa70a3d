package import PostbackPipeline
package import Tables

extension RowCursor {
  /// Places the cursor before the first row of a batch of records that are rows of `table` in JSON Lines. If `columns` are
  /// given, no other cells may be asked for.
  package init(_ batch: RawBatch, of table: Table, only columns: [Int]? = nil) {
    self.init(RowBatch(batch), of: table, only: columns)
  }
}

extension ParsedRows {
  /// Parses the rows of a batch of records that are rows of `table` in JSON Lines.
  package init(_ batch: RawBatch, of table: Table) { self.init(RowBatch(batch), of: table) }
}

extension RowBatch {
  fileprivate init(_ batch: RawBatch) {
    let rows = batch.records.map { record in
      RowBatch.Row(bytes: record.bytes, line: record.line, problem: record.defect.flatMap(Self.problem))
    }
    let files = batch.origins.map { (path: $0.input.path, rowCount: $0.recordCount) }
    self.init(jsonLines: batch.bytes, rows, of: files)
  }

  private static func problem(_ defect: FramingDefect) -> String? {
    switch defect {
    case .tooLarge(let count, _): "the line has \(count) bytes, more than a row can have"
    case .truncatedInput(let reason): reason
    case .byteOrderMark: nil
    }
  }
}
