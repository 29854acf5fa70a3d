internal import DurableFiles
package import PostbackPipeline
package import TableReading

/// The tests of all signals on some tables, which a later step on the same rows need not make again.
package struct KnownSignals: Sendable {
  /// The tests.
  package let report: SignalReport
  private let identity: [String]

  /// Makes the tests, unless `known` has those of the same rows. A copy is late as in `SignalReport`.
  package init(
    _ known: KnownSignals? = nil,
    rejects: TableFiles,
    accepted: TableFiles,
    enriched: TableFiles?,
    lateAfterDays days: Int,
    jobs: Int
  ) async throws(PipelineFailure) {
    let tables = [rejects, accepted] + (enriched.map { [$0] } ?? [])
    identity = try PipelineFailure.state { () throws(FileFailure) in
      var texts = ["\(days)"]
      for files in tables { texts += try files.divided().map(\.identity) }
      return texts
    }
    if let known, known.identity == identity {
      report = known.report
      return
    }
    report = try await SignalReport(
      RejectQuery(grouping: []),
      rejects: rejects,
      accepted: accepted,
      enriched: enriched,
      lateAfterDays: days,
      jobs: jobs
    )
  }
}
