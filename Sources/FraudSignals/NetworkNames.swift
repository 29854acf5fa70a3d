internal import CampaignEnrichment
internal import LookupTables
package import PostbackPipeline
package import TableReading
internal import Tables

extension SignalReport {
  /// Returns the names that the tests have for the networks of the accepted postbacks that meet the conditions: those of
  /// `skan_enriched`, or else what `name(ofNetwork:)` returns.
  package static func networkNames(
    _ query: RejectQuery,
    accepted: TableFiles,
    enriched: TableFiles?,
    jobs: Int
  ) async throws(PipelineFailure) -> Set<String> {
    let filter = RowFilter(query.sharedConditions, during: query.span, in: .postbacks)
    let (columns, enrichedColumns) = (PostbackColumns(), EnrichedColumns())
    var names: Set<String> = []
    var isMisaligned = false
    var enrichedRows = enriched.map { AlignedRows($0) }
    try await accepted.scan(jobs: jobs) { batch throws(PipelineFailure) in
      try await enrichedRows?.next(beside: batch)
    } _: { batch, beside -> (names: Set<String>, isMisaligned: Bool) in
      var names: Set<String> = []
      var row = RowCursor(batch, of: .postbacks)
      var enriched = RowCursor(beside ?? RawBatch(bytesToAdd: 0), of: .enriched)
      while row.next() {
        let hasEnriched = enriched.next()
        if hasEnriched, enriched.key(enrichedColumns.key) != row.key(columns.key) { return ([], true) }
        guard filter.matches(row), let id = row.text(columns.adNetworkID) else { continue }
        names.insert((hasEnriched ? enriched.text(enrichedColumns.network) : nil) ?? id.networkStem)
      }
      return (names, false)
    } take: { part in
      isMisaligned = isMisaligned || part.isMisaligned
      names.formUnion(part.names.prefix(mostNames - min(mostNames, names.count)))
    }
    // The tests do not use a table that is of other postbacks.
    guard isMisaligned else { return names }
    return try await networkNames(query, accepted: accepted, enriched: nil, jobs: jobs)
  }

  /// Returns the name that the tests have for the network with this id, if it is in no lookup table.
  package static func name(ofNetwork id: String) -> String { id.networkStem }

  /// The maximum number of names; far more than a dispute is about.
  private static let mostNames = 10_000
}
