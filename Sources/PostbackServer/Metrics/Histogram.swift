internal import PostbackPipeline

/// How long something took, again and again: counts of those that took no longer than each bound.
package struct Histogram: Equatable, Sendable {
  /// The bounds in seconds, ascending.
  package let bounds: [Double]
  /// How many took no longer than the bound, and longer than the one before.
  package private(set) var counts: [Int64]
  /// How many there were, whatever they took.
  package private(set) var count: Int64 = 0
  /// What they took together, in seconds.
  package private(set) var sum = 0.0

  /// Nothing observed so far; the bounds are in seconds.
  package init(bounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count)
  }

  /// Counts one that took so long.
  package mutating func observe(_ duration: Duration) {
    let seconds = duration.seconds
    count += 1
    sum += seconds
    if let index = bounds.firstIndex(where: { seconds <= $0 }) { counts[index] += 1 }
  }
}
