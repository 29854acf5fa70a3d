package import ConversionModel
package import LookupTables

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

/// The cost of a campaign, or of a part of it, on a day. A file may have a million, so that they take little memory.
package struct CostRow: Sendable, Hashable {
  /// The day of the cost and the part of the campaign: all that two rows that are added up have in common.
  package struct Key: Sendable, Hashable {
    /// The app; 0 for none.
    private let appOrZero: Int64
    private let shortDay: Int32
    /// The name of the network, as a number of `Costs.texts`.
    let network: UInt32
    /// The id of the campaign, as a number of `Costs.texts`.
    let campaign: UInt32
    /// The id of the ad group, as a number of `Costs.texts`.
    let adgroup: UInt32
    /// The currency, as a number of `Costs.texts`.
    let currency: UInt32
    /// The country; nil if the cost is not of one country.
    package let country: Country?

    /// The day in UTC, as a number of days since 1970.
    package var day: Int64 { Int64(shortDay) }
    /// The app; nil if the cost is not of one app.
    package var app: Int64? { appOrZero == 0 ? nil : appOrZero }

    /// The key with these values. The app is not 0.
    init(
      day: Int64,
      network: UInt32,
      campaign: UInt32,
      adgroup: UInt32,
      app: Int64?,
      country: Country?,
      currency: UInt32
    ) {
      appOrZero = app ?? 0
      // Dates have years of four digits.
      shortDay = Int32(day)
      (self.network, self.campaign, self.adgroup, self.currency) = (network, campaign, adgroup, currency)
      self.country = country
    }
  }

  /// The day and the part of the campaign.
  package let key: Key
  /// Indicates that the lookup tables have the network.
  let isMapped: Bool
  /// The cost; negative only for credits.
  package var cost: Amount
  /// The counts of the network.
  package var counts: CostCounts
  /// The number of the first line of the row in the file.
  let line: UInt32
}

/// The numbers that a network counts itself.
package struct CostCounts: Sendable, Hashable {
  /// The number of times that ads were shown; nil if it is not known.
  package var impressions: Int64? { Self.known(impressionsOrNone) }
  /// The number of clicks; nil if it is not known.
  package var clicks: Int64? { Self.known(clicksOrNone) }
  /// The number of installs; nil if it is not known.
  package var networkInstalls: Int64? { Self.known(installsOrNone) }

  private var impressionsOrNone: Int64
  private var clicksOrNone: Int64
  private var installsOrNone: Int64

  /// The greatest count of a row: with a million rows, the sums are integers of 64 bits.
  static let greatest: Int64 = 1_000_000_000_000

  private static let none: Int64 = -1

  /// The counts, of which none is negative.
  package init(impressions: Int64? = nil, clicks: Int64? = nil, networkInstalls: Int64? = nil) {
    impressionsOrNone = impressions ?? Self.none
    clicksOrNone = clicks ?? Self.none
    installsOrNone = networkInstalls ?? Self.none
  }

  private static func known(_ count: Int64) -> Int64? { count == none ? nil : count }

  /// Adds counts; one that is known and one that is not are the known one.
  static func += (left: inout Self, right: Self) {
    func add(_ count: inout Int64, _ other: Int64) {
      if other != none { count = count == none ? other : count + other }
    }
    add(&left.impressionsOrNone, right.impressionsOrNone)
    add(&left.clicksOrNone, right.clicksOrNone)
    add(&left.installsOrNone, right.installsOrNone)
  }
}
