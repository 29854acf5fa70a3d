/// The largest rise of a mean from one day to all later ones.
package struct MeanStep: Sendable {
  /// The rise in standard errors; 0 if the mean does not rise.
  package private(set) var value = 0.0
  /// The mean of the days from the rise on, less that of the days before it.
  package private(set) var step = 0.0
  /// The place of the first day after the rise; 0 if there is none.
  package private(set) var place = 0

  /// Finds the rise. Each day has the sum of its values, the variance of the sum, and the number of its values. There are at least
  /// `least` values before the rise, and from it on.
  package init(_ sums: [Double], _ variances: [Double], _ counts: [Double], least: Double) {
    let (allSum, allVariance, allCount) = (sums.reduce(0, +), variances.reduce(0, +), counts.reduce(0, +))
    var (sum, variance, count) = (0.0, 0.0, 0.0)
    for place in sums.indices.dropFirst() {
      sum += sums[place - 1]
      variance += variances[place - 1]
      count += counts[place - 1]
      guard min(count, allCount - count) >= least else { continue }
      let step = (allSum - sum) / (allCount - count) - sum / count
      let error = variance / (count * count) + (allVariance - variance) / ((allCount - count) * (allCount - count))
      let value = step / error.squareRoot()
      if value > self.value { (self.value, self.step, self.place) = (value, step, place) }
    }
  }

  /// The share of series whose largest rise has at least this value: of simulated ones without a rise, and of this one. Their
  /// days have these variances and numbers of values.
  package func pValue(
    _ variances: [Double],
    _ counts: [Double],
    least: Double,
    simulations: Int,
    using random: inout DrawnNumbers
  ) -> Double {
    let errors = variances.map { $0.squareRoot() }
    var sums = errors
    var larger = 1
    for _ in 0..<simulations {
      for place in errors.indices { sums[place] = errors[place] * random.normal() }
      if MeanStep(sums, variances, counts, least: least).value >= value { larger += 1 }
    }
    return Double(larger) / Double(simulations + 1)
  }
}
