internal import CampaignEnrichment
package import ConversionModel
internal import JSON
internal import LookupTables

/// The cost of a row of a daily report.
package struct DailyCost: Sendable, Equatable {
  /// The relation of a cost to the row that has it.
  package enum Level: String, CaseIterable, Sendable {
    /// The cost is of the postbacks of the row.
    case row
    /// The cost is of all rows that have the dimensions of the row that are not null, and is not divided among them.
    case parent
  }

  /// The relation to the row.
  package let level: Level
  /// The cost by currency.
  package var amounts: [String: Amount] = [:]
  /// The counts of the network.
  package var counts = CostCounts()
  /// The number of rows of the file whose cost could not be converted.
  package var unconverted = 0

  /// Adds another cost.
  static func += (left: inout Self, right: Self) {
    left.amounts.merge(right.amounts, uniquingKeysWith: +)
    left.counts += right.counts
    left.unconverted += right.unconverted
  }

  /// The cost by currency as a JSON object.
  var json: JSONValue {
    .object(amounts.sorted { $0.key < $1.key }.map { .init($0.key, .number("\($0.value)")) })
  }

  /// The cost and its currency; nil if there are several currencies, and if some could not be converted to that of the report.
  package var single: (currency: String, cost: Amount)? {
    unconverted == 0 && amounts.count == 1 ? amounts.first.map { ($0.key, $0.value) } : nil
  }
}

/// The costs of a file by the rows of a daily report.
///
/// A cost of finer dimensions than the report's is added to others of the same row. A cost that lacks a dimension of the
/// report is not divided: it is of a row of its own, in which that dimension is null.
package struct DailyCosts: Sendable {
  /// A cost and the row that has it.
  package struct Entry: Sendable {
    /// The key of the row.
    let group: DailyGroup
    /// The origin of the network's name.
    let status: NetworkStatus
    var cost: DailyCost
  }

  private let costs: Costs
  private let dimensions: Set<DailyDimension>
  private let currency: ReportCurrency?
  /// The numbers of the rows of each day.
  private let places: [Int64: [Int]]

  /// The costs of a report with these dimensions, in its currency if it has one.
  init(_ costs: Costs, _ dimensions: Set<DailyDimension>, _ currency: ReportCurrency?) {
    self.costs = costs
    self.dimensions = dimensions
    self.currency = currency
    places = Dictionary(grouping: costs.rows.indices) { costs.rows[$0].key.day }
  }

  /// The days with costs, in order.
  var days: [Int64] { places.keys.sorted() }

  /// Returns the cost of rows of some days, as `skan_daily` has it: without the amounts of rows that have no single cost.
  func sum(of days: (Int64) -> Bool) -> DailyCost {
    var sum = DailyCost(level: .row)
    for day in places.keys where days(day) {
      for entry in entries(of: day) {
        if let (currency, cost) = entry.cost.single { sum.amounts[currency, default: .zero] += cost }
        sum.unconverted += entry.cost.unconverted
      }
    }
    return sum
  }

  /// The costs of an install day, in the order of the daily tables; of equal keys, that of a parent last.
  func entries(of day: Int64) -> [Entry] {
    struct Key: Hashable {
      let values: [String?]
      let level: DailyCost.Level
    }
    var entries: [Key: Entry] = [:]
    for place in places[day] ?? [] {
      let row = costs.rows[place]
      let (values, level) = values(of: row.key)
      let key = Key(values: values, level: level)
      var entry =
        entries[key]
        ?? Entry(
          group: DailyGroup(dateType: .install, day: day, window: 0, values: values),
          status: row.isMapped ? .mapped : .unmapped,
          cost: DailyCost(level: level)
        )
      add(row, to: &entry.cost)
      entries[key] = entry
    }
    return entries.values.sorted {
      if $0.group.values != $1.group.values { return $0.group < $1.group }
      return $0.cost.level == .row && $1.cost.level == .parent
    }
  }

  private func add(_ row: CostRow, to cost: inout DailyCost) {
    cost.counts += row.counts
    let original = costs.texts[row.key.currency] ?? ""
    if let currency, let amount = try? currency.convert(row.cost, from: original, day: row.key.day) {
      cost.amounts[currency.code, default: .zero] += amount
    } else {
      cost.amounts[original, default: .zero] += row.cost
      if currency != nil { cost.unconverted += 1 }
    }
  }

  /// The values of the report's dimensions that a cost has, and its relation to the row with them.
  private func values(of key: CostRow.Key) -> (values: [String?], level: DailyCost.Level) {
    var values = [String?](repeating: nil, count: DailyDimension.allCases.count)
    var level = DailyCost.Level.row
    for dimension in dimensions {
      if let value = costs.value(of: dimension, in: key) {
        values[dimension.place] = value
      } else {
        level = .parent
      }
    }
    return (values, level)
  }
}

extension Costs {
  /// The dimensions that at least one row has, which are those of a report for which no others are given.
  package var dimensions: Set<DailyDimension> {
    var dimensions: Set<DailyDimension> = [.networkName, .campaignID]
    for row in rows {
      if row.key.adgroup != TextPool.none { dimensions.insert(.adgroupID) }
      if row.key.app != nil { dimensions.insert(.appID) }
      if row.key.country != nil { dimensions.insert(.country) }
    }
    return dimensions
  }

  /// The value of a dimension in a key; nil if the cost is not of one value.
  fileprivate func value(of dimension: DailyDimension, in key: CostRow.Key) -> String? {
    switch dimension {
    case .appID: key.app.map(String.init)
    case .networkName: texts[key.network]
    case .campaignID: texts[key.campaign]
    case .adgroupID: texts[key.adgroup]
    case .country: key.country.map(\.text)
    case .creativeID, .sourceAppID, .framework, .version, .environment, .channel, .forwarder, .trustLevel, .modelID,
      .modelVersion, .conversionType, .fidelityType, .adInteractionType, .marketplaceIdentifier, .sourceIdentifier,
      .sourceDomain, .redownload:
      nil
    }
  }
}
