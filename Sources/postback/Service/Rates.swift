internal import PostbackPipeline

/// How fast a count grows, over the last minutes: a pure struct that is told the count now and then.
struct Rates: Sendable {
  private struct Sample {
    let time: ContinuousClock.Instant
    let count: Int64
  }

  /// The longest span that a rate is known for.
  static let longest = Duration.seconds(15 * 60)
  private static let resolution = Duration.seconds(1)

  /// At most one a second, and only the first of them older than the longest span.
  private var samples: [Sample] = []
  private var latest: Sample?

  /// How many counts are kept.
  var sampleCount: Int { samples.count }

  /// Takes the count at a time, which is not before the last one.
  mutating func add(_ count: Int64, at time: ContinuousClock.Instant) {
    let sample = Sample(time: time, count: count)
    latest = sample
    if let last = samples.last, time - last.time < Self.resolution { return }
    samples.append(sample)
    let old = samples.prefix { time - $0.time >= Self.longest }.count
    samples.removeFirst(max(old - 1, 0))
  }

  /// By how much a second the count grew over a span up to the last time, or since the first one where that is shorter;
  /// nil where there is no time between them.
  func perSecond(over span: Duration) -> Double? {
    guard let latest, let first = samples.first else { return nil }
    let base = samples.last { latest.time - $0.time >= span } ?? first
    guard latest.time > base.time else { return nil }
    return Double(latest.count - base.count) / (latest.time - base.time).seconds
  }
}
