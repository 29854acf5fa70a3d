package import ConversionModel
package import CopySettlement
package import DailyReports
package import DerivedTables
package import LookupTables
internal import PostbackCopies
package import PostbackPipeline
internal import Signatures
package import TableReading
package import Tables

/// The derived tables whose results for parts are calculated together.
package struct PartPreparation: Sendable {
  /// The lookup tables.
  package let lookups: Lookups
  /// The formats of the tables.
  package let encoding: TableEncoding
  /// The models and the settings of the settlement.
  package let models: Models
  package let settlement: SettlementSettings
  /// Indicates that `skan_enriched` is wanted.
  package var isEnriching = true
  /// The settings of the daily report; nil if none is wanted.
  package var daily: DailySettings?
  /// The number of days after which a copy is late for the signals; nil if no signals are wanted.
  package var lateAfterDays: Int?
  /// The first time of receipt of the rows that the signals are about; nil for all.
  package var signalsSince: Int64?

  /// Makes settings with the settlement and the enrichment.
  package init(_ lookups: Lookups, _ models: Models, _ settlement: SettlementSettings, as encoding: TableEncoding) {
    (self.lookups, self.models, self.settlement, self.encoding) = (lookups, models, settlement, encoding)
  }

  /// Adds missing results to a cache, with one reading of each part. `Settlement`, `Enrichment` and `Daily` with the same
  /// settings then find all in it, the last two if they are given the tables that the first one has written.
  package func fill(
    _ cache: PartCache,
    accepted: TableFiles,
    rejects: TableFiles,
    jobs: Int
  ) async throws(PipelineFailure) {
    let buffer = settlement.bufferBytes
    let copies = try await PartCopies(accepted, among: rejects, in: cache, jobs: jobs, bufferBytes: buffer)
    let digest = try PipelineFailure.libcrypto { () throws(LibcryptoFailure) in try models.hexadecimalDigest() }
    var pass = PartPass(copies, jobs: jobs)
    pass.settlement = try PartCalculation(lookups, models, digest, settlement, encoding, in: cache)
    if isEnriching { pass.enrichment = try PartCalculation(lookups, encoding, in: cache) }
    if let daily { pass.daily = try PartCalculation(lookups, daily, in: cache) }
    if let lateAfterDays {
      pass.signals = try PartCalculation(lateAfterDays: lateAfterDays, since: signalsSince, in: cache)
    }
    try await pass.forEach()
  }
}
