internal import Base
internal import Glibc
internal import LookupTables
internal import Statistics

/// The postbacks of which a device sent its own copy, and the times at which a network's copy could be expected.
///
/// A network forwards from its first to its last forwarded postback, and an outage pauses it. So it does for each app, window and
/// family of versions: of some it may forward none, by agreement. Times are those of the first receipt of a postback, so that a slow
/// forwarder's are not too late. A copy that was forwarded with a signature that does not fit is wrong, but not missing.
struct ForwardingRisk: Sendable {
  /// Postbacks that are like each other but for their time and their value.
  fileprivate struct Place: Hashable, Compact {
    let network, campaign: String
    let line: ForwardingLine
    let kind: UInt32

    init(_ cluster: SignalCluster, _ kind: UInt32) {
      (network, campaign) = (cluster.network, cluster.campaign)
      (line, self.kind) = (ForwardingLine(cluster), kind)
    }
  }

  /// The postbacks of a network that it may forward or not by agreement.
  private struct NetworkLine: Hashable {
    let network: String
    let line: ForwardingLine

    init(_ place: Place) { (network, line) = (place.network, place.line) }
  }

  fileprivate struct Record: DrawnRecord {
    /// The number of the place.
    var place: Int32
    /// The minute of the first receipt, since 1970.
    let minute: Int32
    /// The minutes until the first forwarded copy; -1 if there is none.
    let lag: Int32
    /// The device's value: the fine one from 0 to 63, the coarse one from 64 on; -1 for none.
    let value: Int8
    let hash: UInt16
    /// The lower half of the hash of the transaction.
    let transaction: UInt32
  }

  /// A transaction that was forwarded with a signature that does not fit, as the lower half of its hash.
  fileprivate struct Rejection: DrawnRecord {
    let transaction: UInt32
    var hash: UInt16 { UInt16(truncatingIfNeeded: transaction) }
  }

  /// The minutes of the first receipt of a network's forwarded postbacks, and those until the forwarded copy.
  private struct Forwarded {
    var (minutes, lags): ([Int32], [Int32]) = ([], [])
  }

  private var records = DrawnList<Record, 2_000_000>()
  private var places = Numbering<Place>()
  private var rejections = DrawnList<Rejection, 1_000_000>()
  /// The day of the clock, in days since 1970-01-01. Times after it are not believed.
  var today = Timestamp.now.daysSince1970
  /// The number of postbacks that are left out, because there are too many.
  var unfollowed: Int { records.leftOut + rejections.leftOut }

  private static let millisecondsPerMinute: Int64 = 60_000
  /// The chance below which an agreement, and no loss, explains that nothing of a line was forwarded.
  private static let leastChance = 0.001
  /// The time for which settle waits for a missing copy, in minutes: ten days.
  private static let longestOutage: Int32 = 10 * 1440
  /// The shortest outage, in minutes.
  private static let shortestOutage = 720.0

  /// Adds a postback of which a device sent its own copy, with the times of the first copy and of the first forwarded one.
  /// `value` is the device's, and `transaction` the hash of the transaction's id.
  mutating func add(
    _ cluster: SignalCluster,
    _ kind: UInt32 = 0,
    of key: UInt128 = 0,
    at first: Int64,
    forwardedAt forwarded: Int64?,
    value: MeantValue = .none,
    transaction: UInt64 = 0
  ) {
    let minute = Int32(clamping: first / Self.millisecondsPerMinute)
    var lag: Int32 = -1
    if let forwarded {
      lag = forwarded == .max ? 0 : max(0, Int32(clamping: forwarded / Self.millisecondsPerMinute - Int64(minute)))
    }
    let number = value.kind == 2 ? value.value : value.kind == 1 ? 64 + value.value : -1
    let place = places.number(of: Place(cluster, kind))
    let hash = UInt16(truncatingIfNeeded: key)
    records.append(
      Record(
        place: place,
        minute: minute,
        lag: lag,
        value: number,
        hash: hash,
        transaction: UInt32(truncatingIfNeeded: transaction)
      )
    )
  }

