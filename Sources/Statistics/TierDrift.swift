internal import Glibc

/// The revenue of nulls beside that of values, as the values of the data tiers tell it.
///
/// Nulls are of the lowest tiers, where the crowd of an ad in a country is small. So values of the nearest tier tell most
/// of what they are worth. The level of each tier, beside what its campaigns are worth on all tiers, is a random walk from
/// tier to tier with a trend, which goes on to the nulls.
package struct TierDrift: Equatable, Sendable {
  /// The factor of the revenue of nulls.
  package private(set) var factor = 1.0
  /// The deviation of that factor, as a part of it.
  package private(set) var deviation = 0.0
  /// The variance of the factors of single strata around it, as a part of its square.
  package private(set) var ownVariance = 0.0
  /// Indicates that two tiers are worth so different amounts that nothing follows for nulls.
  package private(set) var isTooLarge = false

  /// No drift: the values are as those of nulls.
  package init() {}

  /// The sums of the values of a tier.
  package struct Tier {
    /// The number of values.
    var count = 0.0
    /// The sum of their revenue.
    var revenue = 0.0
    /// The sum of the squares of their revenue.
    var squares = 0.0
    /// The revenue that the values' strata are worth on all tiers.
    var expected = 0.0

    /// No values.
    package init() {}

    /// Adds values of one amount, of a stratum whose values are worth `mean`.
    package mutating func add(_ number: Double, worth amount: Double, mean: Double) {
      count += number
      revenue += number * amount
      squares += number * amount * amount
      expected += number * mean
    }
  }

  private static let fewestValues = 30.0
  /// The largest variance of the logarithm of a level with which a tier is used.
  private static let largestVariance = 0.25
  /// The steps of the trend from the nearest tier to the nulls, whose crowds have all sizes below those of tier 1.
  private static let steps = 1.5
  /// The difference of the logarithms of levels from which the assumption is visibly wrong.
  private static let largestStep = log(5.0)

  /// Estimates the drift from the values of the tiers 1 to 3.
  package init(_ tiers: [Int: Tier]) {
    var levels: [(place: Double, level: Double, variance: Double)] = []
    for number in [3, 2, 1] {
      guard let tier = tiers[number], tier.count >= Self.fewestValues, tier.revenue > 0, tier.expected > 0 else {
        continue
      }
      let squares = tier.squares - tier.revenue * tier.revenue / tier.count
      let variance = max(squares, 0) / (tier.revenue * tier.revenue)
      guard variance <= Self.largestVariance else { continue }
      levels.append((Double(-number), log(tier.revenue / tier.expected), variance))
    }
    guard levels.count > 1, let first = levels.first else { return }
    var step = 0.0
    for (one, other) in zip(levels, levels.dropFirst()) {
      let difference = other.level - one.level
      step += difference * difference / Double(levels.count - 1)
      let error = (one.variance + other.variance).squareRoot()
      if abs(difference) > max(Self.largestStep, 4 * error) { isTooLarge = true }
    }
    let (level, variance) = Self.filter(levels, first, step)
    let still = Self.filter(levels, first, 0)
    let trend = Self.trend(levels)
    factor = exp(level + Self.steps * trend)
    deviation = (variance - still.variance + trend * trend).squareRoot()
    ownVariance = step
  }

  /// Returns the level of nulls, one step after the nearest tier, and its variance.
  private static func filter(
    _ levels: [(place: Double, level: Double, variance: Double)],
    _ first: (place: Double, level: Double, variance: Double),
    _ step: Double
  ) -> (level: Double, variance: Double) {
    var (level, variance) = (first.level, first.variance)
    for next in levels.dropFirst() {
      variance += step
      let gain = variance + next.variance > 0 ? variance / (variance + next.variance) : 1
      level += gain * (next.level - level)
      variance *= 1 - gain
    }
    return (level, variance + step)
  }

  /// Returns the slope of the levels from tier to tier, drawn to 0 as far as chance explains it.
  private static func trend(_ levels: [(place: Double, level: Double, variance: Double)]) -> Double {
    let weights = levels.map { 1 / max($0.variance, 1e-9) }
    let sum = weights.reduce(0, +)
    let place = zip(weights, levels).reduce(0) { $0 + $1.0 * $1.1.place } / sum
    let spread = zip(weights, levels).reduce(0) { $0 + $1.0 * ($1.1.place - place) * ($1.1.place - place) }
    let slope = zip(weights, levels).reduce(0) { $0 + $1.0 * ($1.1.place - place) * $1.1.level } / spread
    let chance = 1 / spread
    return slope * slope > chance ? slope * (1 - chance / (slope * slope)) : 0
  }
}
