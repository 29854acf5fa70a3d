internal import ConversionModel
internal import DurableFiles
package import PostbackPipeline
internal import TableReading
package import Tables
package import DerivedTables
package import FraudSignals

/// The tests of all signals on some tables, which a later step on the same rows need not make again.
package struct KnownSignals: Sendable {
  /// The tests.
  package let report: SignalReport
  private let identity: [String]

  /// Makes the tests, unless `known` has those of the same rows. What a cache has is not counted again.
  package init(
    _ known: KnownSignals? = nil,
    of inputs: SignalInputs,
    jobs: Int,
    cache: PartCache? = nil
  ) async throws(PipelineFailure) {
    identity = try Self.identity(inputs)
    if let known, known.identity == identity {
      report = known.report
      return
    }
    if let cache {
      let counts = try await SignalCounts(
        try PartCalculation(lateAfterDays: inputs.lateAfterDays, since: inputs.since, in: cache),
        of: inputs,
        in: cache,
        jobs: jobs
      )
      report = await SignalReport(counts, inputs.models, since: inputs.since, jobs: jobs)
      return
    }
    report = try await SignalReport(RejectQuery(grouping: []), of: inputs, jobs: jobs)
  }

  /// Makes the tests, and has the rows that they read counted for another purpose too, as `SignalReport` does.
  package init<Count: Sendable>(
    of inputs: SignalInputs,
    jobs: Int,
    besideRejects: @escaping @Sendable (ParsedRows) -> Count,
    besideAccepted: @escaping @Sendable (ParsedRows) -> Count,
    take: (Count) -> Void
  ) async throws(PipelineFailure) {
    identity = try Self.identity(inputs)
    report = try await SignalReport(
      RejectQuery(grouping: []),
      of: inputs,
      jobs: jobs,
      besideRejects: besideRejects,
      besideAccepted: besideAccepted,
      take: take
    )
  }

  private static func identity(_ inputs: SignalInputs) throws(PipelineFailure) -> [String] {
    try PipelineFailure.state { () throws(FileFailure) in
      var texts = ["\(inputs.lateAfterDays) \(inputs.since ?? 0)"] + inputs.models.map { "\($0.appID) \($0.label)" }
      for case let files? in [inputs.rejects, inputs.accepted, inputs.settled, inputs.enriched] {
        texts += try files.divided().map(\.identity)
      }
      return texts
    }
  }
}
