package import ConversionModel
internal import DurableFiles
package import PostbackPipeline
package import TableReading
package import Tables
package import DerivedTables
package import FraudSignals

/// The tests of all signals on some tables, which a later step on the same rows need not make again.
package struct KnownSignals: Sendable {
  /// The tests.
  package let report: SignalReport
  private let identity: [String]

  /// Makes the tests, unless `known` has those of the same rows. A copy is late as in `SignalReport`. What a cache has is not
  /// counted again.
  package init(
    _ known: KnownSignals? = nil,
    rejects: TableFiles,
    accepted: TableFiles,
    settled: TableFiles?,
    enriched: TableFiles?,
    models: [ConversionModel],
    lateAfterDays days: Int,
    jobs: Int,
    cache: PartCache? = nil
  ) async throws(PipelineFailure) {
    identity = try Self.identity([rejects, accepted, settled, enriched], models, lateAfterDays: days)
    if let known, known.identity == identity {
      report = known.report
      return
    }
    if let cache {
      let counts = try await SignalCounts(
        try PartCalculation(lateAfterDays: days, in: cache),
        accepted: accepted,
        rejects: rejects,
        settled: settled,
        enriched: enriched,
        in: cache,
        jobs: jobs
      )
      report = await SignalReport(counts, models, jobs: jobs)
      return
    }
    report = try await SignalReport(
      RejectQuery(grouping: []),
      rejects: rejects,
      accepted: accepted,
      settled: settled,
      enriched: enriched,
      models: models,
      lateAfterDays: days,
      jobs: jobs
    )
  }

  /// Makes the tests, and has the rows that they read counted for another purpose too, as `SignalReport` does.
  package init<Count: Sendable>(
    rejects: TableFiles,
    accepted: TableFiles,
    settled: TableFiles?,
    enriched: TableFiles?,
    models: [ConversionModel],
    lateAfterDays days: Int,
    jobs: Int,
    besideRejects: @escaping @Sendable (ParsedRows) -> Count,
    besideAccepted: @escaping @Sendable (ParsedRows) -> Count,
    take: (Count) -> Void
  ) async throws(PipelineFailure) {
    identity = try Self.identity([rejects, accepted, settled, enriched], models, lateAfterDays: days)
    report = try await SignalReport(
      RejectQuery(grouping: []),
      rejects: rejects,
      accepted: accepted,
      settled: settled,
      enriched: enriched,
      models: models,
      lateAfterDays: days,
      jobs: jobs,
      besideRejects: besideRejects,
      besideAccepted: besideAccepted,
      take: take
    )
  }

  private static func identity(
    _ tables: [TableFiles?],
    _ models: [ConversionModel],
    lateAfterDays days: Int
  ) throws(PipelineFailure) -> [String] {
    try PipelineFailure.state { () throws(FileFailure) in
      var texts = ["\(days)"] + models.map { "\($0.appID) \($0.label)" }
      for case let files? in tables { texts += try files.divided().map(\.identity) }
      return texts
    }
  }
}
