internal import Statistics

/// The first of the days on which the copies of devices lost a field on the way: fewer of them have it than on all other days,
/// while as many of the forwarders' copies of the same postbacks have it.
///
/// A forwarder that adds a field changes its own copies alone, so that the devices' have it as often as before.
struct LostDays: Sendable {
  let first: Int32

  private static let leastRecords = SignalRates.leastRecords
  /// The least logarithm of the likelihood ratio of different shares against equal ones.
  private static let leastEvidence = 12.0
  /// The largest number of days that a span may begin or end on.
  private static let mostLimits = 100

  /// Finds the span that differs most clearly; nil if no field was lost. `device` has the postbacks with the field in the device's
  /// copy, and `sent` the same postbacks with those that have it in any copy.
  init?(device: DaySeries, sent: DaySeries) {
    let cells = device.cells
    let step = max(1, cells.count / Self.mostLimits)
    var sums = [Rate()]
    var all = Rate()
    for cell in cells {
      all += cell.rate
      sums.append(all)
    }
    let limits = Array(stride(from: 0, to: cells.count, by: step)) + [cells.count]
    var best: (evidence: Double, range: Range<Int>)?
    for (place, low) in limits.enumerated() {
      for high in limits[(place + 1)...] {
        let inside = sums[high] - sums[low]
        let outside = all - inside
        guard inside.total >= Self.leastRecords, outside.total >= Self.leastRecords,
          inside.count * outside.total < outside.count * inside.total
        else { continue }
        let evidence =
          RateEvidence.largestLikelihood(inside) + RateEvidence.largestLikelihood(outside)
          - RateEvidence.largestLikelihood(all)
        if evidence > best?.evidence ?? Self.leastEvidence { best = (evidence, low..<high) }
      }
    }
    guard let range = best?.range else { return nil }
    first = cells[range.lowerBound].day
    let days = Set(cells[range].map(\.day))
    func shares(_ series: DaySeries) -> (inside: Double, outside: Double) {
      let outside = series.withoutDays(days).rate
      return ((series.rate - outside).share ?? 0, outside.share ?? 0)
    }
    let (own, any) = (shares(device), shares(sent))
    // The fall of the devices' share, the rise of that of all copies, and what is beyond the devices' in these days.
    let (fall, rise, excess) = (own.outside - own.inside, any.inside - any.outside, any.inside - own.inside)
    guard 2 * abs(rise) <= fall, 2 * (fall + rise) >= excess else { return nil }
  }
}