  /// Adds a transaction that was forwarded with a signature that does not fit, by the hash of its id.
  mutating func reject(_ transaction: UInt64) {
    rejections.append(Rejection(transaction: UInt32(truncatingIfNeeded: transaction)))
  }

  mutating func merge(_ later: Self) {
    rejections.merge(later.rejections) { $0 }
    if places.values.isEmpty {
      // The same numbers, and no copy of a long list.
      (places, records) = (later.places, later.records)
      return
    }
    let map = later.places.values.map { places.number(of: $0) }
    records.merge(later.records) { record in
      var record = record
      record.place = map[Int(record.place)]
      return record
    }
  }

  /// The times at risk of the networks, by the number of the place, and the transactions that were forwarded with a signature that
  /// does not fit.
  private struct Times {
    let spans: [[ClosedRange<Int32>]]
    let rejected: Set<UInt32>
  }

  /// The postbacks of a line at risk.
  private struct LineRisk {
    /// The times of the first and the last forwarded postback.
    var forwarded: ClosedRange<Int32>?
    /// Those between these times, and those before and after.
    var (inside, outside) = (DaySeries(), DaySeries())
  }

  /// Adds the rates of networks: the postbacks of the time at risk, and those that were not forwarded. What comes before and after the
  /// forwarded postbacks of a line is left out, unless so many may be missing by chance at the rate of the network.
  func addRates(to rates: inout SignalRates) {
    var numbers = Numbering<NetworkLine>()
    let places = places.values.map { Int(numbers.number(of: NetworkLine($0))) }
    var lines = [LineRisk](repeating: LineRisk(), count: numbers.values.count)
    let times = times()
    forEach(in: times) { record in
      guard record.lag >= 0 else { return }
      let line = places[Int(record.place)]
      let span = lines[line].forwarded ?? record.minute...record.minute
      lines[line].forwarded = min(span.lowerBound, record.minute)...max(span.upperBound, record.minute)
    }
    forEach(in: times) { record in
      let line = places[Int(record.place)]
      let cell = DaySeries.Cell(day: record.minute / 1440, count: record.lag < 0 ? 1 : 0, total: 1)
      if lines[line].forwarded?.contains(record.minute) == true {
        lines[line].inside.add(cell)
      } else {
        lines[line].outside.add(cell)
      }
    }
    for (network, lines) in Dictionary(grouping: zip(numbers.values, lines), by: \.0.network) {
      let inside = lines.reduce(into: Rate()) { $0 += $1.1.inside.rate }
      let missing = Double(inside.count + 1) / Double(inside.total + 2)
      var entry = SignalRates.Entry()
      for (_, line) in lines {
        entry.series += line.inside
        let count = line.outside.rate.total
        if pow(missing, Double(count)) < Self.leastChance {
          entry.leftOut += count
        } else {
          entry.series += line.outside
        }
      }
      guard entry.records > 0 else { continue }
      rates.add(SignalRates.Key(.missingForwarded, .network, network), entry)
    }
  }

  private func times() -> Times {
    var numbers = Numbering<String>()
    let networks = places.values.map { Int(numbers.number(of: $0.network)) }
    var forwarded = [Forwarded](repeating: Forwarded(), count: numbers.values.count)
    for record in records.records where record.lag >= 0 {
      let network = networks[Int(record.place)]
      forwarded[network].minutes.append(record.minute)
      forwarded[network].lags.append(record.lag)
    }
    let minutes = records.records.lazy.map(\.minute)
    let newest = minutes.filter { Int64($0) / 1440 <= today }.max() ?? minutes.max() ?? .min
    let spans = forwarded.map { Self.spans($0, newest) }
    return Times(spans: networks.map { spans[$0] }, rejected: Set(rejections.records.map(\.transaction)))
  }

  /// Visits the postbacks of the time at risk of their network.
  private func forEach(in times: Times, _ visit: (Record) -> Void) {
    for record in records.records {
      if record.lag < 0, !rejections.follows(record.transaction) || times.rejected.contains(record.transaction) {
        continue
      }
      if times.spans[Int(record.place)].contains(where: { $0.contains(record.minute) }) { visit(record) }
    }
  }

