internal import Glibc
internal import Statistics

/// An estimate with the limits of its interval, which is of 95 % if users to come pay like those that were seen.
package struct Estimate: Sendable {
  package let value: Double
  package let low: Double
  package let high: Double
}

/// The parts of the expected squared error of the revenue of a campaign, which add up.
package struct ErrorParts: Sendable {
  /// The part that the chance of a campaign's users makes.
  package let chance: Double
  /// The part of a mean error that the model has however many users it learns from.
  package let mean: Double
  /// The part of the mean error that comes from worths which are means of few users.
  package let learning: Double

  /// The root of their sum.
  package var root: Double { (chance + mean + learning).squareRoot() }
}

/// Sums of the errors of users, by group.
struct ErrorSums: Sendable {
  /// The sums of a group.
  struct Group: Sendable {
    var installs = 0.0
    /// The errors, each the mean over the kinds of values, and their squares.
    var error = 0.0
    var errorSquare = 0.0
    /// The squared errors.
    var square = 0.0
    /// The largest squared error of an install.
    var largest = 0.0
    /// The parts of the errors that are learnt, and their squares.
    var learnt = 0.0
    var learntSquare = 0.0
    var revenue = 0.0

    static func += (left: inout Group, right: Group) {
      left.installs += right.installs
      left.error += right.error
      left.errorSquare += right.errorSquare
      left.square += right.square
      left.largest = max(left.largest, right.largest)
      left.learnt += right.learnt
      left.learntSquare += right.learntSquare
      left.revenue += right.revenue
    }

    /// The expected squared error of the revenue of a campaign of this many installs.
    ///
    /// Users are independent: the variances of their errors add up, and so do their mean errors. The square of the mean
    /// error is estimated without the variance of the mean itself. A model whose worths are means has another mean error
    /// each time that it is learnt, which errors of folds do not show, because they cancel out: its variance is that of
    /// the mean of as many users.
    func parts(_ count: Double) -> ErrorParts {
      guard installs > 0 else { return ErrorParts(chance: 0, mean: 0, learning: 0) }
      func varianceOfMean(_ sum: Double, _ squares: Double) -> Double {
        max(0, squares / installs - (sum / installs) * (sum / installs)) / installs
      }
      let mean = error / installs
      return ErrorParts(
        chance: count * max(0, square / installs - mean * mean),
        mean: count * count * max(0, mean * mean - varianceOfMean(error, errorSquare)),
        learning: count * count * varianceOfMean(learnt, learntSquare)
      )
    }

    /// The root of the expected squared error of the revenue of a campaign of this many installs.
    func campaignError(_ count: Double) -> Double { parts(count).root }
  }

  private(set) var groups = [Group](repeating: Group(), count: Population.groupCount)

  /// Sums up the errors of predictions in windows, for users of whom the last of these windows has ended.
  init(_ population: Population, _ windows: ClosedRange<Int>, _ predictions: Predictions, _ assumptions: Assumptions) {
    let shares = ToldKind.allCases.map(assumptions.share)
    for user in 0..<population.count {
      let weight = Double(population.weights[windows.upperBound][user])
      guard weight > 0 else { continue }
      let revenue = windows.reduce(0.0) { $0 + Double(population.revenue[$1][user]) / millionths }
      var (error, square, learnt) = (0.0, 0.0, 0.0)
      for (kind, share) in shares.enumerated() {
        let difference = predictions.values[kind][user] - revenue
        error += share * difference
        square += share * difference * difference
        learnt += share * predictions.learnt[kind][user]
      }
      groups[population.group(user)] += Group(
        installs: weight,
        error: weight * error,
        errorSquare: weight * error * error,
        square: weight * square,
        largest: square,
        learnt: weight * learnt,
        learntSquare: weight * learnt * learnt,
        revenue: weight * revenue
      )
    }
  }

  var total: Group { sum(Array(groups.indices)) }

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
