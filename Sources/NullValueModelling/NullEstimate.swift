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

  /// Makes the distribution of amounts with these shares.
  init(_ shares: [Double], _ amounts: [Double], weight: Double) {
    var square = 0.0
    for (share, amount) in zip(shares, amounts) where share > 0 {
      mean += share * amount
      square += share * amount * amount
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
    return estimate
  }

  /// Returns the distribution of the values times a factor.
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

  /// The variance of the sum.
  package var variance: Double {
    ownVariance + leverage * leverage * poolVariance + driftDeviation * driftDeviation
      + worthDeviation * worthDeviation
  }

  /// Returns the interval for the sum at a level.
  ///
  /// The bounds are those of a gamma distribution (Wilson and Hilferty 1931) with Student's quantiles: a normal
  /// distribution would have negative bounds.
  package func interval(level: Double = 0.95) -> Interval {
    guard mean > 0, variance > 0, degrees > 0 else { return Interval(low: mean, high: mean) }
    let shape = mean * mean / variance
    let t = Quantile.student(1 - (1 - level) / 2, degrees: degrees)
    func bound(_ z: Double) -> Double {
      let root = max(0, 1 - 1 / (9 * shape) + z / (3 * shape.squareRoot()))
      return mean * root * root * root
    }
    return Interval(low: bound(-t), high: bound(t))
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
    }
    // Estimates without a pool have the degrees of their own stratum: the fewest are the careful choice.
    total.degrees = estimates.filter { $0.mean > 0 }.map(\.degrees).min() ?? 0
    return total
  }
}
