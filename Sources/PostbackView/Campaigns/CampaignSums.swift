internal import ConversionModel
internal import DailyReports
internal import Reporting

/// The sums of some rows of `skan_daily`.
struct CampaignSums: Sendable {
  /// The counts in the order of `DailyStore.countNames`; -1 is null.
  private var counts = [Int64](repeating: -1, count: DailyStore.countNames.count)
  private var amounts = [Amount?](repeating: nil, count: DailyStore.amountNames.count)
  /// The modelled revenue of null postbacks, over the rows that have it.
  private var nullRevenue: (estimate: Amount, low: Amount, high: Amount)?
  /// The number of nulls in these rows.
  private var modelledNulls: Int64 = 0
  /// The place of the least complete state in `DailyStore.stateWords`; -1 if there is none.
  private(set) var state: Int8 = -1
  /// The least expected share in millionths; -1 if there is none.
  private(set) var share: Int32 = -1

  /// Indicates that there are more than revenues of all windows of rows of other windows.
  private(set) var isOfWindow = false
  /// The amounts that are not known, because those of a row are not.
  private var unknown: UnknownAmounts = []
  /// The amounts in other currencies.
  private(set) var others = OtherAmounts()

  /// Adds a row of a table. Of a row of another window than the given one only the revenue of all windows is added.
  mutating func add(_ row: Int, of store: DailyStore, window: Int?) {
    guard store.isOf(window, row) else {
      addAmount(DailyStore.allWindowsPlace, row, of: store)
      return unknown.formUnion(store.unknown[row].intersection(.allWindows))
    }
    isOfWindow = true
    for index in counts.indices {
      let count = store.counts[index][row]
      if count >= 0 { counts[index] = max(counts[index], 0) + count }
    }
    for place in amounts.indices { addAmount(place, row, of: store) }
    if let modelled = store.amounts[Self.modelledPlace][row] {
      let revenue = store.amounts[0][row] ?? .zero
      let (least, closed) = (store.amounts[1][row] ?? .zero, store.amounts[2][row] ?? .zero)
      let (low, high) = (store.amounts[Self.modelledPlace + 1][row], store.amounts[Self.modelledPlace + 2][row])
      let most = max(closed, revenue)
      let before = nullRevenue ?? (.zero, .zero, .zero)
      nullRevenue = (
        before.estimate + (modelled - revenue), before.low + ((low ?? least) - least),
        before.high + ((high ?? most) - most)
      )
      modelledNulls += max(store.counts[Self.nullsPlace][row], 0)
    }
    unknown.formUnion(store.unknown[row])
    for other in store.others(of: row) {
      if other.isCost {
        others.add(cost: other.amount, other.currency)
      } else {
        others.add(revenue: other.amount, other.currency)
      }
    }
    let state = store.states[row]
    if state >= 0 { self.state = self.state < 0 ? state : min(self.state, state) }
    let share = store.shares[row]
    if share >= 0 { self.share = self.share < 0 ? share : min(self.share, share) }
  }

  private mutating func addAmount(_ place: Int, _ row: Int, of store: DailyStore) {
    if let amount = store.amounts[place][row] { amounts[place] = (amounts[place] ?? .zero) + amount }
  }

  private static let modelledPlace = 4
  private static let nullsPlace = DailyStore.countNames.firstIndex(of: "nulls") ?? 0

  private static let countPlaces = Dictionary(
    uniqueKeysWithValues: DailyStore.countNames.enumerated().map { ($1, $0) }
  )
  private static let amountPlaces = Dictionary(
    uniqueKeysWithValues: DailyStore.amountNames.enumerated().map { ($1, $0) }
  )

  /// The sum of a column of counts; nil if it is null in all rows.
  func count(_ name: String) -> Int64? {
    Self.countPlaces[name].flatMap { counts[$0] < 0 ? nil : counts[$0] }
  }

