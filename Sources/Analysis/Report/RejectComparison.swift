internal import Base
internal import Glibc
package import SKAdNetwork
package import TableReading

/// The rejects of two periods, and the groups whose number changed from one to the other.
///
/// Harmless copies, whose number follows that of all records, are in the totals alone. A group has a reject code, a forwarder, a network and an app. The later period is compared with what the daily rate of the
/// earlier one lets expect, so that periods may have different lengths.
package struct RejectComparison: Sendable {
  /// A group with its numbers in both periods.
  package struct Change: Sendable {
    /// The code, the forwarder, the network and the app; nil where the records do not name one, or name several.
    package let code: String
    package let forwarder, network, app: String?
    /// The numbers of networks and of apps that the records name.
    package let networks, apps: Int
    /// The rejects of each period.
    package let before, after: Int
    /// The difference of `after` from what the earlier period lets expect.
    package let difference: Double
    /// The part of it in the sum of the differences of all groups, without their signs.
    package fileprivate(set) var share = 0.0
    /// The most likely first day of the change, by the likelihood of two rates before and after it, as the number of days
    /// since 1970-01-01; nil if the rate is the same on all days.
    package let day: Int?
    /// The rejects of a day before that day, and from it on.
    package let rates: (before: Double, after: Double)
    /// The source identifiers of at least half of the records before that day and from it on, if they are not the same.
    package fileprivate(set) var sources: (before: String, after: String)?
    /// Indicates that the difference is at least four standard errors of counts of independent records.
    package let isClear: Bool

    /// The class of the code.
    package var rejectClass: RejectClass { RejectCode(rawValue: code)?.rejectClass ?? .noise }
  }

  package let periods: (before: RejectPeriod, after: RejectPeriod)
  /// The records of each period.
  package let totals: (before: OutcomeCounts, after: OutcomeCounts)
  /// The groups that changed, those with the largest part of the change first.
  package let changes: [Change]

  fileprivate static let standardErrors = 4.0

  fileprivate struct Key: Hashable {
    let code: String
    let forwarder, network, app: String?

    /// Takes the sender from the values of a group of `CubeKeys.common`.
    init(_ code: String, _ values: [String?]) {
      (self.code, forwarder, network, app) = (code, values[2], values[3], values[4])
    }
  }

  /// The rejects of a code, forwarder, network and app by day, and of each source identifier among them.
  fileprivate struct Cell {
    let key: Key
    let counts: [Int: Int]
    let sources: [Int: [String: Int]]
  }

  /// Divides cells into those of the value that has at least half of their change, and all others; or not at all if none
  /// has, so that a change of one sender with many networks or apps is one group.
  private static func divided(
    _ cells: [Cell],
    by value: KeyPath<Key, String?>,
    _ periods: (before: RejectPeriod, after: RejectPeriod)
  ) -> [[Cell]] {
    func change(_ cells: [Cell]) -> Double {
      cells.reduce(0) { $0 + difference(of: $1.counts, periods) }.magnitude
    }
    let parts = Dictionary(grouping: cells) { $0.key[keyPath: value] }
    guard parts.count > 1,
      let most = parts.max(by: { (change($0.value), $1.key ?? "") < (change($1.value), $0.key ?? "") }),
      2 * change(most.value) >= cells.reduce(0, { $0 + difference(of: $1.counts, periods).magnitude })
    else { return [cells] }
    return [most.value, cells.filter { $0.key[keyPath: value] != most.key }]
  }

  /// The difference of the later period from what the daily rate of the earlier one lets expect.
  fileprivate static func difference(
    of counts: [Int: Int],
    _ periods: (before: RejectPeriod, after: RejectPeriod)
  ) -> Double {
    func sum(_ days: ClosedRange<Int>) -> Double {
      Double(counts.reduce(0) { $0 + (days.contains($1.key) ? $1.value : 0) })
    }
    return sum(periods.after.days) - sum(periods.before.days) * Double(periods.after.days.count)
      / Double(periods.before.days.count)
  }

  /// Compares counts of records by day, outcome and sender. `sources` has counts by day, code, sender and source identifier.
  init(
    _ count: CubeCount,
    _ sources: GroupTallies,
    origin: TimeOrigin?,
    _ periods: (before: RejectPeriod, after: RejectPeriod)
  ) {
    self.periods = periods
    let all = periods.before.days.lowerBound...periods.after.days.upperBound
    func day(_ values: [String?]) -> Int? {
      guard origin == nil || TimeOrigin(values[0]) == origin, let text = values[1] else { return nil }
      return Timestamp("\(text)T00:00:00Z").map { Int($0.daysSince1970) }.flatMap { all.contains($0) ? $0 : nil }
    }
    var totals = (before: OutcomeCounts(), after: OutcomeCounts())
    var groups: [Key: [Int: Int]] = [:]
    for (key, tally) in count.outcomes.tallies {
      let values = key.values
      guard let day = day(values) else { continue }
      func add(to total: inout OutcomeCounts) {
        if let code = values[5] { total.rejects.add(code, tally.count) } else { total.accepted += tally.count }
      }
      if periods.before.days.contains(day) { add(to: &totals.before) }
      if periods.after.days.contains(day) { add(to: &totals.after) }
      guard let code = values[5], RejectCode(rawValue: code)?.rejectClass != .copies else { continue }
      groups[Key(code, values), default: [:]][day, default: 0] += tally.count
    }
    self.totals = totals
    var identifiers: [Key: [Int: [String: Int]]] = [:]
    for (key, tally) in sources.tallies {
      let values = key.values
      guard let day = day(values), let source = values[6] else { continue }
      identifiers[Key(values[5] ?? "", values), default: [:]][day, default: [:]][source, default: 0] += tally.count
    }
    // The order makes the sums the same each time.
    let cells = groups.map { Cell(key: $0.key, counts: $0.value, sources: identifiers[$0.key] ?? [:]) }
      .sorted { $0.key.order.lexicographicallyPrecedes($1.key.order) }
    var changes = Dictionary(grouping: cells) { [$0.key.code, $0.key.forwarder] }.values
      .flatMap { cells in Self.divided(cells, by: \.network, periods).flatMap { Self.divided($0, by: \.app, periods) } }
      .map { Change($0, periods) }
      .sorted { $0.order.lexicographicallyPrecedes($1.order) }
    let sum = changes.reduce(0) { $0 + $1.difference.magnitude }
    for index in changes.indices { changes[index].share = sum > 0 ? changes[index].difference.magnitude / sum : 0 }
    self.changes = changes.filter { $0.difference != 0 }
      .sorted { one, other in
        one.share == other.share ? one.order.lexicographicallyPrecedes(other.order) : one.share > other.share
      }
  }
}

