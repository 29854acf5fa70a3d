internal import Glibc

/// Gaps between records that their usual gaps do not explain.
enum Outage {
  /// Returns the spans between neighbours that are longer than the usual gaps explain, and than `shortest`. The minutes are sorted.
  static func spans(_ minutes: [Int32], shortest: Double) -> [ClosedRange<Int32>] {
    guard minutes.count > 2 else { return [] }
    let gaps = zip(minutes, minutes.dropFirst()).map { $1 - $0 }.sorted()
    // The median of an exponential distribution is log 2 of its mean.
    let mean = max(1, Double(gaps[gaps.count / 2])) / log(2)
    let longest = max(shortest, 2 * mean * log(Double(minutes.count) / 0.01))
    return zip(minutes, minutes.dropFirst()).compactMap { Double($1 - $0) > longest ? $0...$1 : nil }
  }
}
