package import Analysis
internal import Base
internal import DurableFiles
package import JSON
package import PostbackPipeline
package import Signatures
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
  /// there is such a table. The copies among the rejects take memory of about twice `bufferBytes`.
  package init(
    accepted: TableFiles,
    rejects: TableFiles,
    settled: TableFiles? = nil,
    _ lookups: Lookups,
    as encoding: TableEncoding,
    into table: DerivedTable,
    jobs: Int,
    bufferBytes: Int = 64 << 20
  ) async throws(PipelineFailure) {
    func enriched(_ settled: SettledRows) async throws(PipelineFailure) -> (EnrichmentSummary, UnreadableRows)? {
      let copies = try await CopyCollector.inline(
        among: rejects,
        of: accepted,
        in: table.output,
        bufferBytes: bufferBytes,
        jobs: jobs
      )
      var summary = EnrichmentSummary()
      var unreadable = copies.unreadable
      var settled = settled
      var isMisaligned = false
      let enricher = Enricher(lookups, encoding)
      try await accepted.scan(jobs: jobs) { batch throws(PipelineFailure) in
        let rows = try await settled.next(beside: batch)
        return (try copies.join.next(batch.records.count), rows)
      } _: {
        enricher.enrich($0, $1.0, settled: $1.1)
      } take: { batch throws(PipelineFailure) in
        summary += batch.summary
        unreadable += batch.unreadable
        isMisaligned = isMisaligned || batch.isMisaligned
        guard !isMisaligned else { return }
        do throws(FileFailure) { try table.append(batch.rows) } catch { throw .state(error) }
      }
      summary.copies = copies.count
      return isMisaligned ? nil : (summary, unreadable)
    }
    var result = try await enriched(SettledRows(aligned: settled))
    if result == nil, let settled {
      // Rows were removed since the settlement, or lines are not rows.
      do throws(FileFailure) { try table.restart() } catch { throw .state(error) }
      result = try await enriched(try await SettledRows(byKey: settled, of: accepted, in: table.output, jobs: jobs))
    }
    let (summary, unreadable) = result ?? (EnrichmentSummary(), UnreadableRows())
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
  package var hexadecimal: String {
    var text: [UInt8] = []
    let bytes = bytes
    text.appendHexadecimal(bytes.span)
    return String(decoding: text, as: UTF8.self)
  }
}
