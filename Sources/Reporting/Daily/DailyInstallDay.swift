package import ConversionModel
internal import Tables

/// The revenue of all conversion windows of the installs of a day.
package struct AllWindowsRevenue: Sendable, Equatable {
  /// The windows that are in a revenue.
  package enum Basis: String, CaseIterable, Sendable {
    /// That of window 0, because there is no other.
    case firstWindow = "window0"
    /// All, added up.
    case sum
    /// The last one, because values of a window include the earlier ones.
    case cumulative
  }

  /// The revenue; nil if there is none, or in several currencies.
  package let revenue: Amount?
  /// The currency of the revenue.
  package let currency: String?
  /// The windows in the revenue.
  package let basis: Basis

  /// The revenue of rows that differ in their windows alone, in the order of the windows.
  /// Nil if no value of them is decoded.
  init?(_ windows: [DailyMetrics], isFirst: Bool) {
    guard windows.contains(where: { $0.decoded > 0 }) else { return nil }
    let later = windows.dropFirst(isFirst ? 1 : 0).filter { $0.decoded > 0 }
    var revenue: [String: Amount] = [:]
    func add(_ metrics: DailyMetrics) {
      for (currency, amounts) in metrics.revenue { revenue[currency, default: .zero] += amounts.estimate }
    }
    if later.isEmpty, isFirst {
      basis = .firstWindow
      windows.first.map(add)
    } else if later.contains(where: { $0.cumulative > 0 }) {
      basis = .cumulative
      later.last.map(add)
    } else {
      basis = .sum
      windows.forEach(add)
    }
    let single = revenue.count == 1 ? revenue.first : nil
    (self.revenue, currency) = (single?.value, single?.key)
  }
}

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
      rows[first].allWindows = AllWindowsRevenue(group.map { self[$0].metrics }, isFirst: self[first].group.window == 0)
    }
    return rows
  }
}
