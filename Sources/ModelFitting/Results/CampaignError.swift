internal import Glibc
internal import Statistics

/// An estimate with the limits of its 95 % interval.
package struct Estimate: Sendable {
  package let value: Double
  package let low: Double
  package let high: Double
}

/// Sums of the errors of users, by group.
struct ErrorSums: Sendable {
  /// The sums of a group: installs, errors, squared errors, and revenue.
  struct Group: Sendable {
    var installs = 0.0
    var error = 0.0
    var square = 0.0
    var revenue = 0.0

    static func += (left: inout Group, right: Group) {
      left.installs += right.installs
      left.error += right.error
      left.square += right.square
      left.revenue += right.revenue
    }

    /// The root of the expected squared error of the revenue of a campaign of this many installs.
    ///
    /// Users are independent: the variances of their errors add up, and so do their mean errors. The square of the mean
    /// error is estimated without the variance of the mean itself.
    func campaignError(_ count: Double) -> Double {
      guard installs > 0 else { return 0 }
      let mean = error / installs
      let variance = max(0, square / installs - mean * mean)
      let bias = max(0, mean * mean - variance / installs)
      return (count * variance + count * count * bias).squareRoot()
    }
  }

  private(set) var groups = [Group](repeating: Group(), count: Population.groupCount)

  /// Sums up the errors of predictions in windows, for users of whom the last of these windows has ended.
  init(_ population: Population, _ windows: ClosedRange<Int>, _ predictions: Predictions, _ assumptions: Assumptions) {
    let shares = ToldKind.allCases.map(assumptions.share)
    for user in 0..<population.count {
      let weight = Double(population.weights[windows.upperBound][user])
      guard weight > 0 else { continue }
      let revenue = windows.reduce(0.0) { $0 + Double(population.revenue[$1][user]) / millionths }
      var (error, square) = (0.0, 0.0)
      for (kind, share) in shares.enumerated() {
        let difference = predictions.values[kind][user] - revenue
        error += share * difference
        square += share * difference * difference
      }
      groups[population.group(user)] += Group(
        installs: weight,
        error: weight * error,
        square: weight * square,
        revenue: weight * revenue
      )
    }
  }

  var total: Group {
    var total = Group()
    for group in groups { total += group }
    return total
  }

  /// Returns the sums of a drawn sample of groups.
  func sum(_ sample: [Int]) -> Group {
    var total = Group()
    for group in sample { total += groups[group] }
    return total
  }
}

/// Samples of groups of users, drawn with replacement, for intervals.
struct GroupSamples: Sendable {
  private let samples: [[Int]]

  static let count = 1000

  init(seed: UInt64) {
    var numbers = DrawnNumbers(seed: seed)
    samples = (0..<Self.count).map { _ in
      (0..<Population.groupCount).map { _ in numbers.below(Population.groupCount) }
    }
  }

  /// Returns a quantity with the interval of its values in the samples.
  func estimate(_ value: Double, _ resampled: ([Int]) -> Double) -> Estimate {
    let values = samples.map(resampled).sorted()
    return Estimate(value: value, low: values[Self.count / 40], high: values[Self.count - 1 - Self.count / 40])
  }
}
