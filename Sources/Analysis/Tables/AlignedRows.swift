package import PostbackPipeline

/// The rows of a table that stands in the order of another table, cut to the batches of that one.
///
/// A scan of the other table calls it beside each batch:
///
/// ```swift
/// var settled = AlignedRows(files)
/// try await accepted.scan(jobs: jobs, beside: { batch throws(PipelineFailure) in
///   try await settled.next(batch.records.count)
/// }) { batch, settled in … } take: { … }
/// ```
package struct AlignedRows {
  private var batches: PostbackReader.Iterator
  /// The batch that was read last, and the number of its records that were handed on.
  private var batch = RawBatch(bytesToAdd: 0)
  private var used = 0

  /// Begins before the first row of a table.
  package init(_ files: TableFiles) {
    batches = PostbackReader(inputs: files.inputs, limits: TableFiles.limits).makeAsyncIterator()
  }

  /// Returns the next `count` rows; fewer at the end of the table.
  package mutating func next(
    _ count: Int,
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws(PipelineFailure) -> RawBatch {
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
}
