package import ConversionModel

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
  package var observed: Amount?
  /// The estimate for the null postbacks; nil if there is none.
  package var estimate: NullEstimate?
  /// The interval of the estimate.
  package var interval: Interval?
  package var limits: Limits?
  /// The revenue if all null postbacks are worth the least of the model's values.
  package var boundLow: Amount?
  /// The revenue if they are worth the most; nil if a value has no upper limit, or the model is not known.
  package var boundHigh: Amount?
  package let currency: String?
  package var status = ModelledStatus.modelled

  /// Makes the row of a stratum, without an estimate.
  init(_ unit: ModelledUnit, _ part: ModelledUnit.Part, _ period: ClosedRange<Int64>?) {
    (app, window, self.period) = (unit.app, unit.window, period)
    (network, identifier) = (part.stratum.network, part.stratum.identifier)
    (conversions, values, nulls) = (part.conversions, part.values, part.nulls)
    currency = unit.currency
    // Without a currency there is no revenue, or it is of several currencies and cannot be added.
    guard currency != nil, let observed = part.sum({ $0.estimate ?? .zero }) else { return }
    self.observed = observed
    let bounds = NullBounds(observed: observed, nulls: part.nulls, amounts: unit.amounts)
    (boundLow, boundHigh) = (bounds.low, bounds.high)
  }

  /// The modelled revenue where null postbacks are worth `factor` times the estimate; nil if there is none.
  package func revenue(_ factor: Double = 1) -> Amount? { sum(estimate.map { factor * $0.mean }) }

  /// The lower end of the interval of the modelled revenue.
  package var low: Amount? { sum(interval?.low) }
  /// The upper end of the interval of the modelled revenue.
  package var high: Amount? { sum(interval?.high) }

  private func sum(_ estimate: Double?) -> Amount? {
    observed.flatMap { observed in estimate.flatMap { observed.adding(estimate: $0) } }
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
        total.observed = plus(total.observed, row.observed)
        total.boundLow = plus(total.boundLow, row.boundLow)
        total.boundHigh = plus(total.boundHigh, row.boundHigh)
        total.limits = total.limits.map {
          Limits(least: plus($0.least, row.limits?.least), most: plus($0.most, row.limits?.most))
        }
        if row.status == .modelled { total.status = .modelled }
      }
      let estimates = rows.compactMap(\.estimate)
      if !estimates.isEmpty {
        let estimate = NullEstimate.total(estimates)
        (total.estimate, total.interval) = (estimate, estimate.interval(level: level))
      }
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
