internal import Glibc
internal import Statistics

/// The first copies of a forwarder, with their delays behind another sender's copy.
struct DelayedCopies: Sendable {
  /// A copy with its delay in minutes, without outages.
  struct Copy: Sendable {
    /// The minute of the other sender's copy, and that of the forwarder's.
    let minute, sentAt: Int32
    let delay: Int32
    /// The number of the line.
    let line: Int32

    var day: Int32 { minute / 1440 }
    /// The hour of the day.
    var hour: Int { Int(minute / 60 % 24 + 24) % 24 }
  }

  /// The copies that may have a usual delay of their own.
  private enum Group: Hashable {
    case line(ForwardingLine)
    case app(String)
    case family(UInt8)
  }

  private(set) var all: [Copy]
  /// The longest delay that is usual for the forwarder.
  private let limit: Int32
  /// The same of each line: that of its app, of its family of versions or of the line alone, whichever is the longest.
  private let limits: [Int32: Int32]

  /// Three days, by which honest copies have come, with Apple's first retries.
  private static let longestUsual: Int32 = 72 * 60
  /// The spans of minutes in which late copies are counted once, with the least share of the number of such spans that copies have
  /// which come one by one. Of 24 generated forwarders that held back 30 postbacks the least shares were 0.9 and 0.68; of 30 that sent
  /// some in lists, or after some days, that of days was at most 0.51.
  private static let leastSpread: [(minutes: Int32, share: Double)] = [(60, 0.75), (1440, 0.6)]

  init(_ copies: [Copy], _ lines: [ForwardingLine]) {
    func groups(of line: Int32) -> [Group] {
      let line = lines[Int(line)]
      return [.line(line), .app(line.app), .family(line.family)]
    }
    all = copies
    let limit = Self.longest(copies.map(\.delay))
    let delays = Dictionary(grouping: copies, by: \.line).mapValues { $0.map(\.delay) }
    let ofGroups = delays.reduce(into: [Group: [Int32]]()) { all, line in
      for group in groups(of: line.key) { all[group, default: []] += line.value }
    }
    let longest = ofGroups.filter { $0.value.count >= SignalRates.leastRecords }.mapValues(Self.longest)
    limits = delays.keys.reduce(into: [:]) { limits, line in
      limits[line] = groups(of: line).compactMap { longest[$0] }.reduce(limit, max)
    }
    self.limit = limit
  }

  /// Tells if a copy comes later than those of the forwarder usually do.
  func isSlow(_ copy: Copy) -> Bool { copy.delay > limit }

  /// Tells if a copy comes later than those of its line usually do.
  func isLate(_ copy: Copy) -> Bool { copy.delay > limits[copy.line] ?? limit }

  /// The number of other senders' copies that came as late after the forwarder's.
  var othersLate: Int { all.count { $0.delay < -limit } }

  mutating func removeAll(_ isRemoved: (Copy) -> Bool) { all.removeAll(where: isRemoved) }

  /// All copies by day, with the late ones.
  var series: DaySeries { series(all) }

  /// The same without the late copies that a fault of a part of the forwarder explains: those of the 24 hours with the most of them,
  /// and all if they come in few hours or on few days. It is also without all copies of the hours in which the receiver refuses some.
  var rest: DaySeries {
    let late = all.filter(isLate)
    let worst = areSpread(late) ? Self.worstDay(late.map(\.sentAt)) : Int64.min...Int64.max
    let refused = refusedHours
    return series(
      all.filter { !refused.contains($0.hour) && (!isLate($0) || worst?.contains(Int64($0.sentAt)) == false) }
    )
  }

  /// The hours of the day, at most eight that follow each other, whose copies make up half of the late ones or more, if more than
  /// three times as large a share of theirs is late as of all other hours, and chance does not explain it (1 in 1000): a receiver that
  /// refuses copies in some hours gets them days later.
  private var refusedHours: Set<Int> {
    var rates = [Rate](repeating: Rate(), count: 24)
    for copy in all { rates[copy.hour] += Rate(count: isLate(copy) ? 1 : 0, total: 1) }
    let sum = rates.reduce(into: Rate()) { $0 += $1 }
    var (likelihood, hours) = (RateEvidence.largestLikelihood(sum) + log(1000), Set<Int>())
    for first in 0..<24 {
      var inside = Rate()
      for length in 1...8 {
        inside += rates[(first + length - 1) % 24]
        let rest = sum - inside
        guard inside.count * 2 >= sum.count, inside.count * rest.total > 3 * rest.count * inside.total else { continue }
        let both = RateEvidence.largestLikelihood(inside) + RateEvidence.largestLikelihood(rest)
        if both > likelihood { (likelihood, hours) = (both, Set((0..<length).map { (first + $0) % 24 })) }
      }
    }
    return hours
  }

  private func series(_ copies: [Copy]) -> DaySeries {
    copies.reduce(into: DaySeries()) { $0.add(DaySeries.Cell(day: $1.day, count: isLate($1) ? 1 : 0, total: 1)) }
  }

  /// Tells if late copies come in about as many hours, and on as many days, as the same number of the other copies would.
  private func areSpread(_ late: [Copy]) -> Bool {
    let others = all.filter { !isLate($0) }
    return Self.leastSpread.allSatisfy { span in
      let counts = others.reduce(into: [Int32: Double]()) { $0[$1.sentAt / span.minutes, default: 0] += 1 }
      let expected = counts.values.reduce(0) { $0 + 1 - pow(1 - $1 / Double(others.count), Double(late.count)) }
      return Double(Set(late.map { $0.sentAt / span.minutes }).count) >= span.share * expected
    }
  }

  /// The 24 hours with the most of some minutes, and the first of such; nil if there are none.
  private static func worstDay(_ minutes: [Int32]) -> ClosedRange<Int64>? {
    let sorted = minutes.map(Int64.init).sorted()
    var (first, most): (Int, (count: Int, start: Int64)?) = (0, nil)
    for (last, minute) in sorted.enumerated() {
      while minute - sorted[first] >= 1440 { first += 1 }
      if last - first >= most?.count ?? 0 { most = (last - first + 1, sorted[first]) }
    }
    return most.map { $0.start...$0.start + 1439 }
  }

  /// The longest delay that is usual where copies have these.
  private static func longest(_ delays: [Int32]) -> Int32 {
    guard !delays.isEmpty else { return longestUsual }
    let (limit, isTooLong) = max(0, delays.sorted()[delays.count * 3 / 4]).multipliedReportingOverflow(by: 5)
    return isTooLong ? .max : max(longestUsual, limit)
  }
}
