package import NullValueModelling
internal import PostbackPipeline
package import SearchAdsReports
package import TableReading
package import VendorReports

/// The files that a daily report reads.
package struct DailyInputs: Sendable {
  /// The accepted postbacks.
  package let accepted: TableFiles
  package let events: TableFiles
  package let rejects: TableFiles
  /// The costs; nil if there are none.
  package var costs: Costs?
  /// The currency of all amounts that can be converted to it; nil if they stay in their own.
  package var currency: ReportCurrency?
  /// The attributions of Apple Search Ads; nil if there are none.
  package var searchAds: SearchAdsDaily?
  /// The comparison of vendors' exports with the postbacks; nil if no export was imported.
  package var vendors: VendorComparison?
  /// The parties whose values a suspicion is about.
  package var suspicions = ValueSuspicions()
  /// The models that decoded the rows.
  package var models = ModelMeanings([])
  /// The values that count where copies were compared; nil if they were not.
  package let settled: DailySettledInputs?

  /// The complete parts of the tables of a run, and the values that count where copies were compared.
  package init(
    accepted: TableFiles,
    events: TableFiles,
    rejects: TableFiles,
    settled: DailySettledInputs? = nil
  ) {
    (self.accepted, self.events, self.rejects, self.settled) = (accepted, events, rejects, settled)
  }
}

extension DailyInputs {
  /// The number of bytes of the tables of postbacks and of rejects.
  var byteCount: Int64 { (accepted.inputs + rejects.inputs).reduce(0) { $0 + ($1.byteCount ?? 0) } }

  /// The number of bytes of the table of postbacks.
  var acceptedByteCount: Int64 { accepted.inputs.reduce(0) { $0 + ($1.byteCount ?? 0) } }
}
