internal import ConversionModel
internal import Statistics

/// The postbacks of a stratum, or of a part of it, whose revenue is estimated.
package struct StratumPostbacks: Sendable, Equatable {
  /// The number of postbacks without a value.
  package var nulls = 0
  /// The number of postbacks with a 0 that may stand for no value.
  package var zeros = 0
  /// The number of postbacks with each value.
  package var values: [ReportedValue: Int] = [:]
}

/// An estimate of the revenue of postbacks, of which some have no value, with its parts. Estimates of strata can be
/// added.
struct RevenueEstimate: Sendable {
  /// The sums at an end of the ranges of values.
  struct Side: Sendable {
    /// The revenue of the values that were reported, apart from the next two.
    var fixed = Amount.zero
    /// The revenue of open values, of which a distribution tells the mean.
    var open = 0.0
    /// The estimate for values whose worth other data tell.
    var learnt = NullEstimate()
    /// The estimate for nulls.
    var nulls = NullEstimate()
    /// The estimate for nulls if payers have other odds of a null.
    var odds = NullEstimate()

    static func total(_ sides: [Self]) -> Self {
      var total = Self()
      for side in sides {
        total.fixed += side.fixed
        total.open += side.open
      }
      total.learnt = .total(sides.map(\.learnt))
      total.nulls = .total(sides.map(\.nulls))
      total.odds = .total(sides.map(\.odds))
      return total
    }
  }

  /// The revenue of the values that were reported, as the model has it.
  var reported = Amount.zero
  /// The same, with values worth what other data tell.
  var observed = Amount.zero
  /// The estimate for nulls.
  var nulls = NullEstimate()
  /// The sums if each value is worth the least that it can mean.
  var least = Side()
  /// The sums if each is worth the most; nil if a value has no upper limit, and nothing tells how far it goes.
  var most: Side? = Side()
  /// The expected number of users with a value without an upper limit.
  var openUsers = 0.0
  /// The distribution of their revenue.
  var tail: OpenTail?

  /// Returns the sum of estimates of strata. The order decides the last bits, so callers sort the strata.
  static func total(_ estimates: [RevenueEstimate]) -> RevenueEstimate {
    var total = RevenueEstimate()
    for estimate in estimates {
      total.reported += estimate.reported
      total.observed += estimate.observed
      total.openUsers += estimate.openUsers
      total.tail = total.tail ?? estimate.tail
    }
    total.nulls = .total(estimates.map(\.nulls))
    total.least = .total(estimates.map(\.least))
    let most = estimates.compactMap(\.most)
    total.most = most.count == estimates.count ? .total(most) : nil
    return total
  }

  /// An interval of amounts, whose upper end is nil if there is no limit.
  struct Range: Equatable, Sendable {
    var low: Amount?
    var high: Amount?
  }

  /// Returns the interval of the whole revenue at a level.
  func interval(level: Double) -> Range { interval(level) { $0.nulls } }

  /// Returns the interval of the whole revenue if payers have half or twice the odds of a null that others have.
  func oddsInterval(level: Double) -> Range { interval(level) { $0.odds } }

  /// Returns the interval of the revenue of nulls alone, of which no more is possible than `bound`; its upper end is infinite if there
  /// is no limit.
  func nullInterval(level: Double, upTo bound: Amount?) -> Interval {
    let high = most.map { $0.nulls.interval(level: level).high } ?? .infinity
    return Interval(low: least.nulls.interval(level: level).low, high: min(high, bound?.approximation ?? .infinity))
  }

  private func interval(_ level: Double, _ nulls: (Side) -> NullEstimate) -> Range {
    var low = NullEstimate.total([least.learnt, nulls(least)]).interval(level: level).low
    // Where perhaps no null is worth anything, the values are all that there is.
    if nulls(least).chanceOfNone >= (1 - level) / 2 { low = min(low, least.learnt.interval(level: level).low) }
    var range = Range(low: least.fixed.adding(estimate: least.open + low))
    if let most {
      let high = NullEstimate.total([most.learnt, nulls(most)]).interval(level: level).high
      let greatest = tail?.greatest(of: openUsers, exceeded: (1 - level) / 2) ?? 0
      range.high = most.fixed.adding(estimate: most.open + high + (most.open > 0 || openUsers > 0 ? greatest : 0))
    }
    return range
  }
}

/// The result of modelling a stratum: its state, and what its postbacks are worth.
struct StratumOutcome: Sendable {
  var status: ModelledStatus
  var currency: String?
  /// The predictions for a null at the ends of the values' ranges; nil if there is none, or if the end has no limit.
  var least, expected, most: NullPrediction?
  /// The share of payers among the nulls that are expected.
  var payers = 0.0
  /// The share of nulls with a value without an upper limit.
  var openShare = 0.0
  /// The worth of values that other data tell.
  var worths: [ReportedValue: LearntWorth] = [:]
  /// The distribution of revenue above the beginning of an open value.
  var tail: OpenTail?
  /// The predictions of the number of postbacks with an event, by its name.
  var events: [String: NullPrediction] = [:]