extension RejectComparison.Key {
  fileprivate var order: [String] { [code, forwarder ?? "", network ?? "", app ?? ""] }
}

extension RejectComparison.Change {
  fileprivate var order: [String] {
    [code, forwarder ?? "", network ?? "", app ?? "", "\(networks)", "\(apps)", "\(before)", "\(after)"]
  }

  fileprivate init(_ cells: [RejectComparison.Cell], _ periods: (before: RejectPeriod, after: RejectPeriod)) {
    let keys = cells.map(\.key)
    func only(_ value: KeyPath<RejectComparison.Key, String?>) -> (value: String?, count: Int) {
      let all = Set(keys.map { $0[keyPath: value] })
      return (all.count == 1 ? all.first ?? nil : nil, all.count)
    }
    let (network, app) = (only(\.network), only(\.app))
    (code, forwarder) = (keys.first?.code ?? "", keys.first?.forwarder)
    (self.network, networks, self.app, apps) = (network.value, network.count, app.value, app.count)
    var counts: [Int: Int] = [:]
    var sources: [Int: [String: Int]] = [:]
    for cell in cells {
      counts.merge(cell.counts, uniquingKeysWith: +)
      sources.merge(cell.sources) { one, other in one.merging(other, uniquingKeysWith: +) }
    }
    func sum(_ days: ClosedRange<Int>) -> Int { counts.reduce(0) { $0 + (days.contains($1.key) ? $1.value : 0) } }
    (before, after) = (sum(periods.before.days), sum(periods.after.days))
    let ratio = Double(periods.after.days.count) / Double(periods.before.days.count)
    difference = RejectComparison.difference(of: counts, periods)
    let error = (Double(after) + Double(before) * ratio * ratio).squareRoot()
    isClear = error > 0 && difference.magnitude >= RejectComparison.standardErrors * error
    let first = Self.changePoint(counts, periods.before.days.lowerBound...periods.after.days.upperBound)
    day = first
    let start = first ?? periods.after.days.lowerBound
    let spans = (
      before: periods.before.days.lowerBound...max(start - 1, periods.before.days.lowerBound),
      after: start...periods.after.days.upperBound
    )
    rates = (
      Double(sum(spans.before)) / Double(spans.before.count), Double(sum(spans.after)) / Double(spans.after.count)
    )
    func most(_ days: ClosedRange<Int>) -> String? {
      var all: [String: Int] = [:]
      for (day, found) in sources where days.contains(day) { all.merge(found, uniquingKeysWith: +) }
      let most = all.max { ($0.value, $1.key) < ($1.value, $0.key) }
      // What fewer than half of the records have tells nothing.
      return most.flatMap { 2 * $0.value >= all.values.reduce(0, +) ? $0.key : nil }
    }
    if let one = most(spans.before), let other = most(spans.after), one != other { self.sources = (one, other) }
  }

  /// The first day of the later of two rates that make the counts of the days most likely; nil if one rate does as well.
  private static func changePoint(_ counts: [Int: Int], _ days: ClosedRange<Int>) -> Int? {
    func term(_ count: Int, _ length: Int) -> Double {
      count == 0 || length == 0 ? 0 : Double(count) * log(Double(count) / Double(length))
    }
    let total = counts.reduce(0) { $0 + (days.contains($1.key) ? $1.value : 0) }
    var best: (day: Int?, gain: Double) = (nil, 1e-9)
    var seen = 0
    for day in days.dropFirst() {
      seen += counts[day - 1] ?? 0
      let length = day - days.lowerBound
      let gain = term(seen, length) + term(total - seen, days.count - length) - term(total, days.count)
      if gain > best.gain { best = (day, gain) }
    }
    return best.day
  }
}
