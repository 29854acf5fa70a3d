internal import CampaignEnrichment
internal import LookupTables

extension DailyRow {
  /// The rows of an install day with their costs, with rows for costs without postbacks, and with the revenue of all
  /// windows in the first row of each group. Rows and costs are in the order of the daily tables, and so is the result.
  static func installDay(_ rows: [DailyRow], _ costs: [DailyCosts.Entry], _ lookups: Lookups) -> [DailyRow] {
    merging(rows, costs, lookups).addingRevenueOfAllWindows()
  }

  private static func merging(_ rows: [DailyRow], _ costs: [DailyCosts.Entry], _ lookups: Lookups) -> [DailyRow] {
    guard !costs.isEmpty else { return rows }
    var merged: [DailyRow] = []
    merged.reserveCapacity(rows.count + costs.count)
    var rest = costs[...]
    for var row in rows {
      while let entry = rest.first, entry.group < row.group {
        merged.append(DailyRow(entry, lookups))
        rest.removeFirst()
      }
      if let entry = rest.first, entry.group == row.group, entry.cost.level == .row {
        row.cost = entry.cost
        rest.removeFirst()
      }
      merged.append(row)
    }
    return merged + rest.map { DailyRow($0, lookups) }
  }

  /// A row with a cost and without postbacks.
  private init(_ entry: DailyCosts.Entry, _ lookups: Lookups) {
    self.init(group: entry.group, names: [String?](repeating: nil, count: DailyName.allCases.count))
    if group[.networkName] != nil { names[DailyName.networkStatus.rawValue] = entry.status.rawValue }
    if let app = group[.appID].flatMap({ Int64($0) }) { names[DailyName.app.rawValue] = lookups.apps[app]?.name }
    cost = entry.cost
  }
}

extension [DailyRow] {
  fileprivate func addingRevenueOfAllWindows() -> [DailyRow] {
    var rows = self
    var places: [[String?]: [Int]] = [:]
    for place in indices where self[place].cost?.level != .parent {
      places[self[place].group.values, default: []].append(place)
    }
    for group in places.values {
      guard let first = group.first else { continue }
      let whole = group.reduce(into: AllWindowsRevenue()) { if let part = self[$1].allWindows { $0 += part } }
      for place in group { rows[place].allWindows = nil }
      rows[first].allWindows = whole
    }
    return rows
  }
}