  /// The origin of the worth of coarse values among some values; nil if there are none.
  func basis(of values: some Sequence<ReportedValue>) -> CoarseBasis? {
    values.filter { $0.coarse != nil }.map { worths[$0.untiered]?.basis ?? .assumed }.max()
  }

  /// The origin of the worth of fine values among some values; nil if there are none with revenue.
  func bucketBasis(of values: some Sequence<ReportedValue>) -> BucketBasis? {
    values.filter { $0.coarse == nil && $0.estimate != nil }
      .map { $0.minimum == $0.maximum ? .exact : worths[$0.untiered] == nil ? .assumed : .learnt }.max()
  }

  /// Returns the estimate for postbacks of the stratum, of which a share is there, or is not, because install dates are estimates.
  func revenue(of postbacks: StratumPostbacks, misdated: Double = 0) -> RevenueEstimate {
    var estimate = RevenueEstimate()
    estimate.tail = tail
    estimate.nulls = expected?.sum(over: postbacks.nulls) ?? NullEstimate()
    estimate.openUsers = Double(postbacks.nulls) * openShare
    estimate.least.nulls = least?.sum(over: postbacks.nulls) ?? NullEstimate()
    estimate.least.odds = estimate.least.nulls.scaled(by: oddsFactor(0.5))
    // A 0 that may be a null is a value for the least, and a null for the most.
    let nulls = postbacks.nulls + postbacks.zeros
    var most: RevenueEstimate.Side? = .init()
    if nulls > 0, expected != nil {
      most = self.most.map { prediction in
        let sum = prediction.sum(over: nulls)
        return .init(nulls: sum, odds: sum.scaled(by: oddsFactor(2)))
      }
    }
    var mean = 0.0
    for (value, count) in postbacks.values.sorted(by: { $0.key < $1.key }) {
      estimate.reported += (value.estimate ?? .zero) * count
      if let worth = worths[value.untiered] {
        mean += Double(count) * worth.expected.mean
        estimate.least.learnt.add(count, of: worth.least, learntFrom: worth.count)
        most?.learnt.add(count, of: worth.most, learntFrom: worth.count)
        estimate.openUsers += Double(count) * worth.openShare
        continue
      }
      guard let amount = value.estimate else { continue }
      estimate.observed += amount * count
      if misdated > 0 {
        estimate.least.learnt.add(count, worth: (value.minimum ?? .zero).approximation, misdated)
      } else {
        estimate.least.fixed += (value.minimum ?? .zero) * count
      }
      if let maximum = value.maximum {
        if misdated > 0 {
          most?.learnt.add(count, worth: maximum.approximation, misdated)
        } else {
          most?.fixed += maximum * count
        }
      } else if let tail {
        let mean = max(tail.mean(above: (value.minimum ?? .zero).approximation), amount.approximation)
        if misdated > 0 {
          most?.learnt.add(count, worth: mean, misdated)
        } else {
          most?.open += Double(count) * mean
        }
        estimate.openUsers += Double(count)
      } else {
        most = nil
      }
    }
    estimate.observed = estimate.observed.adding(estimate: mean) ?? estimate.observed
    if let mean = most?.learnt.mean, !mean.isFinite { most = nil }
    estimate.most = most
    return estimate
  }

  /// The factor of the revenue of nulls if payers have `odds` times the odds of a null that others have.
  private func oddsFactor(_ odds: Double) -> Double { odds / (1 - payers + odds * payers) }
}

extension NullEstimate {
  /// Adds values that are worth what so many others were.
  fileprivate mutating func add(_ count: Int, of worth: LearntWorth.Amounts, learntFrom values: Double) {
    let (n, error) = (Double(count), worth.variance / values)
    mean += n * worth.mean
    ownVariance += n * worth.variance
    worthDeviation = (worthDeviation * worthDeviation + n * n * error).squareRoot()
    (degrees, chanceOfNone) = (CoarseWorths.smallestClass - 1, 0)
  }

  /// Adds values of which a share is there, or is not, by chance.
  fileprivate mutating func add(_ count: Int, worth amount: Double, _ share: Double) {
    mean += Double(count) * amount
    ownVariance += share * Double(count) * amount * amount
    (degrees, chanceOfNone) = (CoarseWorths.smallestClass - 1, 0)
  }

  /// Returns the estimate of the sum times a factor.
  func scaled(by factor: Double) -> NullEstimate {
    var scaled = self
    scaled.mean *= factor
    scaled.ownVariance *= factor * factor
    scaled.leverage *= factor
    scaled.driftDeviation *= factor
    scaled.worthDeviation *= factor
    scaled.greatest *= factor
    return scaled
  }
}
