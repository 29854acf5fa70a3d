package import ConversionModel
internal import Statistics

/// A modelled number of a group of a report, with its interval.
package struct ModelledNumber: Equatable, Sendable {
  /// The number.
  package var value: Amount?
  /// The lower end of the interval.
  package var low: Amount?
  /// The upper end of the interval.
  package var high: Amount?
}

/// The modelled revenue of a group of a report.
package struct GroupRevenue: Equatable, Sendable {
  /// The state.
  package let status: ModelledStatus
  /// The revenue; without a value if there is no estimate.
  package let number: ModelledNumber
  /// The currency; nil if there is no estimate, and if there is no revenue.
  package let currency: String?

  package init(_ status: ModelledStatus, _ number: ModelledNumber = ModelledNumber(), _ currency: String? = nil) {
    (self.status, self.number, self.currency) = (status, number, currency)
  }
}

extension NullModelling {
  /// Returns the modelled revenue of a group with postbacks of the first window, and its status; nil if the group has no
  /// stratum. `observed` is the group's revenue in `currency`, which is nil if there is none.
  ///
  /// A group has an estimate only if each of its strata is whole in it, apart from dates: otherwise null postbacks,
  /// which lack what tells the groups apart, would be in another group than the values like them.
  package func revenue<Group>(
    of nulls: GroupNulls,
    whole groups: StratumGroups<Group>,
    observed: Amount?,
    currency: String?
  ) -> GroupRevenue? {
    guard !nulls.cells.isEmpty else { return nil }
    var currency = currency
    var estimates: [RevenueEstimate] = []
    var hasOwn = false
    for (cell, postbacks) in nulls.sorted {
      guard let outcome = outcomes[cell] else { return GroupRevenue(.refused(.noValues)) }
      if case .refused = outcome.status { return GroupRevenue(outcome.status) }
      if groups.isSplit(cell.stratum) { return GroupRevenue(.refused(.severalGroups)) }
      currency = currency ?? outcome.currency
      if let own = outcome.currency, own != currency { return GroupRevenue(.refused(.currencies)) }
      if outcome.status == .modelled { hasOwn = true }
      estimates.append(outcome.revenue(of: postbacks))
    }
    let estimate = RevenueEstimate.total(estimates)
    let interval = estimate.interval(level: level)
    // The group's revenue of re-engagements, which are not modelled.
    guard let other = observed.map({ $0 - estimate.reported }) else {
      return GroupRevenue(hasOwn ? .modelled : .borrowed, ModelledNumber(), currency)
    }
    let number = ModelledNumber(
      value: (other + estimate.observed).adding(estimate: estimate.nulls.mean),
      low: interval.low.map { other + $0 },
      high: interval.high.map { other + $0 }
    )
    return GroupRevenue(hasOwn ? .modelled : .borrowed, number, currency)
  }

  /// Returns the modelled number of postbacks with an event in a group whose revenue has an estimate, with `observed`
  /// such postbacks. One stratum has the exact beta-binomial interval, and several have that of their sum.
  package func postbacks(with event: String, observed: Int, of nulls: GroupNulls) -> ModelledNumber {
    var parts: [(prediction: NullPrediction, count: Int)] = []
    for (cell, postbacks) in nulls.sorted where postbacks.nulls > 0 {
      guard let prediction = outcomes[cell]?.events[event] else { return ModelledNumber() }
      parts.append((prediction, postbacks.nulls))
    }
    let estimate = NullEstimate.total(parts.map { $0.prediction.sum(over: $0.count) })
    let interval: Interval
    if parts.count == 1, let (prediction, count) = parts.first, prediction.mean > 0, prediction.mean < 1 {
      let exact = BetaBinomial(
        trials: count,
        alpha: prediction.weight * prediction.mean,
        beta: prediction.weight * (1 - prediction.mean)
      ).interval(level: level)
      interval = Interval(low: Double(exact.low), high: Double(exact.high))
    } else {
      interval = estimate.interval(level: level)
    }
    let observed = Amount(observed)
    return ModelledNumber(
      value: observed.adding(estimate: estimate.mean),
      low: observed.adding(estimate: interval.low),
      high: observed.adding(estimate: interval.high)
    )
  }
}

extension GroupNulls {
  /// The cells in order, so that a sum has the same bits each time.
  fileprivate var sorted: [(cell: StratumCounts.Cell, postbacks: StratumPostbacks)] {
    cells.map { ($0.key, $0.value) }.sorted {
      ($0.0.stratum, $0.0.period ?? .min) < ($1.0.stratum, $1.0.period ?? .min)
    }
  }
}
