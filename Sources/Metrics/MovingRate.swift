/// The growth of a count per second, over recent spans of time.
///
/// The owner passes the count and the time regularly; there is no clock in it.
package struct MovingRate: Sendable {
  private struct Sample {
    let time: ContinuousClock.Instant
    let count: Int64
  }

  /// The longest span with a known rate.
  package static let longest = Duration.seconds(15 * 60)
  private static let resolution = Duration.seconds(1)

  /// The samples of the count, at least a second apart. Only the first may be older than the longest span.
  private var samples: [Sample] = []
  private var latest: Sample?

  /// Creates a rate without samples.
  package init() {}

  /// The number of samples that are kept.
  var sampleCount: Int { samples.count }

  /// Records the count at a time, which is not before the last one.
  package mutating func add(_ count: Int64, at time: ContinuousClock.Instant) {
    let sample = Sample(time: time, count: count)
    latest = sample
    if let last = samples.last, time - last.time < Self.resolution { return }
    samples.append(sample)
    let old = samples.prefix { time - $0.time >= Self.longest }.count
    samples.removeFirst(max(old - 1, 0))
  }

  /// Returns the growth of the count per second over a span that ends at the last addition, or since the first sample if
  /// that is more recent; nil if no time has passed.
  package func perSecond(over span: Duration) -> Double? {
    guard let latest, let first = samples.first else { return nil }
    let base = samples.last { latest.time - $0.time >= span } ?? first
    guard latest.time > base.time else { return nil }
    return Double(latest.count - base.count) / ((latest.time - base.time) / .seconds(1))
  }
}
