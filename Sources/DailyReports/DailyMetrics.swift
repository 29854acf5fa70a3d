package import ConversionModel

/// The sums over the postbacks of a group. All of them are additive: those of two groups together are their sums.
package struct DailyMetrics: Sendable, Equatable {
  /// The number of postbacks.
  package var postbacks = 0
  /// The number of postbacks that won the attribution.
  package var won = 0
  /// The number of winning postbacks of new installs.
  package var installs = 0
  /// The number of winning postbacks of apps that were installed before.
  package var redownloads = 0
  /// The number of winning postbacks of re-engagements.
  package var reengagements = 0
  /// The number of installs after a click.
  package var clickInstalls = 0
  /// The number of installs after a view.
  package var viewInstalls = 0
  /// The number of postbacks that lost the attribution.
  package var assists = 0
  /// The number of postbacks of ads on websites.
  package var web = 0
  /// The number of conversions by fine value, those left out for which a 0 may be a null; empty if there is none.
  package var fineValues: [Int] = []
  /// The number of conversions by coarse value that have no fine one: low, medium, high.
  package var coarseValues: [Int] = [0, 0, 0]
  /// The number of conversions without a value.
  package var nulls = 0
  /// The number of conversions of version 1.0, which has no value.
  package var noValuePossible = 0
  /// The number of conversions with a 0 that may be a null.
  package var ambiguousZeros = 0
  /// The number of postbacks whose value the model decodes.
  package var decoded = 0
  /// The number of postbacks whose value the model does not list.
  package var unmapped = 0
  /// The number of postbacks of apps without a model.
  package var noModel = 0
  /// The number of postbacks on which models disagree.
  package var ambiguous = 0
  /// The number of decoded postbacks whose window includes the earlier ones.
  package var cumulative = 0
  /// The number of postbacks whose copies were compared.
  package var settled = 0
  /// The number of postbacks whose copies contradict each other; 0 if copies were not compared.
  package var conflicts = 0
  /// The number of postbacks that a device's own copy confirms; 0 if copies were not compared.
  package var directConfirmed = 0
  /// The number of decoded postbacks with revenue for whose currency there is no rate.
  package var unconverted = 0
  /// The suspicions about values of winning postbacks, in words.
  package var suspicions: Set<String> = []
  /// The decoded revenue by currency.
  package var revenue: [String: DailyRevenue] = [:]

  /// No postbacks.
  package init() {}

  /// The number of conversions.
  package var conversions: Int { installs + redownloads + reengagements }
  /// The number of conversions with a fine value.
  package var fine: Int { fineValues.reduce(0, +) }
  /// The number of conversions with a value.
  package var values: Int { fine + coarseValues.reduce(0, +) }
  /// The number of conversions with the fine value 0 that is not a null.
  package var zeros: Int { fineValues.first ?? 0 }
  /// The number of postbacks with a value that is not decoded.
  package var undecoded: Int { unmapped + noModel + ambiguous }
  /// The revenue and its currency; nil if there is none, if there are several currencies, and if some could not be converted
  /// to the currency of the report.
  package var singleRevenue: (currency: String, revenue: DailyRevenue)? {
    guard unconverted == 0, revenue.count == 1 else { return nil }
    return revenue.first.map { ($0.key, $0.value) }
  }

  /// The sum of the fine values.
  package var valueSum: Int { fineValues.enumerated().reduce(0) { $0 + $1.offset * $1.element } }

  /// Adds the sums of other postbacks.
  package static func += (left: inout Self, right: Self) {
    left.postbacks += right.postbacks
    left.won += right.won
    left.installs += right.installs
    left.redownloads += right.redownloads
    left.reengagements += right.reengagements
    left.clickInstalls += right.clickInstalls
    left.viewInstalls += right.viewInstalls
    left.assists += right.assists
    left.web += right.web
    for (value, count) in right.fineValues.enumerated() where count > 0 { left.addFine(value, count) }
    for index in left.coarseValues.indices { left.coarseValues[index] += right.coarseValues[index] }
    left.nulls += right.nulls
    left.noValuePossible += right.noValuePossible
    left.ambiguousZeros += right.ambiguousZeros
    left.decoded += right.decoded
    left.unmapped += right.unmapped
    left.noModel += right.noModel
    left.ambiguous += right.ambiguous
    left.cumulative += right.cumulative
    left.settled += right.settled
    left.conflicts += right.conflicts
    left.directConfirmed += right.directConfirmed
    left.unconverted += right.unconverted
    left.suspicions.formUnion(right.suspicions)
    for (currency, revenue) in right.revenue { left.revenue[currency, default: DailyRevenue()] += revenue }
  }

  /// Adds conversions with a fine value.
  mutating func addFine(_ value: Int, _ count: Int) {
    if fineValues.isEmpty { fineValues = [Int](repeating: 0, count: 64) }
    fineValues[value] += count
  }
}

/// A sum of decoded revenue in one currency.
package struct DailyRevenue: Sendable, Equatable {
  /// The sum of the estimates.
  package var estimate = Amount.zero
  /// The sum of the estimates of values that are a device's own, or that its copy confirms.
  package var confirmed = Amount.zero
  /// The sum of the least possible amounts.
  package var minimum = Amount.zero
  /// The sum of the upper limits of those postbacks that have one.
  package var closedMaximum = Amount.zero
  /// The number of postbacks without an upper limit.
  package var openEnded = 0
  /// The sum of the estimates by the origin of the revenue.
  package var byKind: [RevenueKind: Amount] = [:]

  /// The sum of the upper limits; nil if a postback has none.
  package var maximum: Amount? { openEnded > 0 ? nil : closedMaximum }

  /// Adds the revenue of other postbacks.
  package static func += (left: inout Self, right: Self) {
    left.estimate += right.estimate
    left.confirmed += right.confirmed
    left.minimum += right.minimum
    left.closedMaximum += right.closedMaximum
    left.openEnded += right.openEnded
    left.byKind.merge(right.byKind, uniquingKeysWith: +)
  }

  /// The revenue of that many postbacks of this one.
  package func times(_ count: Int) -> DailyRevenue {
    var product = DailyRevenue()
    product.estimate = estimate * count
    product.confirmed = confirmed * count
    product.minimum = minimum * count
    product.closedMaximum = closedMaximum * count
    product.openEnded = openEnded * count
    product.byKind = byKind.mapValues { $0 * count }
    return product
  }
}
