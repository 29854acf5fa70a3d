package import Statistics

/// The predictive distribution of the value of a null postback of a stratum.
package struct NullPrediction: Equatable, Sendable {
  /// The expected amount.
  package var mean = 0.0
  /// The variance of the amount.
  package var variance = 0.0
  /// The number of values that the distribution stands on: those of the stratum, and those that it borrows.
  package var weight = 0.0
  /// The weight of the stratum's own values, from 0 (the pool alone) to 1 (its own alone).
  package var credibility = 1.0
  /// The variance of the mean of the pool, which all strata of a pool share.
  package var poolVariance = 0.0
  /// The degrees of freedom of the variances.
  package var degrees = 0.0
  /// The deviation of the mean, as a part of it, that all strata share, because nulls are of another data tier.
  var drift = 0.0
  /// The variance of the mean, as a part of its square, for the same reason in this stratum alone.
  var ownDrift = 0.0
  /// The deviation of the mean, which all strata share, because values are worth what others were.
  var worthDeviation = 0.0
  /// The greatest amount that a value of the pool or of the stratum has.
  var greatest = 0.0
  /// The share of values that are worth something.
  private var payers = 0.0

  /// Makes the distribution of amounts with these shares.
  init(_ shares: [Double], _ amounts: [Double], weight: Double) {
    var square = 0.0
    for (share, amount) in zip(shares, amounts) where share > 0 {
      mean += share * amount
      square += share * amount * amount
      greatest = max(greatest, amount)
      if amount > 0 { payers += share }
    }
    variance = max(0, square - mean * mean)
    self.weight = weight
  }

  /// Returns the estimate of the sum over a number of null postbacks of the stratum.
  package func sum(over nulls: Int) -> NullEstimate {
    let k = Double(nulls)
    var estimate = NullEstimate()
    estimate.mean = k * mean
    estimate.ownVariance = k * (weight + k) / (weight + 1) * variance + k * mean * k * mean * ownDrift
    estimate.leverage = k * (1 - credibility)
    estimate.poolVariance = poolVariance
    estimate.degrees = degrees
    estimate.credibility = credibility
    estimate.driftDeviation = k * mean * drift
    estimate.worthDeviation = k * worthDeviation
    if nulls > 0 { (estimate.strata, estimate.nulls, estimate.values) = (1, k, weight * credibility) }
    estimate.greatest = greatest
    estimate.chanceOfNone = chanceOfNone(among: nulls)
    return estimate
  }

  /// Returns the probability that none of some nulls is worth something.
  private func chanceOfNone(among nulls: Int) -> Double {
    guard nulls > 0, payers > 0 else { return 1 }
    guard weight > 0, payers < 1 else { return 0 }
    return BetaBinomial(trials: nulls, alpha: weight * payers, beta: weight * (1 - payers)).chanceOfNone
  }

  /// Returns the distribution with a mean times a factor. The greatest amount stays as it is.
  func scaled(by factor: Double) -> NullPrediction {
    var scaled = self
    scaled.mean *= factor
    scaled.variance *= factor * factor
    scaled.poolVariance *= factor * factor
    scaled.worthDeviation *= factor
    return scaled
  }
}

/// An estimate of a sum over postbacks without a value: its mean and the parts of its variance.
package struct NullEstimate: Equatable, Sendable {
  /// The expected sum.
  package var mean = 0.0
  /// The variance that comes from the stratum itself: which values its null postbacks would have had.
  package var ownVariance = 0.0
  /// The factor with which an error of the pool's mean enters the sum.
  package var leverage = 0.0
  /// The variance of the mean of the pool, which all strata of a pool share.
  package var poolVariance = 0.0
  /// The degrees of freedom of the pool's variance.
  package var degrees = 0.0
  /// The weight of the stratum's own values, from 0 (the pool alone) to 1 (its own alone).
  package var credibility = 1.0

  /// The deviation, which all strata share, because nulls are of another data tier than the values.
  var driftDeviation = 0.0
  /// The deviation, which all strata share, because values are worth what others were.
  var worthDeviation = 0.0

  /// The number of strata with null postbacks.
  var strata = 0
  /// The numbers of their null postbacks and of their values.
  var (nulls, values) = (0.0, 0.0)
  /// The greatest amount of a value.
  var greatest = 0.0
  /// The probability that the sum is 0.
  var chanceOfNone = 1.0

  /// The variance of the sum.
  package var variance: Double {
    ownVariance + leverage * leverage * poolVariance + driftDeviation * driftDeviation
      + worthDeviation * worthDeviation
  }

  /// Returns the interval for the sum at a level.
  ///
  /// The bounds are those of a gamma distribution (Wilson and Hilferty 1931) with Student's quantiles: a normal
  /// distribution would have negative bounds.
  ///
  /// The upper bound of a sum over several strata is that with one more value, of the greatest amount. Payers are few, and if
  /// those who pay most are by chance not among the values, the mean and the variance are both too small. The exact upper
  /// bound of a Poisson mean adds 1 to the count for this reason (Garwood 1936). Fay and Feuer (1997) do so for weighted sums
  /// of such counts: they add the greatest weight to the mean of the gamma distribution, and its square to the variance. Here
  /// the weight is the number of null postbacks for each value, times the amount; the variance has what the null postbacks
  /// themselves vary besides.
  package func interval(level: Double = 0.95) -> Interval {
    guard mean > 0, variance > 0, degrees > 0 else { return Interval(low: mean, high: mean) }
    let t = Quantile.student(1 - (1 - level) / 2, degrees: degrees)
    func bound(_ mean: Double, _ variance: Double, _ z: Double) -> Double {
      let shape = mean * mean / variance
      let root = max(0, 1 - 1 / (9 * shape) + z / (3 * shape.squareRoot()))
      return mean * root * root * root
    }
    var high = bound(mean, variance, t)
    if strata > 1, values > 0 {
      let ratio = nulls / values
      let more = variance + ratio * (1 + ratio) * greatest * greatest
      high = max(high, bound(mean + ratio * greatest, more, t))
    }
    // A gamma distribution has no probability at 0.
    let low = chanceOfNone < (1 - level) / 2 ? bound(mean, variance, -t) : 0
    return Interval(low: low, high: high)
  }

  /// Returns the sum of estimates of strata with one pool: its error is common to all of them.
  ///
  /// The order of the estimates decides the last bits of the result, so callers sort the strata.
  package static func total(_ estimates: [NullEstimate]) -> NullEstimate {
    var total = NullEstimate()
    for estimate in estimates {
      total.mean += estimate.mean
      total.ownVariance += estimate.ownVariance
      total.leverage += estimate.leverage
      total.poolVariance = max(total.poolVariance, estimate.poolVariance)
      total.driftDeviation += estimate.driftDeviation
      total.worthDeviation += estimate.worthDeviation
      total.strata += estimate.strata
      total.nulls += estimate.nulls
      total.values += estimate.values
      total.greatest = max(total.greatest, estimate.greatest)
      total.chanceOfNone *= estimate.chanceOfNone
    }
    // Estimates without a pool have the degrees of their own stratum: the fewest are the careful choice.
    total.degrees = estimates.filter { $0.mean > 0 }.map(\.degrees).min() ?? 0
    return total
  }
}
