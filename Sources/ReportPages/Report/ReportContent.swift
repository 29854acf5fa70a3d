package import Analysis
package import FraudSignals
package import Reporting
package import SearchAdsReports
package import VendorReports

/// The content of a report's page, as it was read. The page says of what is absent how to make it.
package struct ReportContent {
  /// The outcomes, the senders and the sample of rejects.
  package let report: RejectReport
  /// The tests of accepted postbacks and of copies.
  package let signals: SignalReport
  /// The paths of the tables that the report covers, as they were given.
  package let paths: [String]
  /// The installs, revenue and costs; nil if there is no daily report.
  package var business: BusinessReport?
  /// The revenue of null postbacks; nil if the output does not have it.
  package var nullRevenue: [NullRevenueTotal]?
  /// The comparison of forwarders with devices; nil without `skan_settled`.
  package var forwarders: [ForwarderAgreement]?
  /// The values that forwarders sent; nil without `skan_settled`.
  package var forwarded: [ForwardedValues]?
  /// The change of the decoded revenue by the settlement of copies; nil if there is none.
  package var settled: SettledRevenue?
  /// The diagnoses of the sampled rejects, and the groups of related ones among all; nil unless `--diagnose` is given.
  package var diagnosis: (rejects: [DiagnosedReject], related: RelatedRejects)?
  /// The installs of Apple Search Ads; nil if there are no attributions.
  package var searchAds: SearchAdsBreakdown?
  /// The installs of Apple Search Ads beside the postbacks of Apple Ads; empty without a daily report.
  package var placements: [SearchAdsPlacement] = []
  /// The counts of vendors' exports beside those of what Apple signed; nil if no export was imported.
  package var vendors: (reports: [VendorReport], breakdowns: [VendorBreakdown])?
  /// The findings about the app's implementation; nil unless `--implementation` is given.
  package var implementation: ImplementationSection?
}
