internal import LookupTables
internal import Statistics

/// The postbacks of which a device sent its own copy, and the times at which a network's copy could be expected.
///
/// A network forwards from its first to its last forwarded postback, and an outage pauses it. Times are those of the first
/// receipt of a postback, so that a slow forwarder's are not too late.
struct ForwardingRisk: Sendable {
  private struct Record: Sendable {
    /// The minute of the first receipt, since 1970.
    let minute: Int32
    /// The minutes until the first forwarded copy; -1 if there is none.
    let lag: Int32
    /// The device's value: the fine one from 0 to 63, the coarse one from 64 on; -1 for none.
    let value: Int8
  }

  private var records: [SignalCluster: [Record]] = [:]
  private var count = 0
  private var newest: Int32 = .min
  /// The number of postbacks that are left out, because there are too many.
  private(set) var unfollowed = 0

  private static let largestCount = 2_000_000
  private static let millisecondsPerMinute: Int64 = 60_000
  /// The shortest outage, in minutes.
  private static let shortestOutage = 720.0

  /// Adds a postback of which a device sent its own copy, with the times of the first copy and of the first forwarded one.
  /// `value` is the device's.
  mutating func add(
    _ cluster: SignalCluster,
    at first: Int64,
    forwardedAt forwarded: Int64?,
    value: MeantValue = .none
  ) {
    let minute = Int32(clamping: first / Self.millisecondsPerMinute)
    var lag: Int32 = -1
    if let forwarded {
      lag = forwarded == .max ? 0 : max(0, Int32(clamping: forwarded / Self.millisecondsPerMinute - Int64(minute)))
    }
    newest = max(newest, minute)
    let number = value.kind == 2 ? value.value : value.kind == 1 ? 64 + value.value : -1
    append([Record(minute: minute, lag: lag, value: number)], of: cluster)
  }

  private mutating func append(_ new: [Record], of cluster: SignalCluster) {
    guard count + new.count <= Self.largestCount else {
      unfollowed += new.count
      return
    }
    count += new.count
    records[cluster, default: []] += new
  }

  mutating func merge(_ later: Self) {
    for (cluster, new) in later.records { append(new, of: cluster) }
    newest = max(newest, later.newest)
    unfollowed += later.unfollowed
  }

  /// Adds the rates of networks: the postbacks of the time at risk, and those that were not forwarded.
  func addRates(to rates: inout SignalRates) {
    var networks: [String: DaySeries] = [:]
    forEachAtRisk { cluster, record in
      let cell = DaySeries.Cell(day: record.minute / 1440, count: record.lag < 0 ? 1 : 0, total: 1)
      networks[cluster.network, default: DaySeries()].add(cell)
    }
    for (network, series) in networks {
      rates.add(SignalRates.Key(name: .missingForwarded, party: SignalParty(kind: .network, name: network)), series)
    }
  }

  private func forEachAtRisk(_ visit: (SignalCluster, Record) -> Void) {
    var forwarded: [String: [Record]] = [:]
    for (cluster, records) in records { forwarded[cluster.network, default: []] += records.filter { $0.lag >= 0 } }
    let times = forwarded.mapValues { Self.spans($0, newest) }
    for (cluster, records) in records {
      guard let spans = times[cluster.network] else { continue }
      for record in records where spans.contains(where: { $0.contains(record.minute) }) { visit(cluster, record) }
    }
  }

  /// The tests of networks that forward postbacks with some values, and not those with others.
  ///
  /// The hypothesis is that among the postbacks of a campaign, day, window and form the loss of a copy does not depend on the
  /// device's value.
  func testsOfWithheld() -> [SignalTest] {
    struct Group: Hashable {
      let campaign, app: String
      let day: Int32
      let window, family, form: UInt8

      var order: (String, String, UInt8, UInt8, UInt8) { (campaign, app, window, family, form) }
    }
    typealias Values = (missing: [Int], forwarded: [Int])
    var networks: [String: [Group: Values]] = [:]
    forEachAtRisk { cluster, record in
      let group = Group(
        campaign: cluster.campaign,
        app: cluster.app,
        day: record.minute / 1440,
        window: cluster.window,
        family: cluster.family,
        form: cluster.form
      )
      let empty = Array(repeating: 0, count: 68)
      let place = Int(record.value) + 1
      if record.lag < 0 {
        networks[cluster.network, default: [:]][group, default: (empty, empty)].missing[place] += 1
      } else {
        networks[cluster.network, default: [:]][group, default: (empty, empty)].forwarded[place] += 1
      }
    }
    return networks.sorted { $0.key < $1.key }.compactMap { network, groups in
      var (course, higher, lower) = (EvidenceCourse(), TiltedEvidence(), TiltedEvidence())
      var (missing, forwarded, score) = (Rate(), Rate(), 0.0)
      let days = Dictionary(grouping: groups) { $0.key.day }.sorted { $0.key < $1.key }
      for (day, groups) in days {
        for (_, values) in groups.sorted(by: { $0.key.order < $1.key.order })
        where values.missing.contains(where: { $0 > 0 }) {
          guard values.forwarded.contains(where: { $0 > 0 }) else { continue }
          let scores = RankScores.of(zip(values.missing, values.forwarded).map(+))
          higher.addScores(scores, own: values.missing, others: values.forwarded)
          lower.addScores(scores.map(-), own: values.missing, others: values.forwarded)
          missing += RankScores.top(values.missing, scores)
          forwarded += RankScores.top(values.forwarded, scores)
          score += RankScores.excess(values.missing, values.forwarded)
        }
        // Either of both is evidence.
        course.append(day, logSum([higher.log, lower.log]) - logSum([0, 0]))
      }
      guard min(missing.total, forwarded.total) >= SignalRates.leastRecords else { return nil }
      var test = SignalTest(
        name: .withheld,
        basis: .copies,
        method: .strata,
        party: SignalParty(kind: .network, name: network),
        own: missing,
        others: forwarded,
        effect: score / Double(missing.total),
        pValue: course.pValue
      )
      test.course = course
      return test
    }
  }

  /// The spans of minutes in which a network forwards, from its forwarded postbacks.
  private static func spans(_ forwarded: [Record], _ newest: Int32) -> [ClosedRange<Int32>] {
    let minutes = forwarded.map(\.minute).sorted()
    guard var start = minutes.first, let end = minutes.last, minutes.count > 1 else { return [] }
    let lags = forwarded.map(\.lag).sorted()
    // What the network usually forwards by now.
    let last = min(end, newest - lags[lags.count * 99 / 100])
    var spans: [ClosedRange<Int32>] = []
    for outage in Outage.spans(minutes, shortest: shortestOutage) {
      spans.append(start...outage.lowerBound)
      start = outage.upperBound
    }
    spans.append(start...end)
    return spans.compactMap { $0.lowerBound <= last ? $0.lowerBound...min($0.upperBound, last) : nil }
  }
}
