package import PostbackPipeline
package import TableReading

/// The rows of `skan_settled` and of `skan_enriched` of the postbacks of a part, batch by batch of these.
package struct AlignedBatches {
  private var settled: SettledRows?
  private var enriched: SettledRows?

  /// The rows for a batch; none of a table that is not given.
  package struct Batch: Sendable {
    package var settled = RawBatch(bytesToAdd: 0)
    package var enriched = RawBatch(bytesToAdd: 0)
  }

  /// Begins before the first rows of files.
  package init(settled: TableFiles?, enriched: TableFiles? = nil) {
    (self.settled, self.enriched) = (settled.map { SettledRows($0) }, enriched.map { SettledRows($0) })
  }

  /// Returns the rows for a batch of `skan_postbacks`. Batches follow each other. `keys` returns the keys of all postbacks.
  package mutating func next(
    beside batch: RawBatch,
    isolation actor: isolated (any Actor)? = #isolation,
    _ keys: () async throws(PipelineFailure) -> [UInt128]
  ) async throws(PipelineFailure) -> Batch {
    var rows = Batch()
    if let next = try await settled?.next(beside: batch, isolation: actor, keys) { rows.settled = next }
    if let next = try await enriched?.next(beside: batch, isolation: actor, keys) { rows.enriched = next }
    return rows
  }
}
