internal import JSON
internal import Reporting

extension BusinessSection {
  /// The sums from which the page's script draws the figures and fills the tables, for all and for a choice of the filters. If
  /// there are too many, they are sums by campaign and by day, and the page has no filters for them.
  var data: JSONValue {
    let isFiltered = business.cells.count <= mostCells
    let ofCampaigns =
      isFiltered ? business.cells : business.sums { $0.keeping(network: $0.network, campaign: $0.campaign) }
    let ofDays = isFiltered ? nil : business.sums { $0.keeping(day: $0.day) }
    let apps = Set(business.cells.keys.map(\.app)).sorted { ($0 ?? "") < ($1 ?? "") }
    let networks = Set(business.cells.keys.map(\.network)).sorted { ($0 ?? "") < ($1 ?? "") }
    let campaigns = campaigns
    let appPlaces = Dictionary(uniqueKeysWithValues: apps.enumerated().map { ($1, $0) })
    let networkPlaces = Dictionary(uniqueKeysWithValues: networks.enumerated().map { ($1, $0) })
    let campaignPlaces = Dictionary(
      uniqueKeysWithValues: campaigns.enumerated().map { ([$1.network, $1.campaign], $0) }
    )
    func number(_ number: Int?) -> JSONValue { number.map { .number("\($0)") } ?? .null }
    func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .shown($0) }) }
    func list(_ cells: [BusinessReport.Key: BusinessReport.Sums]) -> JSONValue {
      let cells = cells.map { key, sums -> (order: [Int], json: JSONValue) in
        let places = [
          key.day ?? -1, appPlaces[key.app] ?? 0, networkPlaces[key.network] ?? 0,
          campaignPlaces[[key.network, key.campaign]] ?? 0,
        ]
        let amounts = [
          sums.revenue, sums.minimum, sums.closedMaximum, sums.allWindows, sums.nullRevenue?.estimate,
          sums.nullRevenue?.low, sums.nullRevenue?.high,
        ]
        let counts = [
          sums.installs, sums.values, sums.nulls, sums.openEnded, sums.modelledNulls, sums.unpriced, sums.revenueRows,
          sums.others.rows, sums.others.costRows,
        ]
        // Amounts that are not known are null.
        let all = amounts + [sums.cost, sums.confirmedOfAll]
        let json =
          [number(key.day)] + (places.dropFirst() + counts).map { .integer($0) }
          + all.map { amount in amount.map { .string("\($0)") } ?? .null }
        return (places, .array(json))
      }
      return .array(cells.sorted { $0.order.lexicographicallyPrecedes($1.order) }.map(\.json))
    }
    return .object([
      .init("currency", .text(business.currency)),
      .init(
        "judgements",
        .object(CampaignJudgement.allCases.map { .init($0.rawValue, .string($0.words)) })
      ),
      .init("days", .integers(days)),
      .init("status", .object(business.status.sorted { $0.key < $1.key }.map { .init("\($0)", .string($1.rawValue)) })),
      .init(
        "expected",
        .object(business.expectedShare.sorted { $0.key < $1.key }.map { .init("\($0)", .string("\($1)")) })
      ),
      .init("appIDs", texts(apps.map { $0 ?? "" })),
      .init("networks", texts(networks.map { $0 ?? "all networks" })),
      .init("campaigns", .array(campaigns.map { texts([$0.label, $0.campaign ?? "", $0.suspicions]) })),
      .init("cells", list(ofCampaigns)),
      .init("dayCells", ofDays.map(list) ?? .null),
    ])
  }
}

extension BusinessReport.Key {
  /// The key of a larger sum, which has only these properties.
  fileprivate func keeping(day: Int? = nil, network: String? = nil, campaign: String? = nil) -> Self {
    var key = self
    (key.day, key.app, key.network, key.campaign) = (day, nil, network, campaign)
    return key
  }
}
