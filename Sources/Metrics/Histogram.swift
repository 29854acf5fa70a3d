/// A histogram of durations, as Prometheus counts them.
package struct Histogram: Equatable, Sendable {
  /// The upper bounds of the buckets in seconds, ascending.
  package let bounds: [Double]
  /// The number of durations in each bucket: those of at most its bound, and above the bound before.
  package private(set) var counts: [Int64]
  /// The number of all durations, including those above the last bound.
  package private(set) var count: Int64 = 0
  /// The sum of all durations, in seconds.
  package private(set) var sum = 0.0

  /// Creates an empty histogram. The bounds are in seconds.
  package init(bounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count)
  }

  /// Counts a duration.
  package mutating func observe(_ duration: Duration) {
    let seconds = duration / .seconds(1)
    count += 1
    sum += seconds
    if let index = bounds.firstIndex(where: { seconds <= $0 }) { counts[index] += 1 }
  }
}