  /// The sum of a column of amounts; nil if it is null in all rows, or not known of one.
  func amount(_ name: String) -> Amount? {
    let needed: UnknownAmounts =
      switch name {
      case "cost": .cost
      case "revenue": .revenue
      case "revenue_all_windows": .allWindows
      default: .limits
      }
    return unknown.contains(needed) ? nil : Self.amountPlaces[name].flatMap { amounts[$0] }
  }

  /// The number of nulls that have no estimate in `modelled`, and of all nulls; nil if nothing is modelled.
  var unmodelledNulls: (missing: Int64, all: Int64)? {
    modelled.flatMap { _ in count("nulls").map { ($0 - modelledNulls, $0) } }
  }

  /// The revenue with an estimate for nulls, and its interval; nil if nothing is modelled. The ends of the intervals are added,
  /// so that the interval of a sum is rather too wide than too narrow.
  var modelled: (estimate: Amount, low: Amount, high: Amount?)? {
    guard let nullRevenue, !unknown.contains(.limits) else { return nil }
    let revenue = amount("revenue") ?? .zero
    let high = max(amount("revenue_max_closed") ?? .zero, revenue) + nullRevenue.high
    // Nulls that are not modelled and values without an upper limit may be worth anything.
    let isOpen = (count("revenue_max_open") ?? 0) > 0 || (count("nulls") ?? 0) > modelledNulls
    return (revenue + nullRevenue.estimate, (amount("revenue_min") ?? .zero) + nullRevenue.low, isOpen ? nil : high)
  }

  /// Indicates that there is a cost, also one that is not known.
  var hasCost: Bool { amount("cost") ?? .zero != .zero || unknown.contains(.cost) || others.costRows > 0 }

  /// The cost for ratios; nil if there is none above 0, or if it has a part in another currency.
  var cost: Amount? { others.costRows > 0 ? nil : amount("cost").flatMap { $0 > .zero ? $0 : nil } }

  /// Returns an amount by the cost; nil without one, and if any revenue or cost is in another currency.
  func overCost(_ amount: Amount?) -> Amount? {
    guard others.rows == 0, let amount, let cost else { return nil }
    return .quotient(amount, by: cost)
  }
}

/// The sums of the rows of a period, and of those that are of campaigns with a cost.
struct PeriodSums: Sendable {
  /// The sums of all rows.
  private(set) var all = CampaignSums()
  /// The sums of the rows of campaigns with a cost. Ratios to the cost are of these alone: no cost bought the others.
  private(set) var priced = CampaignSums()
  /// The installs of campaigns without a cost.
  var unpricedInstalls: Int64 { (all.count("installs") ?? 0) - (priced.count("installs") ?? 0) }

  /// Adds a row of a table, of a campaign with a cost or not.
  mutating func add(_ row: Int, of store: DailyStore, window: Int?, isPriced: Bool) {
    all.add(row, of: store, window: window)
    if isPriced { priced.add(row, of: store, window: window) }
  }

  /// The value of a column.
  subscript(column: CampaignColumn) -> CampaignColumn.Value { column.value(column.kind == .ratio ? priced : all) }
}

/// The campaigns that have a cost in a period: in all rows, which are the group `[]`, and in each group of rows. Their network and
/// their id tell them apart, as far as the table has these.
struct PricedCampaigns: Sendable {
  private let places: [Int]
  private var campaigns: Set<[Int32]> = []

  /// No campaign of a table.
  init(_ store: DailyStore) {
    places = store.dimensions.indices.filter { [.networkName, .campaignID].contains(store.dimensions[$0]) }
  }

  /// Adds the campaign of a row with a cost.
  mutating func insert(_ row: Int, of store: DailyStore, in group: [Int32]) {
    campaigns.insert(key(row, store, []))
    campaigns.insert(key(row, store, group))
  }

  /// Tells if the campaign of a row has a cost in a group.
  func contains(_ row: Int, of store: DailyStore, in group: [Int32] = []) -> Bool {
    !campaigns.isEmpty && campaigns.contains(key(row, store, group))
  }

  private func key(_ row: Int, _ store: DailyStore, _ group: [Int32]) -> [Int32] {
    places.map { store.codes[$0][row] } + group
  }
}
