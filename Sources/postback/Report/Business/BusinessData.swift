internal import ConversionModel
internal import JSON
internal import Reporting

extension BusinessSection {
  /// The most cells that the page has for its filters.
  private static let mostCells = 50_000

  static let installsUnit = "estimated day of the install, UTC; installs"

  var revenueUnit: String {
    "estimated day of the install, UTC; revenue of the first window, \(business.currency ?? "no currency")"
  }

  /// The sums from which the page's script draws the figures anew; nil if there are too many, so that the page has no
  /// filters.
  var data: JSONValue? {
    guard business.cells.count <= Self.mostCells else { return nil }
    let apps = Set(business.cells.keys.map(\.app)).sorted { ($0 ?? "") < ($1 ?? "") }
    let networks = Set(business.cells.keys.map(\.network)).sorted { ($0 ?? "") < ($1 ?? "") }
    let campaigns = campaigns
    let appPlaces = Dictionary(uniqueKeysWithValues: apps.enumerated().map { ($1, $0) })
    let networkPlaces = Dictionary(uniqueKeysWithValues: networks.enumerated().map { ($1, $0) })
    let campaignPlaces = Dictionary(
      uniqueKeysWithValues: campaigns.enumerated().map { ([$1.network, $1.campaign], $0) }
    )
    func number(_ number: Int?) -> JSONValue { number.map { .number("\($0)") } ?? .null }
    func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
    let cells = business.cells.map { key, sums -> (order: [Int], json: JSONValue) in
      let places = [
        key.day ?? -1, appPlaces[key.app] ?? 0, networkPlaces[key.network] ?? 0,
        campaignPlaces[[key.network, key.campaign]] ?? 0,
      ]
      let amounts = [
        sums.revenue, sums.minimum, sums.closedMaximum, sums.allWindows, sums.nullRevenue.estimate,
        sums.nullRevenue.low,
        sums.nullRevenue.high, sums.confirmed ?? .zero,
      ]
      let counts = [sums.installs, sums.values, sums.nulls, sums.openEnded, sums.modelledNulls]
      let cost: JSONValue = sums.cost.map { .string("\($0)") } ?? .null
      let json =
        [number(key.day)] + places.dropFirst().map(number) + counts.map(number) + [cost]
        + amounts.map { .string("\($0)") }
      return (places, .array(json))
    }
    return .object([
      .init("currency", business.currency.map { .string($0) } ?? .null),
      .init("isConfirmed", .bool(business.total.confirmed != nil)),
      .init("installsUnit", .string(Self.installsUnit)),
      .init("revenueUnit", .string(revenueUnit)),
      .init("days", .array(days.map { number($0) })),
      .init("status", .object(business.status.sorted { $0.key < $1.key }.map { .init("\($0)", .string($1.rawValue)) })),
      .init(
        "expected",
        .object(business.expectedShare.sorted { $0.key < $1.key }.map { .init("\($0)", .string("\($1)")) })
      ),
      .init("apps", texts(apps.map { id in id.map { business.appNames[$0] ?? $0 } ?? "all apps" })),
      .init("appIDs", texts(apps.map { $0 ?? "" })),
      .init("networks", texts(networks.map { $0 ?? "all networks" })),
      .init("campaigns", .array(campaigns.map { texts([$0.label, $0.campaign ?? "", $0.suspicions]) })),
      .init("cells", .array(cells.sorted { $0.order.lexicographicallyPrecedes($1.order) }.map(\.json))),
    ])
  }
}
