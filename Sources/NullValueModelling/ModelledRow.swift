package import ConversionModel
package import Statistics

/// A row of `skan_modelled`: a stratum, or a total.
package struct ModelledRow: Sendable {
  /// The extent of a row.
  package enum Scope: String, CaseIterable, Sendable {
    /// A campaign of a network, as far as null postbacks tell it.
    case stratum
    /// All strata of an app with one status.
    case total
  }

  /// The modelled revenue at the ends of the ranges of the model's values.
  package struct Limits: Equatable, Sendable {
    /// The revenue if each value is worth the least that it can mean.
    var least: Amount?
    /// The revenue if each value is worth the most; nil if a value has no upper limit.
    var most: Amount?
  }

  package var scope = Scope.stratum
  package let app: Int64
  package var network: String?
  package var identifier: Stratum.Identifier?
  package let window: Int
  package let period: ClosedRange<Int64>?
  package var conversions: Int
  package var values: Int
  package var nulls: Int
  package var credibility: Double?
  /// The number of postbacks with a 0 that may stand for no value.
  package var zeros: Int
  package var observed: Amount?
  /// The estimate for the null postbacks; nil if there is none.
  package var estimate: NullEstimate?
  /// The interval of the estimate; its upper end is infinite if there is no limit.
  package var interval: Interval?
  /// The ends of the interval of the modelled revenue; nil without an estimate, and where there is no upper limit.
  package var low, high: Amount?
  /// The ends of that interval if payers have half, and if they have twice the odds of a null that others have.
  package var oddsLow, oddsHigh: Amount?
  package var limits: Limits?
  /// The revenue if all values are worth the least that they can mean, and all null postbacks the least of all values.
  package var boundLow: Amount?
  /// The revenue if they are worth the most; nil if a value has no upper limit, or the model is not known.
  package var boundHigh: Amount?
  package let currency: String?
  package var status = ModelledStatus.modelled
  /// The origin of the worth of coarse values, the farthest if there are several; nil if there are no coarse values.
  package var coarseBasis: CoarseBasis?
  /// The origin of the worth of fine values, the least certain if there are several; nil if none has revenue.
  package var bucketBasis: BucketBasis?
  /// The factor of the revenue of nulls, which the data tiers of the values tell; nil without an estimate.
  package var tierFactor: Double?
  /// The factor of the revenue of nulls, which install days with many nulls tell; nil without an estimate.
  package var dayFactor: Double?
  private var revenue = RevenueEstimate()
  /// Indicates that some postbacks of later windows may be of other users than those of these install dates.
  private let isMisdated: Bool
  /// The revenue of the nulls if each is worth the most; nil if there is no limit.
  private var nullMost: Amount?

  /// Makes the row of a stratum, without an estimate.
  init(_ unit: ModelledUnit, _ part: ModelledUnit.Part, _ outcome: StratumOutcome) {
    (app, window, period) = (unit.app, unit.window, unit.dates)
    isMisdated = unit.misdated > 0
    (network, identifier) = (part.stratum.network, part.stratum.identifier)
    (conversions, values, nulls, zeros) = (part.conversions, part.values, part.nulls, part.zeros)
    currency = unit.currency
    coarseBasis = outcome.basis(of: part.observed.map(\.value))
    bucketBasis = outcome.bucketBasis(of: part.observed.map(\.value))
    // Without a currency there is no revenue, or it is of several currencies and cannot be added.
    guard currency != nil, let least = part.sum({ $0.minimum ?? .zero }) else { return }
    revenue = outcome.revenue(of: part.postbacks, misdated: unit.misdated)
    observed = revenue.observed
    let most = part.sum { $0.estimate == nil ? .zero : $0.maximum }
    let (few, many) = (part.nulls, part.nulls + part.zeros)
    boundLow = NullBounds(least: least, most: most, nulls: few, minima: unit.minima, maxima: unit.maxima).low
    // Nobody knows what postbacks of an open window will be worth.
    guard part.refusal != .open else { return }
    boundHigh = NullBounds(least: least, most: most, nulls: many, minima: unit.minima, maxima: unit.maxima).high
    nullMost = NullBounds(least: .zero, most: .zero, nulls: many, minima: unit.minima, maxima: unit.maxima).high
  }

  /// Adds the estimate, with intervals at a level.
  mutating func estimate(level: Double) {
    estimate = revenue.nulls
    interval = revenue.nullInterval(level: level, upTo: nullMost)
    guard observed != nil else { return }
    let (whole, odds) = (revenue.interval(level: level), revenue.oddsInterval(level: level))
    (low, oddsLow) = (within(whole.low), within(odds.low))
    (high, oddsHigh) = (within(whole.high), within(odds.high))
  }

  /// Returns an end of an interval inside the bounds, which need no assumption, but take estimated install dates as they are.
  private func within(_ end: Amount?) -> Amount? {
    guard var end else { return nil }
    if isMisdated { return end }
    if let boundLow { end = max(end, boundLow) }
    if let boundHigh { end = min(end, boundHigh) }
    return end
  }

  /// The modelled revenue where null postbacks are worth `factor` times the estimate; nil if there is none.
  package func revenue(_ factor: Double = 1) -> Amount? {
    observed.flatMap { observed in estimate.flatMap { observed.adding(estimate: factor * $0.mean) } }
  }

  /// The totals of the strata of an app in a window and a period, by status; those with an estimate are one total.
  ///
  /// Strata without an estimate have totals of their own, so that no total hides null postbacks that are not modelled.
  static func totals(of rows: [ModelledRow], level: Double) -> [ModelledRow] {
    var totals: [ModelledRow] = []
    for (_, rows) in Dictionary(grouping: rows, by: \.status.group) {
      guard var total = rows.first else { continue }
      (total.scope, total.network, total.identifier, total.credibility) = (.total, nil, nil, nil)
      for row in rows.dropFirst() {
        total.conversions += row.conversions
        total.values += row.values
        total.nulls += row.nulls
        total.zeros += row.zeros
        total.observed = plus(total.observed, row.observed)
        total.boundLow = plus(total.boundLow, row.boundLow)
        total.boundHigh = plus(total.boundHigh, row.boundHigh)
        total.nullMost = plus(total.nullMost, row.nullMost)
        total.bucketBasis = [total.bucketBasis, row.bucketBasis].compactMap(\.self).max()
        total.coarseBasis = [total.coarseBasis, row.coarseBasis].compactMap(\.self).max()
        total.limits = total.limits.map {
          Limits(least: plus($0.least, row.limits?.least), most: plus($0.most, row.limits?.most))
        }
        if row.status == .modelled { total.status = .modelled }
      }
      total.revenue = .total(rows.map(\.revenue))
      if rows.contains(where: { $0.estimate != nil }) { total.estimate(level: level) }
      totals.append(total)
    }
    return totals
  }

  private static func plus(_ one: Amount?, _ other: Amount?) -> Amount? {
    one.flatMap { one in other.map { one + $0 } }
  }
}

extension ModelledStatus {
  /// The status, with `borrowed` as `modelled`: both have an estimate.
  fileprivate var group: ModelledStatus { self == .borrowed ? .modelled : self }
}

extension ModelledRow {
  /// The place of a row in the table: by app, window and period, and the totals first.
  var order: Order {
    Order(
      app: app,
      window: window,
      period: period?.lowerBound ?? .min,
      scope: scope == .total ? 0 : 1,
      network: network ?? "",
      identifier: identifier ?? .none,
      status: status.word
    )
  }

  /// The order of rows.
  struct Order: Comparable {
    let app: Int64
    let window: Int
    let period: Int64
    let scope: Int
    let network: String
    let identifier: Stratum.Identifier
    let status: String

    static func < (left: Order, right: Order) -> Bool {
      if (left.app, left.window, left.period) != (right.app, right.window, right.period) {
        return (left.app, left.window, left.period) < (right.app, right.window, right.period)
      }
      return (left.scope, left.network, left.identifier, left.status)
        < (right.scope, right.network, right.identifier, right.status)
    }
  }
}
