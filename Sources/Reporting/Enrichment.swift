package import CampaignEnrichment
internal import CopySettlement
package import DerivedTables
internal import DurableFiles
package import JSON
package import LookupTables
internal import PostbackCopies
package import PostbackPipeline
package import TableReading
package import Tables

/// The enrichment of all accepted postbacks of an output with lookup tables.
package struct Enrichment: Sendable {
  /// The counts.
  package let summary: EnrichmentSummary
  /// The lines that are not rows, of which the first is named.
  package let unreadable: UnreadableRows
  /// The summary as a JSON object, also for the file beside the rows.
  package let json: JSONValue

  /// Writes `skan_enriched` from complete parts of `skan_postbacks` and `skan_rejects`, and with what `skan_settled` decided if
  /// there is such a table. What a cache has is not calculated again. The copies among the rejects take memory of about twice
  /// `bufferBytes`.
  package init(
    accepted: TableFiles,
    rejects: TableFiles,
    settled: TableFiles? = nil,
    _ lookups: Lookups,
    as encoding: TableEncoding,
    into table: DerivedTable,
    jobs: Int,
    bufferBytes: Int = 64 << 20,
    cache: PartCache? = nil
  ) async throws(PipelineFailure) {
    let cache = try PartCache.given(cache, or: .enriched, in: table.output)
    let copies = try await PartCopies(accepted, among: rejects, in: cache, jobs: jobs, bufferBytes: bufferBytes)
    var pass = PartPass(copies, jobs: jobs)
    pass.settled = try SettledFiles.byPart(settled, events: nil)
    pass.enrichment = try PartCalculation(lookups, encoding, in: cache)
    var summary = EnrichmentSummary()
    var unreadable = copies.unreadable
    try await pass.forEach { part, results throws(PipelineFailure) in
      guard let enriched = results.enriched else { return }
      summary += enriched.summary
      unreadable += enriched.unreadable
      try enriched.rows.add(to: table, number: part.number, from: cache)
    }
    summary.copies = copies.counts.copies + copies.counts.unreadableBodies
    self.summary = summary
    self.unreadable = unreadable
    json = .object(
      summary.members + [
        .init("lookup_digest", .string(lookups.hexadecimalDigest)),
        .init("warnings", .array(lookups.warnings.map { .string($0.description) })), table.replacement.member,
      ]
    )
    do throws(FileFailure) {
      try table.verifyReplacement(accepted: summary.total.total)
      try table.complete(summary: json.description)
    } catch {
      throw .state(error)
    }
  }
}

extension PartCalculation<Enricher> {
  init(_ lookups: Lookups, _ encoding: TableEncoding, in cache: PartCache) throws(PipelineFailure) {
    let calculation = Enricher(lookups, encoding)
    self.init(calculation, digest: try cache.digest([lookups.hexadecimalDigest, encoding.identity]))
  }
}
