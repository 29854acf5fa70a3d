/// The Bühlmann–Straub estimate of a collective of strata: how far the mean of one stratum is to be believed, and how
/// far that of all of them (Bühlmann and Straub 1970; the unbiased estimators of Goovaerts and Hoogstad).
package struct Credibility: Equatable, Sendable {
  /// A stratum: its weight, its mean, and the weighted sum of squares of its observations around that mean.
  package struct Stratum: Equatable, Sendable {
    /// The weight, above 0: the number of observations if each weighs 1.
    package var weight: Double
    /// The weighted mean of the observations.
    package var mean: Double
    /// The weighted sum of squared distances of the observations from the mean.
    package var squares: Double
    /// The number of observations.
    package var observations: Int

    /// Makes a stratum.
    package init(weight: Double, mean: Double, squares: Double, observations: Int) {
      self.weight = weight
      self.mean = mean
      self.squares = squares
      self.observations = observations
    }
  }

  /// The variance within strata, of an observation of weight 1.
  package let within: Double
  /// The variance between the means of strata, before limits; it may be negative.
  package let between: Double
  /// The ratio of `within` to `between`, not limited; infinite if `between` is not above 0.
  package let ratio: Double
  /// The mean of all strata, weighted with their credibility.
  package let collective: Double
  /// The credibility of each stratum, from 0 to 1.
  package let factors: [Double]
  /// The premium of each stratum: the mean of its own and the collective's mean, weighted with its credibility.
  package let premiums: [Double]

  /// Estimates the collective of at least two strata with more observations than strata; nil for fewer.
  package init?(_ strata: [Stratum]) {
    let count = Double(strata.count)
    let observations = strata.reduce(0) { $0 + $1.observations }
    guard strata.count > 1, observations > strata.count else { return nil }
    let total = strata.reduce(0) { $0 + $1.weight }
    let within = strata.reduce(0) { $0 + $1.squares } / Double(observations - strata.count)
    let mean = strata.reduce(0) { $0 + $1.weight * $1.mean } / total
    let spread = strata.reduce(0) { $0 + $1.weight * ($1.mean - mean) * ($1.mean - mean) }
    let scale = total / (total * total - strata.reduce(0) { $0 + $1.weight * $1.weight })
    let between = scale * (spread - (count - 1) * within)
    let ratio = between > 0 ? within / between : .infinity
    let factors = strata.map { between > 0 ? $0.weight / ($0.weight + ratio) : 0 }
    let sum = factors.reduce(0, +)
    let collective = sum > 0 ? zip(factors, strata).reduce(0) { $0 + $1.0 * $1.1.mean } / sum : mean
    (self.within, self.between, self.ratio, self.collective, self.factors) =
      (within, between, ratio, collective, factors)
    premiums = zip(factors, strata).map { $0 * $1.mean + (1 - $0) * collective }
  }
}
