/// Counts by code in equal steps of time.
package struct Timeline: Sendable {
  /// The length of a step, in hours.
  package let stepHours: Int
  /// The beginning of the first step, in hours since 1970.
  package let start: Int
  /// The number of steps.
  package let count: Int
  /// The counts of each code, those with the most rejects first.
  package let series: [(code: String, counts: [Int])]
  /// The number of rejects in no step: without a time, with a time of another origin, or too long before the others.
  package let undated: Int

  /// The lengths that a step may have: a chart has at most `largestCount` of them.
  private static let lengths = [1, 3, 6, 12, 24, 7 * 24, 28 * 24, 364 * 24]
  private static let largestCount = 120

  /// Creates a timeline from counts by code and hour since 1970. If the hours need more than `largestCount` steps of
  /// the greatest length, only the latest steps are kept.
  init(_ hours: [(hour: Int, code: String, count: Int)], undated: Int) {
    let (first, last) = (hours.map(\.hour).min() ?? 0, hours.map(\.hour).max() ?? -1)
    let length =
      Self.lengths.first { last / $0 - first / $0 < Self.largestCount } ?? Self.lengths[Self.lengths.count - 1]
    // Weeks begin on Mondays, and 1970 began on a Thursday.
    let shift = length == 7 * 24 ? 3 * 24 : 0
    func step(_ hour: Int) -> Int { (hour + shift) / length }
    let start = Swift.max(step(first), step(last) - Self.largestCount + 1)
    let count = hours.isEmpty ? 0 : step(last) - start + 1
    var series: [String: [Int]] = [:]
    var early = 0
    for entry in hours {
      let place = step(entry.hour) - start
      if place < 0 {
        early += entry.count
      } else {
        series[entry.code, default: [Int](repeating: 0, count: count)][place] += entry.count
      }
    }
    stepHours = length
    self.start = start * length - shift
    self.count = count
    self.series = series.sorted { one, other in
      let (ones, others) = (one.value.reduce(0, +), other.value.reduce(0, +))
      return ones == others ? one.key < other.key : ones > others
    }.map { ($0.key, $0.value) }
    self.undated = undated + early
  }
}
