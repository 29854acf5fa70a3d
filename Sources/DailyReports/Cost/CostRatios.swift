package import ConversionModel
internal import Statistics

/// The ratios of a row of a daily report, exact and rounded half to even to six fraction digits.
///
/// A ratio is nil if a part of it is not known, and if its divisor is 0. A cost of 0 or less, as of a credit, has none: it
/// would have the wrong sign, or none at all.
package struct CostRatios: Equatable, Sendable {
  /// The numbers that the ratios are of.
  package struct Parts: Equatable, Sendable {
    /// The cost; nil if there is none.
    package var cost: Amount?
    /// Indicates that the cost and the revenue are in the same currency.
    package var areInOneCurrency = true
    /// The number of installs.
    package var installs: Int?
    /// The number of installs, redownloads and re-engagements.
    package var conversions: Int?
    /// The number of conversions with a value, those included with a 0 that may stand for none.
    package var valid = 0
    /// The revenue as the conversion model estimates it.
    package var revenue: Amount?
    /// The least revenue.
    package var revenueMin: Amount?
    /// The greatest revenue; nil if it has no limit.
    package var revenueMax: Amount?
    /// The greatest revenue of those postbacks that have a limit.
    package var revenueMaxClosed: Amount?

    /// The cost; nil if it is 0 or less.
    fileprivate var positiveCost: Amount? { cost.flatMap { $0 > .zero ? $0 : nil } }
  }

  /// The cost of an install.
  package let ecpi: Amount?
  /// The revenue for one unit of cost, without that of conversions whose value is not known.
  package let roas: Amount?
  /// The least revenue for one unit of cost.
  package let roasMin: Amount?
  /// The greatest revenue for one unit of cost; nil if the revenue has no limit.
  package let roasMax: Amount?
  /// The greatest revenue for one unit of cost of those postbacks that have a limit, which `roasMax` is at least.
  package let roasMaxClosed: Amount?
  /// The revenue for one unit of cost if all installs were worth as much as the conversions with a value.
  package let roasScaled: Amount?
  /// The revenue for one unit of cost if all conversions were worth as much as those with a value.
  package let roasScaledConversions: Amount?
  /// The revenue of a conversion with a value.
  package let rpu: Amount?
  /// The profit for one unit of cost: `roasScaled` less 1.
  package let roi: Amount?

  /// The ratios of these parts.
  package init(_ parts: Parts) {
    let cost = parts.areInOneCurrency ? parts.positiveCost : nil
    ecpi = Self.quotient(parts.positiveCost, by: parts.installs)
    roas = Self.quotient(parts.revenue, by: cost)
    roasMin = Self.quotient(parts.revenueMin, by: cost)
    roasMax = Self.quotient(parts.revenueMax, by: cost)
    roasMaxClosed = Self.quotient(parts.revenueMaxClosed, by: cost)
    roasScaled = Self.scaled(parts, cost, by: parts.installs)
    roasScaledConversions = Self.scaled(parts, cost, by: parts.conversions)
    rpu = Self.quotient(parts.revenue, by: parts.valid)
    roi = roasScaled.map { $0 - Amount(1) }
  }

  private static func quotient(_ dividend: Amount?, by divisor: Amount?) -> Amount? {
    guard let dividend, let divisor else { return nil }
    return .quotient(dividend, by: divisor)
  }

  private static func quotient(_ dividend: Amount?, by divisor: Int?) -> Amount? {
    quotient(dividend, by: divisor.map(Amount.init))
  }

  /// The revenue × `count` / (cost × valid conversions).
  private static func scaled(_ parts: Parts, _ cost: Amount?, by count: Int?) -> Amount? {
    guard let revenue = parts.revenue, let cost, let count else { return nil }
    return .quotient(revenue, times: count, by: cost, per: parts.valid)
  }
}

/// The ratios of an event in a row of a daily report, exact and rounded as those of `CostRatios`.
package struct EventRatios: Equatable, Sendable {
  /// The number of events for each conversion with a value.
  package let ecr: Amount?
  /// The cost of an event if all installs had as many as the conversions with a value.
  package let ecpa: Amount?

  /// The ratios of a number of events, which may be a half, in the row with these parts.
  package init(events: Amount, _ parts: CostRatios.Parts) {
    ecr = .quotient(events, by: Amount(parts.valid))
    if let cost = parts.positiveCost, let installs = parts.installs {
      ecpa = .quotient(cost, times: parts.valid, by: events, per: installs)
    } else {
      ecpa = nil
    }
  }
}

extension CostRatios.Parts {
  /// The numbers of a row.
  init(_ row: DailyRow) {
    self.init(row.metrics, row.cost?.single)
    if row.group.window > 0 { (installs, conversions) = (nil, nil) }
  }

  /// The numbers of postbacks of window 0, and their cost.
  init(_ metrics: DailyMetrics, _ single: (currency: String, cost: Amount)?) {
    let revenue = metrics.singleRevenue
    cost = single?.cost
    areInOneCurrency = single?.currency == revenue?.currency
    (installs, conversions) = (metrics.installs, metrics.conversions)
    valid = metrics.values + metrics.ambiguousZeros
    self.revenue = revenue?.revenue.estimate
    revenueMin = revenue?.revenue.minimum
    revenueMax = revenue?.revenue.maximum
    revenueMaxClosed = revenue?.revenue.closedMaximum
  }
}

extension WilsonRate {
  /// The bounds with six fraction digits; nil if there are no trials.
  package var bounds: (low: Amount, high: Amount)? {
    guard let interval, let low = Amount(estimate: interval.low), let high = Amount(estimate: interval.high) else {
      return nil
    }
    return (low, high)
  }
}
