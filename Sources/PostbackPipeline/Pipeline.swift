package import Base
package import PostbackVerification
internal import Signatures

/// The pipeline from inputs to tables: reads, parses, verifies, deduplicates, decodes and writes postbacks.
package struct Pipeline: Sendable {
  /// The inputs to read, in order.
  package var inputs: [InputFile]
  /// The rule for the time of receipt of postbacks whose envelope does not give it, or that have no envelope.
  package var receivedAt = ReceivedAtRule()
  /// The trusted keys, the models and the limits, which may be replaced while the pipeline runs.
  package var settings: Replaceable<PipelineSettings>
  /// True if an input that cannot be read is reported as failed and the next one is read; false if it ends the run.
  package var skipsUnreadableInputs = false
  /// The number of batches that each concurrent stage is to work on at once.
  package var jobs = 1

  /// The share of the records that the pipeline takes; nil for all.
  package var shard: Shard?

  /// A pipeline with one job.
  package init(inputs: [InputFile], settings: Replaceable<PipelineSettings>) {
    self.inputs = inputs
    self.settings = settings
  }

  /// A pipeline with one job, no conversion models and the default limits.
  package init(inputs: [InputFile], trust: TrustPolicy) {
    self.init(inputs: inputs, settings: Replaceable(PipelineSettings(trust: trust)))
  }

  /// Runs to the end of the inputs and returns the counts of accepted and rejected records. `tables` are the tables of
  /// `state`, which the run consumes.
  ///
  /// Every record ends in exactly one row of `skan_postbacks` or `skan_rejects`, also if runs were interrupted and
  /// several were needed.
  package func run(
    continuing state: consuming PipelineState,
    into tables: TableWriter,
    progress: (TableWriter.Progress) -> Void = { _ in },
    committed: (TableWriter.Commit) -> Void = { _ in }
  ) async throws(PipelineFailure) -> Tally {
    try await run(InputList(inputs), continuing: state, into: tables, progress: progress, committed: committed)
  }

  /// Runs to the end of a source and returns the counts of accepted and rejected records. `TableWriter.write` says when each
  /// closure is called.
  package func run(
    _ source: any InputSource,
    continuing state: consuming PipelineState,
    into tables: TableWriter,
    progress: (TableWriter.Progress) -> Void = { _ in },
    committed: (TableWriter.Commit) -> Void = { _ in },
    idle: (_ commitDue: ContinuousClock.Instant?) throws(PipelineFailure) -> Void = { _ in }
  ) async throws(PipelineFailure) -> Tally {
    let settings = settings
    let reader = SourceReader(
      source,
      state.catalog,
      limits: { settings.value.limits },
      skipsUnreadableInputs: skipsUnreadableInputs
    )
    return try await run(
      records: reader,
      continuing: state,
      into: tables,
      progress: progress,
      committed: committed,
      idle: idle
    )
  }

  /// Runs to the end of records, wherever they come from.
  package func run<Records: AsyncSequence>(
    records: Records,
    continuing state: consuming PipelineState,
    into tables: TableWriter,
    progress: (TableWriter.Progress) -> Void = { _ in },
    committed: (TableWriter.Commit) -> Void = { _ in },
    idle: (_ commitDue: ContinuousClock.Instant?) throws(PipelineFailure) -> Void = { _ in }
  ) async throws(PipelineFailure) -> Tally
  where Records.Element == Step<RawBatch>, Records.Failure == PipelineFailure {
    precondition(tables.ledger === state.ledger, "the tables belong to the state")
    let (receivedAt, settings, shard) = (receivedAt, settings, shard)
    let keepsAddresses = tables.keepsAddresses
    let format = RowFormat(tables.encoding, tables.partitioning, keepsAddresses: keepsAddresses)
    let index = state.takeIndex()
    let rows =
      records
      .concurrently(jobs) { batch throws(PipelineFailure) in
        let settings = settings.value
        let parsed = batch.parsed(receivedAt: receivedAt, keepsAddresses: keepsAddresses)
        let own = try PipelineFailure.libcrypto { () throws(LibcryptoFailure) in
          try shard.map { shard throws(LibcryptoFailure) in try parsed.extracting(shard) } ?? parsed
        }
        return try own.verified(by: settings.trust, known: settings.known, index)
      }
      .deduplicated(in: index)
      .concurrently(jobs) { batch throws(PipelineFailure) in
        let decoded = batch.decoded(with: settings.value.models)
        return try PipelineFailure.libcrypto { () throws(LibcryptoFailure) in try decoded.encoded(as: format) }
      }
    return try await tables.write(rows, progress: progress, committed: committed, idle: idle)
  }
}

extension AsyncSequence where Failure == PipelineFailure {
  /// Applies `work` to `jobs` batches at once, in order; idle is a barrier, as `mapConcurrently` describes it.
  func concurrently<Batch, Output: Sendable>(
    _ jobs: Int,
    _ work: @escaping @Sendable (Batch) throws(PipelineFailure) -> Output
  ) -> ConcurrentMap<Self, Step<Output>> where Element == Step<Batch> {
    mapConcurrently(jobs, isBarrier: { $0.isIdle }) { step throws(PipelineFailure) in try step.map(work) }
  }
}
