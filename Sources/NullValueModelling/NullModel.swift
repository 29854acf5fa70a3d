internal import Statistics

/// The postbacks of one stratum: the counts of each conversion value, and the postbacks without a value.
package struct NullStratum: Equatable, Sendable {
  /// The number of postbacks with each value, by the index of the value. A postback whose value stands for several is
  /// divided among them.
  package var counts: [Double]
  /// The number of postbacks without a value.
  package var nulls: Int

  /// The number of postbacks with a value.
  package var values: Double { counts.reduce(0, +) }

  /// The share of each value among the postbacks with a value, of which there is at least one.
  package var shares: [Double] {
    let values = self.values
    return counts.map { $0 / values }
  }

  /// Makes a stratum.
  package init(counts: [Double], nulls: Int) {
    self.counts = counts
    self.nulls = nulls
  }

  /// Makes a stratum of postbacks with one value each.
  package init(counts: [Int], nulls: Int) { self.init(counts: counts.map { Double($0) }, nulls: nulls) }
}

/// The values of many strata as a pool from which strata with few values borrow: a credibility estimator with a
/// Dirichlet-multinomial predictive distribution of the values of null postbacks.
///
/// It assumes that values are missing at random within a stratum. Apple leaves a value out by the size of the crowd, and
/// not by the value, so within a campaign this is defensible; it can not be tested.
package struct NullModel: Sendable {
  /// The amount of each value, by its index.
  package let amounts: [Double]
  /// The number of a stratum's values at which its own mean and the pool's have the same weight.
  package let ratio: Double
  /// The share of each value in the pool.
  package let shares: [Double]
  /// The variance of the pool's mean.
  package let poolVariance: Double
  /// The number of strata with values.
  package let strata: Int

  /// The reason why a pool or a stratum has no estimate.
  package enum Refusal: String, CaseIterable, Error, Sendable {
    /// No postback has a value.
    case noValues = "no_values"
    /// Fewer than 5 strata with values, or fewer than 20 values where a stratum stands alone.
    case tooFew = "too_few"
    /// All values are worth the same.
    case noVariation = "no_variation"
    /// Values of one data tier are worth so much more than those of the next that nothing follows for nulls.
    case tiersDiffer = "tiers_differ"
    /// The network may have written missing values as 0.
    case zeroMayBeNull = "zero_may_be_null"
    /// The values are worth money of several currencies.
    case currencies
    /// The values of a later window include those of the windows before.
    case cumulative
    /// The postbacks of a later window are not those of the installs: there are more than can be, or their install dates
    /// are not known well enough.
    case cohortMismatch = "cohort_mismatch"
    /// The later window has not ended for any install date.
    case open
    /// The later window has ended for fewer than 7 install dates.
    case fewDays = "few_days"
    /// The postbacks of a stratum are in several groups of a report.
    case severalGroups = "several_groups"
    /// The group has postbacks of a later window, whose missing postbacks have no place in it.
    case laterWindow = "later_window"
  }

  /// The smallest number of strata that make a pool.
  package static let smallestPool = 5
  /// The smallest number of strata in a pool from which a stratum without any value borrows.
  package static let smallestPoolToBorrow = 8
  /// The smallest number of values of a stratum that stands alone.
  package static let smallestStratum = 20

  private static let ratioRange = 1.0...100_000.0

  /// Makes the pool of these strata; `amounts` has the amount of each value. Throws if they make none.
  package init(_ strata: [NullStratum], amounts: [Double]) throws(Refusal) {
    let filled = strata.filter { $0.values > 0 }
    guard !filled.isEmpty else { throw .noValues }
    guard filled.count >= Self.smallestPool else { throw .tooFew }
    let means = filled.map { Moments($0.counts, amounts) }
    guard
      let credibility = Credibility(
        means.map {
          .init(weight: $0.count, mean: $0.mean, squares: $0.squares, observations: Int($0.count.rounded()))
        }
      )
    else { throw .tooFew }
    guard credibility.within > 0 else {
      let mean = means[0].mean
      throw means.allSatisfy { $0.mean == mean } ? .noVariation : .tooFew
    }
    let ratio = min(max(credibility.ratio, Self.ratioRange.lowerBound), Self.ratioRange.upperBound)
    let factors = means.map { $0.count / ($0.count + ratio) }
    let sum = factors.reduce(0, +)
    var shares = [Double](repeating: 0, count: amounts.count)
    for (stratum, factor) in zip(filled, factors) {
      let weight = factor / stratum.values
      for (value, count) in stratum.counts.enumerated() where count > 0 { shares[value] += weight * count }
    }
    self.amounts = amounts
    self.ratio = ratio
    self.shares = shares.map { $0 / sum }
    self.poolVariance = credibility.within / ratio / sum
    self.strata = filled.count
  }

  /// Returns the predictive distribution of a stratum. Throws if it has no values and the pool is too small.
  ///
  /// `amounts` may be other ones than those of the pool, such as the ends of the values' ranges: the weights stay.
  package func prediction(_ stratum: NullStratum, amounts: [Double]? = nil) throws(Refusal) -> NullPrediction {
    let values = stratum.values
    if values == 0, strata < Self.smallestPoolToBorrow { throw .tooFew }
    var prediction = NullPrediction(shares(stratum), amounts ?? self.amounts, weight: values + ratio)
    prediction.poolVariance = poolVariance
    if let amounts {
      let (own, other) = (Self.mean(shares, self.amounts), Self.mean(shares, amounts))
      prediction.poolVariance *= own > 0 ? other * other / (own * own) : 0
    }
    prediction.degrees = Double(strata - 1)
    prediction.credibility = values / prediction.weight
    return prediction
  }

  /// Returns the expected share of each value among the null postbacks of a stratum.
  package func shares(_ stratum: NullStratum) -> [Double] {
    let weight = stratum.values + ratio
    return zip(stratum.counts, shares).map { ($0 + ratio * $1) / weight }
  }

  /// Returns the predictive distribution of a stratum from its own values alone. Throws if they are too few.
  package static func alone(_ stratum: NullStratum, amounts: [Double]) throws(Refusal) -> NullPrediction {
    guard stratum.values > 0 else { throw .noValues }
    guard stratum.values >= Double(smallestStratum) else { throw .tooFew }
    var prediction = NullPrediction(stratum.shares, amounts, weight: stratum.values)
    guard prediction.variance > 0 else { throw .noVariation }
    prediction.degrees = stratum.values - 1
    return prediction
  }

  private static func mean(_ shares: [Double], _ amounts: [Double]) -> Double {
    zip(shares, amounts).reduce(0) { $1.0 > 0 ? $0 + $1.0 * $1.1 : $0 }
  }
}

/// The number, the mean and the sum of squares of the values of a stratum.
private struct Moments {
  let count: Double
  let mean: Double
  let squares: Double

  init(_ counts: [Double], _ amounts: [Double]) {
    var (count, sum) = (0.0, 0.0)
    for (number, amount) in zip(counts, amounts) {
      count += number
      sum += number * amount
    }
    let mean = sum / count
    var squares = 0.0
    for (number, amount) in zip(counts, amounts) { squares += number * (amount - mean) * (amount - mean) }
    (self.count, self.mean, self.squares) = (count, mean, squares)
  }
}