  /// The tests of networks that forward postbacks with some values, and not those with others.
  ///
  /// The hypothesis is that among the postbacks of a campaign, day, window and kind the loss of a copy does not depend on the
  /// device's value.
  func testsOfWithheld() -> [SignalTest] {
    struct Group: Hashable {
      let place, day: Int32
    }
    typealias Values = (missing: [Int32], forwarded: [Int32])
    let empty = [Int32](repeating: 0, count: 68)
    var all: [Group: Values] = [:]
    forEach(in: times()) { record in
      let group = Group(place: record.place, day: record.minute / 1440)
      let value = Int(record.value) + 1
      if record.lag < 0 {
        all[group, default: (empty, empty)].missing[value] += 1
      } else {
        all[group, default: (empty, empty)].forwarded[value] += 1
      }
    }
    let networks = Dictionary(grouping: all) { places.values[Int($0.key.place)].network }
    return networks.sorted { $0.key < $1.key }.compactMap { network, groups in
      var (course, higher, lower) = (EvidenceCourse(), TiltedEvidence(), TiltedEvidence())
      var (missing, forwarded, score) = (Rate(), Rate(), 0.0)
      let days = Dictionary(grouping: groups) { $0.key.day }.sorted { $0.key < $1.key }
      for (day, groups) in days {
        for (_, values) in groups.sorted(by: { order($0.key.place) < order($1.key.place) })
        where values.missing.contains(where: { $0 > 0 }) && values.forwarded.contains(where: { $0 > 0 }) {
          let (own, others) = (values.missing.map(Int.init), values.forwarded.map(Int.init))
          let scores = RankScores.of(zip(own, others).map(+))
          higher.addScores(scores, own: own, others: others)
          lower.addScores(scores.map(-), own: own, others: others)
          missing += RankScores.top(own, scores)
          forwarded += RankScores.top(others, scores)
          score += RankScores.excess(own, others)
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

  private func order(_ place: Int32) -> (String, String, UInt8, UInt8, UInt32) {
    let place = places.values[Int(place)]
    return (place.campaign, place.line.app, place.line.window, place.line.family, place.kind)
  }

  /// The spans of minutes in which a network forwards, from its forwarded postbacks.
  private static func spans(_ forwarded: Forwarded, _ newest: Int32) -> [ClosedRange<Int32>] {
    let minutes = forwarded.minutes.sorted()
    guard var start = minutes.first, let end = minutes.last, minutes.count > 1 else { return [] }
    let lags = forwarded.lags.sorted()
    // What the network usually forwards by now, and may have forwarded after an outage of a part of it.
    let last = min(end, newest - max(lags[lags.count * 99 / 100], longestOutage))
    var spans: [ClosedRange<Int32>] = []
    for outage in Outage.spans(minutes, shortest: shortestOutage) {
      spans.append(start...outage.lowerBound)
      start = outage.upperBound
    }
    spans.append(start...end)
    return spans.compactMap { $0.lowerBound <= last ? $0.lowerBound...min($0.upperBound, last) : nil }
  }
}

extension ForwardingRisk: Compact {
  func encode(_ writer: inout CompactWriter) {
    places.encode(&writer)
    records.encode(&writer)
    rejections.encode(&writer)
  }

  init(_ reader: inout CompactReader) { (places, records, rejections) = reader.values() }
}

extension ForwardingRisk.Place {
  func encode(_ writer: inout CompactWriter) { writer.append(network, campaign, line, kind) }
  init(_ reader: inout CompactReader) { (network, campaign, line, kind) = reader.values() }
}

extension ForwardingRisk.Record {
  func encode(_ writer: inout CompactWriter) { writer.append(place, minute, lag, value, hash, transaction) }
  init(_ reader: inout CompactReader) { (place, minute, lag, value, hash, transaction) = reader.values() }
}

extension ForwardingRisk.Rejection {
  func encode(_ writer: inout CompactWriter) { writer.append(transaction) }
  init(_ reader: inout CompactReader) { transaction = UInt32(&reader) }
}
