internal import ConversionModel
internal import Signatures

/// The flow, from inputs to tables.
package struct Pipeline: Sendable {
  /// What is read, in order.
  package var inputs: [InputFile]
  /// How large records and batches may be.
  package var limits = ReadLimits()
  /// How the time of receipt is found where no envelope says it.
  package var receivedAt = ReceivedAtRule()
  /// Whom to believe.
  package var trust: Trust
  /// What conversion values mean, which may change while the flow runs.
  package var models = CurrentModels(.none)
  /// Whether an input that cannot be read is passed over, and said to have failed, or ends the run.
  package var passesFailures = false
  /// How many batches are worked on at once.
  package var jobs = 1

  /// A flow with one job, no models, and the limits that are usual.
  package init(inputs: [InputFile], trust: Trust) {
    self.inputs = inputs
    self.trust = trust
  }

  /// Runs to the end of the inputs. Every record ends in exactly one row of `skan_postbacks` or `skan_rejects`, also where
  /// it takes several runs, as some were cut short.
  package func run(
    into tables: Tables,
    progress: (Tables.Progress) -> Void = { _ in },
    committed: (Tables.Commit) -> Void = { _ in }
  ) async throws(PipelineFailure) -> Tally {
    try await run(InputList(inputs), into: tables, progress: progress, committed: committed)
  }

  /// Runs to the end of what a source has; see `Tables.write` for when who is called.
  package func run(
    _ source: any InputSource,
    into tables: Tables,
    progress: (Tables.Progress) -> Void = { _ in },
    committed: (Tables.Commit) -> Void = { _ in },
    idle: () throws(PipelineFailure) -> Void = {}
  ) async throws(PipelineFailure) -> Tally {
    let reader = PostbackReader(source, tables.state.register, limits: limits, passesFailures: passesFailures)
    return try await run(records: reader, into: tables, progress: progress, committed: committed, idle: idle)
  }

  /// Runs to the end of records, wherever they come from.
  package func run<Records: AsyncSequence>(
    records: Records,
    into tables: Tables,
    progress: (Tables.Progress) -> Void = { _ in },
    committed: (Tables.Commit) -> Void = { _ in },
    idle: () throws(PipelineFailure) -> Void = {}
  ) async throws(PipelineFailure) -> Tally
  where Records.Element == RawBatch, Records.Failure == PipelineFailure {
    let (receivedAt, trust, models, format, known) = (receivedAt, trust, models, tables.format, VerdictCache())
    let rows =
      records
      .concurrently(jobs) { batch throws(LibcryptoFailure) in
        try batch.parsed(receivedAt: receivedAt).verified(by: trust, known: known)
      }
      .deduplicated(in: tables.state.takeIndex())
      .concurrently(jobs) { batch throws(LibcryptoFailure) in
        try batch.decoded(with: models.value).encoded(as: format)
      }
    return try await tables.write(rows, progress: progress, committed: committed, idle: idle)
  }
}
