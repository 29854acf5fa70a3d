package import Analysis
package import ConversionModel
internal import DurableFiles
internal import JSON
package import PostbackPipeline
internal import Signatures
package import Tables

/// The settings of a settlement.
package struct SettlementSettings: Sendable {
  /// The longest time in hours by which a device's own copy may come after a forwarder's and still count.
  package var graceHours = 48
  /// The first day of first receipt that the summary counts, in days since 1970-01-01; nil for no limit.
  package var since: Int64?
  /// The day after the last one that the summary counts; nil for no limit.
  package var until: Int64?
  /// The number of bytes of copies that are held in memory at a time, about.
  package var bufferBytes = 64 << 20

  /// The usual settings.
  package init() {}
}

/// The settlement of all accepted postbacks of an output with their copies.
package struct Settlement: Sendable {
  /// The summary.
  package let summary: SettlementSummary
  /// The lines that are not rows, of which the first is named.
  package let unreadable: UnreadableRows

  /// Writes `skan_settled` and `skan_settled_events` from complete parts of `skan_postbacks` and `skan_rejects`.
  package init(
    accepted: TableFiles,
    rejects: TableFiles,
    _ lookups: Lookups,
    _ models: Models,
    _ settings: SettlementSettings,
    as encoding: TableEncoding,
    into tables: (settled: DerivedTable, events: DerivedTable),
    jobs: Int
  ) async throws(PipelineFailure) {
    let modelsDigest: String
    do throws(LibcryptoFailure) { modelsDigest = try models.hexadecimalDigest() } catch { throw .libcrypto(error) }
    let collector = CopyCollector(in: tables.settled.output, bufferBytes: settings.bufferBytes)
    var unreadable = UnreadableRows()
    var unreadableBodies = 0
    let columns = RejectColumns()
    try await rejects.scan(jobs: jobs) {
      RejectedCopies($0, columns)
    } take: { batch throws(PipelineFailure) in
      try collector.add(batch.records)
      unreadable += batch.unreadable
      unreadableBodies += batch.unreadableBodies
    }
    let copyCount = collector.count
    let join = try await collector.join(
      accepted,
      jobs: jobs,
      contentStart: PostbackCopy.contentStart,
      PostbackCopy.merge
    )
    let days = (settings.since ?? .min)..<(settings.until ?? .max)
    let grace = Int64(settings.graceHours) * 3_600_000
    let settler = Settler(lookups, models, grace: grace, days: days, encoding)
    var counts = SettlementCounts()
    var written = (settled: 0, events: 0)
    try await accepted.scan(jobs: jobs) { batch throws(PipelineFailure) in
      try join.next(batch.records.count)
    } _: {
      settler.settle($0, $1)
    } take: { batch throws(PipelineFailure) in
      counts += batch.counts
      unreadable += batch.unreadable
      written.settled += batch.rows.count
      written.events += batch.events.count
      do throws(FileFailure) {
        try tables.settled.append(batch.rows)
        try tables.events.append(batch.events)
      } catch {
        throw .state(error)
      }
    }
    summary = SettlementSummary(
      counts,
      lookups,
      modelsDigest: modelsDigest,
      settings,
      rows: written,
      copies: copyCount,
      unreadableBodies: unreadableBodies,
      replacement: tables.settled.replacement
    )
    self.unreadable = unreadable
    let text = summary.json.description
    do throws(FileFailure) {
      try tables.settled.verifyReplacement(accepted: written.settled)
      try tables.events.complete(summary: text)
      try tables.settled.complete(summary: text)
    } catch {
      throw .state(error)
    }
  }
}
