internal import Glibc
internal import LookupTables
internal import Statistics

/// Hours with more postbacks of a campaign than its other days allow.
///
/// The expected number of an hour is the mean of the campaign's other days, spread over the hours of the day as all traffic is.
/// Counts vary more than by chance: the variance is that of the campaign's own hours. What an outage delayed is no burst.
struct CampaignBursts {
  let values: SenderValues

  private static let leastRecords = 100
  private static let leastDays = 4

  func all() -> [SignalTest] {
    var profile = [Double](repeating: 1, count: 24)
    var series: [Pair: [Int32: Int32]] = [:]
    for (hour, count) in values.hours {
      profile[Int(hour.hour % 24)] += Double(count)
      series[Pair(campaign: hour.campaign, forwarder: hour.forwarder), default: [:]][hour.hour, default: 0] += count
    }
    let sum = profile.reduce(0, +)
    profile = profile.map { $0 / sum }
    var best: [Int32: Burst] = [:]
    for (pair, hours) in series.sorted(by: { $0.key < $1.key }) {
      guard var found = Self.largest(hours, profile) else { continue }
      let known = best[pair.forwarder]
      // All hours of all campaigns of the forwarder were looked at.
      found.hours += known?.hours ?? 0
      if let known, known.pValue <= found.pValue {
        best[pair.forwarder]?.hours = found.hours
      } else {
        best[pair.forwarder] = found
        best[pair.forwarder]?.campaign = values.campaigns.values[Int(pair.campaign)].campaign
      }
    }
    return best.sorted { $0.key < $1.key }.map { forwarder, burst in
      let others = burst.total - burst.count
      var test = SignalTest(
        name: .bursts,
        basis: .past,
        method: .counts,
        party: SignalParty(kind: .forwarder, name: values.forwarders.values[Int(forwarder)]),
        value: burst.campaign,
        own: Rate(count: burst.count, total: burst.total),
        others: Rate(count: Int(burst.expected.rounded()), total: others),
        effect: Double(burst.count) - burst.expected,
        pValue: min(1, burst.pValue * Double(burst.hours))
      )
      test.since = SignalOnset(day: burst.hour / 24, low: burst.hour / 24, high: burst.hour / 24)
      return test
    }
  }

  private struct Pair: Hashable, Comparable {
    let campaign, forwarder: Int32

    static func < (left: Self, right: Self) -> Bool {
      (left.campaign, left.forwarder) < (right.campaign, right.forwarder)
    }
  }

  struct Burst {
    var campaign = ""
    var hour: Int32 = 0
    var count = 0
    var total = 0
    var expected = 0.0
    var pValue = 1.0
    var hours = 0
  }

  /// The hour that chance explains the least; nil if the campaign has too few postbacks or days.
  static func largest(_ hours: [Int32: Int32], _ profile: [Double]) -> Burst? {
    let total = hours.values.reduce(0) { $0 + Int($1) }
    guard total >= leastRecords, let first = hours.keys.min(), let last = hours.keys.max() else { return nil }
    let days = Double(last / 24 - first / 24 + 1)
    guard days >= Double(leastDays) else { return nil }
    // The dispersion is that of all hours but the fullest ones.
    let ordered = hours.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let ignored = Set(ordered.prefix(max(1, ordered.count / 100)).map(\.key))
    let rest = ordered.filter { !ignored.contains($0.key) }.reduce(0.0) { $0 + Double($1.value) } / days
    var (squares, expectations) = (0.0, 0.0)
    for hour in first...last where !ignored.contains(hour) {
      let expected = max(rest * profile[Int(hour % 24)], 1e-9)
      let count = Double(hours[hour] ?? 0)
      squares += (count - expected) * (count - expected) - expected
      expectations += expected * expected
    }
    // Variance = mean + mean² / size.
    let size = squares > 0 ? expectations / squares : 1e9
    var burst = Burst(total: total, hours: hours.count)
    let sorted = hours.keys.sorted()
    // What the last outage may have delayed, twice as many as usual, and the time by which it has come: as long after the outage.
    var (backlog, end) = (0.0, 0)
    for (place, hour) in sorted.enumerated() {
      let count = Int(hours[hour] ?? 0)
      let expected = rest * profile[Int(hour % 24)]
      let gap = place > 0 ? hour - sorted[place - 1] : 0
      if gap > 12 {
        // A night in which nothing is expected delays nothing.
        let missed = (sorted[place - 1] + 1..<hour).reduce(0.0) { $0 + rest * profile[Int($1 % 24)] }
        (backlog, end) = (2 * missed, Int(hour) + Int(gap))
      }
      let delayed = Int(hour) < end ? min(max(0, Double(count) - expected), backlog) : 0
      backlog -= delayed
      if gap > 12 { continue }
      let pValue = tail(count - Int(delayed), mean: expected, size: size)
      guard pValue < burst.pValue else { continue }
      (burst.hour, burst.count, burst.expected, burst.pValue) = (hour, count, expected, pValue)
    }
    return burst.count > 0 ? burst : nil
  }

  /// The chance of as many events or more (negative binomial distribution).
  private static func tail(_ count: Int, mean: Double, size: Double) -> Double {
    guard count > 0, Double(count) > mean else { return 1 }
    let chance = mean / (mean + size)
    let events = Double(count)
    let choices =
      logGamma(size + events) - logGamma(size) - logGamma(events + 1)
    var term = exp(choices + size * log1p(-chance) + events * log(chance))
    var (sum, place) = (term, events)
    while term > sum * 1e-12, place < Double(count) + 100_000 {
      term *= chance * (size + place) / (place + 1)
      sum += term
      place += 1
    }
    return min(sum, 1)
  }
}
