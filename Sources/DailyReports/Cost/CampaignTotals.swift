package import ConversionModel

/// The sums of a campaign over the install days of a daily report, in which costs meet installs and revenue.
package struct CampaignTotals: Sendable {
  /// The name of the network and the id of the campaign; nil where there is none, or the report is not grouped by it.
  package struct Key: Hashable, Sendable {
    /// The name of the network.
    package let network: String?
    /// The id of the campaign.
    package let campaign: String?
  }

  /// The campaign.
  package let key: Key
  /// The name of the campaign; nil if none is known.
  package private(set) var name: String?
  /// The cost by currency.
  package var cost: [String: Amount] { total.amounts }
  private var total = DailyCost(level: .row)
  /// The sums over the postbacks of window 0; empty if there are none, so that a campaign with costs alone takes little
  /// memory.
  private var sums: [DailyMetrics] = []

  init(_ key: Key) { self.key = key }

  /// Adds a row of the first window.
  mutating func add(_ row: DailyRow) {
    name = name ?? row.names[DailyName.campaign.rawValue]
    if let cost = row.cost { total += cost }
    guard row.metrics != DailyMetrics() else { return }
    if sums.isEmpty { sums = [row.metrics] } else { sums[0] += row.metrics }
  }

  /// The sums over the postbacks of window 0.
  package var metrics: DailyMetrics { sums.first ?? DailyMetrics() }

  /// The cost and its currency; nil if there is none, or in several currencies, or not in that of the report.
  package var singleCost: (currency: String, cost: Amount)? { total.single }

  /// The ratios of the sums.
  package var ratios: CostRatios { CostRatios(CostRatios.Parts(metrics, singleCost)) }
}

/// The sums of the campaigns of a report, by network and id.
struct CostedCampaigns: Sendable {
  private var campaigns: [CampaignTotals.Key: CampaignTotals] = [:]

  /// Adds a row of the daily tables; only those of install dates and of window 0 count.
  mutating func add(_ row: DailyRow) {
    guard row.group.dateType == .install, row.group.window == 0 else { return }
    let key = CampaignTotals.Key(network: row.group[.networkName], campaign: row.group[.campaignID])
    campaigns[key, default: CampaignTotals(key)].add(row)
  }

  /// The campaigns with a cost, those with the highest first.
  var byCost: [CampaignTotals] {
    func most(_ totals: CampaignTotals) -> Amount { totals.cost.values.max() ?? .zero }
    func name(_ totals: CampaignTotals) -> [String] { [totals.key.network ?? "", totals.key.campaign ?? ""] }
    return campaigns.values.filter { !$0.cost.isEmpty }.sorted {
      let (one, other) = (most($0), most($1))
      return one == other ? name($0).lexicographicallyPrecedes(name($1)) : one > other
    }
  }
}
