package import ConversionModel
package import CopySettlement
package import DerivedTables
internal import DurableFiles
internal import JSON
internal import Ledger
package import LookupTables
internal import PostbackCopies
package import PostbackPipeline
internal import Signatures
package import TableReading
package import Tables

/// The settlement of all accepted postbacks of an output with their copies.
package struct Settlement: Sendable {
  /// The summary.
  package let summary: SettlementSummary
  /// The lines that are not rows, of which the first is named.
  package let unreadable: UnreadableRows

  /// Writes `skan_settled` and `skan_settled_events` from complete parts of `skan_postbacks` and `skan_rejects`. What a cache has
  /// is not calculated again.
  package init(
    accepted: TableFiles,
    rejects: TableFiles,
    _ lookups: Lookups,
    _ models: Models,
    _ settings: SettlementSettings,
    as encoding: TableEncoding,
    into tables: (settled: DerivedTable, events: DerivedTable),
    jobs: Int,
    cache: PartCache? = nil
  ) async throws(PipelineFailure) {
    let cache = try PartCache.given(cache, or: .settled, in: tables.settled.output)
    let modelsDigest = try PipelineFailure.libcrypto { () throws(LibcryptoFailure) in try models.hexadecimalDigest() }
    let buffer = settings.bufferBytes
    let copies = try await PartCopies(accepted, among: rejects, in: cache, jobs: jobs, bufferBytes: buffer)
    var pass = PartPass(copies, jobs: jobs)
    pass.settlement = try PartCalculation(lookups, models, modelsDigest, settings, encoding, in: cache)
    var counts = SettlementCounts()
    var unreadable = copies.unreadable
    var written = (settled: 0, events: 0)
    try await pass.forEach { part, results throws(PipelineFailure) in
      guard let settled = results.settled else { return }
      counts += settled.counts()
      unreadable += settled.unreadable
      written.settled += settled.rows.count
      written.events += settled.events.count
      try settled.rows.add(to: tables.settled, number: part.number, from: cache)
      try settled.events.add(to: tables.events, number: part.number, from: cache)
    }
    summary = SettlementSummary(
      counts,
      lookups,
      modelsDigest: modelsDigest,
      settings,
      rows: written,
      copies: copies.counts.copies,
      unreadableBodies: copies.counts.unreadableBodies,
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

extension PartCalculation<Settler> {
  init(
    _ lookups: Lookups,
    _ models: Models,
    _ modelsDigest: String,
    _ settings: SettlementSettings,
    _ encoding: TableEncoding,
    in cache: PartCache
  ) throws(PipelineFailure) {
    let days = (settings.since ?? .min)..<(settings.until ?? .max)
    let calculation = Settler(lookups, models, grace: Int64(settings.graceHours) * 3_600_000, days: days, encoding)
    self.init(
      calculation,
      digest: try cache.digest([
        lookups.hexadecimalDigest, modelsDigest, "\(settings.graceHours) \(days)", encoding.identity,
      ])
    )
  }
}

extension TableEncoding {
  /// A text that is another one for each encoding.
  var identity: String { "\(formats.map(\.rawValue).sorted()) \(isCSVSafe)" }
}
