package import PostbackPipeline
package import Tables

/// The rows of a table that stands in the order of another table, cut to the batches of that one.
///
/// A scan of the other table calls it beside each batch:
///
/// ```swift
/// var settled = AlignedRows(files)
/// try await accepted.scan(jobs: jobs, beside: { batch throws(PipelineFailure) in
///   try await settled.next(beside: batch)
/// }) { batch, settled in … } take: { … }
/// ```
package struct AlignedRows {
  private var batches: PostbackReader.Iterator
  /// The batch that was read last, and the number of its records that were handed on.
  private var batch = RawBatch(bytesToAdd: 0)
  private var used = 0
  /// The other table, if lines of it that are not rows have none beside them; nil if every line has one.
  private let other: Table?

  /// Begins before the first row of a table.
  ///
  /// - Parameters:
  ///   - files: The parts of the table.
  ///   - other: The other table, if lines of it that are not rows have none beside them. Then the batches of that table
  ///     are parsed to count their rows, one batch after the other. Nil if every line has a row.
  package init(_ files: TableFiles, besideRowsOf other: Table? = nil) {
    self.other = other
    batches = PostbackReader(inputs: files.inputs, limits: TableFiles.limits).makeAsyncIterator()
  }

  /// Returns the next rows, as many as a batch of the other table has; fewer at the end of the table.
  package mutating func next(
    beside other: RawBatch,
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws(PipelineFailure) -> RawBatch {
    let count = count(in: other)
    var rows = RawBatch(bytesToAdd: 0)
    while rows.records.count < count {
      while used == batch.records.count {
        guard let next = try await batches.next(isolation: actor) else { return rows }
        (batch, used) = (next, 0)
      }
      let end = min(used + count - rows.records.count, batch.records.count)
      rows.append(batch.extracting(used..<end))
      used = end
    }
    return rows
  }

  private func count(in batch: RawBatch) -> Int {
    guard let other else { return batch.records.count }
    var cursor = RowCursor(batch, of: other)
    var count = 0
    while cursor.next() { count += 1 }
    return count
  }
}
