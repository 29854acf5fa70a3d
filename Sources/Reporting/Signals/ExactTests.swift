internal import CBoostMath
internal import Glibc

/// A number of records with a property, and the number of those for which it is known.
package struct Rate: Equatable, Sendable {
  /// The number of records with the property.
  package var count = 0
  /// The number of records for which the property is known.
  package var total = 0

  /// The share, from 0 to 1; nil if there are no records.
  package var share: Double? { total > 0 ? Double(count) / Double(total) : nil }

  mutating func add(_ hasProperty: Bool) {
    total += 1
    if hasProperty { count += 1 }
  }

  static func += (left: inout Rate, right: Rate) {
    left.count += right.count
    left.total += right.total
  }

  static func - (left: Rate, right: Rate) -> Rate {
    Rate(count: left.count - right.count, total: left.total - right.total)
  }
}

/// Exact tests of rates.
enum ExactTest {
  /// Returns the probability of as many successes or more, if each trial succeeds with a chance (exact binomial test).
  static func binomial(_ rate: Rate, chance: Double) -> Double {
    min(max(cboostmath_binomial_tail(UInt64(rate.count), UInt64(rate.total), chance), 0), 1)
  }

  /// Returns the probability of as many successes in one sample or more, given the successes of both, if both have the
  /// same rate (Fisher's exact test, one-sided).
  static func fisher(_ one: Rate, against other: Rate) -> Double {
    let (successes, all) = (one.count + other.count, one.total + other.total)
    let largest = min(one.total, successes)
    guard one.count > max(0, one.total - (all - successes)) else { return 1 }
    // P(k + 1) / P(k) is the ratio below, so that only the first term needs logarithms.
    var term = exp(
      logChoices(of: one.total, one.count) + logChoices(of: other.total, successes - one.count)
        - logChoices(of: all, successes)
    )
    var sum = term
    var place = one.count
    while place < largest, term > sum * 1e-17 {
      let (k, n, other) = (Double(place), Double(one.total), Double(other.total))
      let left = Double(successes - place)
      term *= (n - k) * left / ((k + 1) * (other - left + 1))
      sum += term
      place += 1
    }
    return min(sum, 1)
  }

  private static func logChoices(of count: Int, _ chosen: Int) -> Double {
    logFactorial(count) - logFactorial(chosen) - logFactorial(count - chosen)
  }

  private static func logFactorial(_ count: Int) -> Double {
    var sign: Int32 = 0
    return unsafe lgamma_r(Double(count) + 1, &sign)
  }
}
