package import ConversionModel
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
  /// What conversion values mean.
  package var models = Models.none
  /// How many batches are worked on at once.
  package var jobs = 1

  /// A flow with one job, no models, and the limits that are usual.
  package init(inputs: [InputFile], trust: Trust) {
    self.inputs = inputs
    self.trust = trust
  }

  /// Runs to the end of the inputs. Every record ends in exactly one row of `skan_postbacks` or `skan_rejects`.
  package func run(
    into tables: Tables,
    progress: (Tables.Progress) -> Void = { _ in }
  ) async throws(PipelineFailure) -> Tally {
    let (receivedAt, trust, models, format, known) = (receivedAt, trust, models, tables.format, VerdictCache())
    let rows = PostbackReader(inputs: inputs, limits: limits)
      .concurrently(jobs) { batch throws(LibcryptoFailure) in
        try batch.parsed(receivedAt: receivedAt).verified(by: trust, known: known)
      }
      .deduplicated(in: TransactionIndex())
      .concurrently(jobs) { batch throws(LibcryptoFailure) in try batch.decoded(with: models).encoded(as: format) }
    return try await tables.write(rows, progress: progress)
  }
}
