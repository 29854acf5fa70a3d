internal import CampaignEnrichment
internal import CopySettlement
internal import DailyReports
internal import ImportedRows
internal import NullValueModelling
internal import SearchAds
internal import SearchAdsReports
package import Tables
internal import VendorReports

extension Table {
  /// The tables that are derived from those of a run.
  package static let derived = [
    enriched, settled, settledEvents, daily, dailyEvents, dailyValues, dailyChanges, modelled,
    searchAdsAttributions, searchAdsDaily, imported, vendorDaily,
  ]
}
