package import ConversionModel

/// The columns of a cost file.
enum CostColumn: String, LookupColumn {
  case date
  case networkName = "network_name"
  case adNetworkID = "ad_network_id"
  case campaignID = "campaign_id"
  case adgroupID = "adgroup_id"
  case appID = "app_id"
  case country
  case currency
  case cost
  case impressions
  case clicks
  case networkInstalls = "network_installs"

  static let required = [date, campaignID, currency, cost]
}

/// The cost of a campaign, or of a part of it, on a day.
package struct CostRow: Sendable, Hashable {
  /// The day of the cost and the part of the campaign: all that two rows that are added up have in common.
  package struct Key: Sendable, Hashable {
    /// The day in UTC, as a number of days since 1970.
    package let day: Int64
    /// The name of the network, as a number of `Costs.texts`.
    let network: UInt32
    /// The id of the campaign, as a number of `Costs.texts`.
    let campaign: UInt32
    /// The id of the ad group, as a number of `Costs.texts`.
    let adgroup: UInt32
    /// The app; nil if the cost is not of one app.
    package let app: Int64?
    /// The country; nil if the cost is not of one country.
    package let country: Country?
    /// The currency, as a number of `Costs.texts`.
    let currency: UInt32
  }

  /// The day and the part of the campaign.
  package let key: Key
  /// The cost; negative only for credits.
  package var cost: Amount
  /// The counts of the network.
  package var counts: CostCounts
  /// Indicates that the lookup tables have the network.
  let isMapped: Bool
  /// The number of the first line of the row in the file.
  let line: Int
}

/// The numbers that a network counts itself.
package struct CostCounts: Sendable, Hashable {
  /// The number of times that ads were shown; nil if it is not known.
  package var impressions: Int64?
  /// The number of clicks; nil if it is not known.
  package var clicks: Int64?
  /// The number of installs; nil if it is not known.
  package var networkInstalls: Int64?

  /// The greatest count of a row: with a million rows, the sums are integers of 64 bits.
  static let greatest: Int64 = 1_000_000_000_000

  /// Adds counts; one that is known and one that is not are the known one.
  static func += (left: inout Self, right: Self) {
    func add(_ path: WritableKeyPath<Self, Int64?>) {
      if let value = right[keyPath: path] { left[keyPath: path] = (left[keyPath: path] ?? 0) + value }
    }
    add(\.impressions)
    add(\.clicks)
    add(\.networkInstalls)
  }
}
