package import Analysis
internal import Base
internal import DurableFiles
package import JSON
package import PostbackPipeline
internal import Signatures
package import Tables

/// The enrichment of all accepted postbacks of an output with lookup tables.
package struct Enrichment: Sendable {
  /// The counts.
  package let summary: EnrichmentSummary
  /// The lines that are not rows, of which the first is named.
  package let unreadable: UnreadableRows
  /// The summary as a JSON object, also for the file beside the rows.
  package let json: JSONValue

  /// Writes `skan_enriched` from complete parts of `skan_postbacks` and `skan_rejects`. The copies among the rejects take
  /// memory of about twice `bufferBytes`.
  package init(
    accepted: TableFiles,
    rejects: TableFiles,
    _ lookups: Lookups,
    as encoding: TableEncoding,
    into table: DerivedTable,
    jobs: Int,
    bufferBytes: Int = 64 << 20
  ) async throws(PipelineFailure) {
    let copies = try await CopyCollector.inline(
      among: rejects,
      of: accepted,
      in: table.output,
      bufferBytes: bufferBytes,
      jobs: jobs
    )
    var summary = EnrichmentSummary()
    var unreadable = copies.unreadable
    let enricher = Enricher(lookups, encoding)
    try await accepted.scan(jobs: jobs) { batch throws(PipelineFailure) in
      try copies.join.next(batch.records.count)
    } _: {
      enricher.enrich($0, $1)
    } take: { batch throws(PipelineFailure) in
      summary += batch.summary
      unreadable += batch.unreadable
      do throws(FileFailure) { try table.append(batch.rows) } catch { throw .state(error) }
    }
    summary.copies = copies.count
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

extension Lookups {
  /// The digest in hexadecimal digits.
  package var hexadecimalDigest: String { digest.hexadecimal }
}

extension SHA256Digest {
  /// The digest in hexadecimal digits.
  var hexadecimal: String {
    var text: [UInt8] = []
    let bytes = bytes
    text.appendHexadecimal(bytes.span)
    return String(decoding: text, as: UTF8.self)
  }
}
