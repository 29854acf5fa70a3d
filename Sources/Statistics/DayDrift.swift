package import ConversionModel
internal import Glibc

/// The revenue of nulls beside that of values, as the install days tell it.
///
/// On some days many installs have no value. Where values of these days are worth something else than those of other
/// days of their campaigns, beyond chance, the nulls are too. The days are taken in three groups, by their null rates.
package struct DayDrift: Equatable, Sendable {
  /// The factor of the revenue of nulls; 1 where days do not differ beyond chance.
  package private(set) var factor = 1.0
  /// The deviation of that factor, as a part of it.
  package private(set) var deviation = 0.0

  /// The values and the nulls of a stratum on a day, as the numbers that are expected where dates are not exact.
  package struct Day: Equatable, Sendable {
    package var nulls = 0.0
    package var values = 0.0
    package var revenue = Amount.zero

    /// The counts of a day.
    package init(nulls: Double = 0, values: Double = 0, revenue: Amount = Amount.zero) {
      (self.nulls, self.values, self.revenue) = (nulls, values, revenue)
    }

    package static func += (left: inout Self, right: Self) {
      left.nulls += right.nulls
      left.values += right.values
      left.revenue += right.revenue
    }
  }

  private static let groups = 3
  private static let fewestValues = 30.0
  /// The quantile of the chi-squared distribution with two degrees of freedom at 99 %.
  private static let chance = 9.21

  /// The sums of a day, or of a group of days.
  private struct Sums {
    var nulls = 0.0
    /// The revenue that the nulls were worth, if they were as all values of their strata.
    var expectedNulls = 0.0
    var values = 0.0
    var revenue = 0.0
    /// The revenue that the values were worth, if they were as all of their strata.
    var expected = 0.0

    var rate: Double { nulls / (nulls + values) }

    static func += (left: inout Self, right: Self) {
      left.nulls += right.nulls
      left.expectedNulls += right.expectedNulls
      left.values += right.values
      left.revenue += right.revenue
      left.expected += right.expected
    }
  }

  /// Estimates the drift from the days of strata. `variance` is that of the revenue of a value.
  package init(_ strata: [[Int64: Day]], variance: Double) {
    var days: [Int64: Sums] = [:]
    for stratum in strata {
      let whole = stratum.sorted { $0.key < $1.key }.reduce(into: Day()) { $0 += $1.value }
      guard whole.values > 0 else { continue }
      let mean = whole.revenue.approximation / whole.values
      for (number, day) in stratum where day.nulls + day.values > 0 {
        days[number, default: Sums()] += Sums(
          nulls: day.nulls,
          expectedNulls: day.nulls * mean,
          values: day.values,
          revenue: day.revenue.approximation,
          expected: day.values * mean
        )
      }
    }
    let ordered = days.sorted { ($0.value.rate, $0.key) < ($1.value.rate, $1.key) }.map(\.value)
    let all = ordered.reduce(into: Sums()) { $0 += $1 }
    guard all.expectedNulls > 0 else { return }
    var groups = [Sums](repeating: Sums(), count: Self.groups)
    var before = 0.0
    for day in ordered {
      let place = (before + (day.nulls + day.values) / 2) / (all.nulls + all.values)
      groups[min(Int(place * Double(Self.groups)), Self.groups - 1)] += day
      before += day.nulls + day.values
    }
    var (distance, sum, error) = (0.0, 0.0, 0.0)
    for group in groups {
      guard group.values >= Self.fewestValues, group.expected > 0 else { return }
      let (level, spread) = (
        group.revenue / group.expected, group.values * variance / (group.expected * group.expected)
      )
      distance += (level - 1) * (level - 1) / spread
      let share = group.expectedNulls / all.expectedNulls
      sum += share * level
      error += share * share * spread
    }
    guard distance > Self.chance, sum > 0 else { return }
    factor = sum
    deviation = (error + log(sum) * log(sum) / 4).squareRoot() / sum
  }
}
