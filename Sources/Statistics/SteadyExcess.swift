internal import CBoostMath

/// A test of a rate by day that is at most a bound if there is nothing to find.
///
/// Days are the observations, so that what varies from day to day counts as chance, whatever its cause: numbers of one day, such
/// as those of an outage, are no excess. Days that are like their neighbours count for less than days that are not.
package struct SteadyExcess: Sendable {
  /// A day: what is looked for, and of how much.
  package struct Day: Sendable {
    let own, all: Double

    /// Takes the numbers of a day.
    package init(_ own: Double, of all: Double) { (self.own, self.all) = (own, all) }
  }

  /// The chance of a rate as far above the bound or further with nothing to find, by Student's t, for all days or without the
  /// worst ones, whichever is larger.
  package let pValue: Double

  /// The least number of days with which there is a test.
  package static let leastDays = 7
  /// The number of days with the most above the bound without which the excess must be there, too.
  private static let worstDays = 2

  /// Tests a rate against a bound; nil for too few days.
  package init?(_ days: [Day], above bound: Double) {
    guard days.count >= Self.leastDays else { return nil }
    func excess(_ day: Day) -> Double { day.own - bound * day.all }
    let worst = days.indices.sorted { excess(days[$0]) > excess(days[$1]) }.prefix(Self.worstDays)
    let rest = days.indices.filter { !worst.contains($0) }.map { days[$0] }
    pValue = max(Self.chance(days, bound), Self.chance(rest, bound))
  }

  private static func chance(_ days: [Day], _ bound: Double) -> Double {
    let (own, all) = (days.reduce(0) { $0 + $1.own }, days.reduce(0) { $0 + $1.all })
    guard all > 0, own > bound * all else { return 1 }
    let deviations = days.map { $0.own - own / all * $0.all }
    let squares = deviations.reduce(0) { $0 + $1 * $1 }
    guard squares > 0 else { return 0 }
    let products = zip(deviations, deviations.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 }
    // The variance of a sum of days of which each is like the one before (AR(1)); never less than that of independent ones.
    let likeness = min(max(products / squares, 0), 0.9)
    let count = Double(days.count)
    let variance = squares * count / (count - 1) * (1 + likeness) / (1 - likeness)
    return cboostmath_student_tail((own - bound * all) / variance.squareRoot(), count - 1)
  }
}

/// The binomial distribution.
package enum Binomial {
  /// Returns the chance of at least so many successes in trials of which each has a probability of one.
  package static func tail(_ successes: Int, of trials: Int, probability: Double) -> Double {
    cboostmath_binomial_tail(UInt64(successes), UInt64(trials), probability)
  }
}
