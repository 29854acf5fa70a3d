internal import LookupTables
internal import Statistics

/// The delays of forwarders' first copies behind the first copy of another sender of the same postback: a device, or else the first
/// other forwarder, whose clock may be wrong.
///
/// Apple sends its copies at the same time. An outage, in which nothing of the forwarder or of the network came, is no delay of a
/// postback, and neither is a usual delay of a slow forwarder. Apple's own retries delay the copies of devices as often as those of
/// networks, each by itself: as many are tolerated.
struct ForwardingDelay: Sendable {
  fileprivate struct Record: DrawnRecord {
    /// The minute of the other sender's copy, since 1970, and the minutes after it; less than 0 if it came after the forwarder's.
    let minute, delay: Int32
    /// The numbers of the forwarder, of the network and of the line.
    var forwarder, network, line: Int32
    let hash: UInt16

    /// The minute of the forwarder's copy; `Int32.max` for a time after the year 6053.
    var end: Int32 { Int32(clamping: Int64(minute) + Int64(delay)) }
  }

  private var records = DrawnList<Record, 1_000_000>()
  private var names = Numbering<String>()
  private var lines = Numbering<ForwardingLine>()
  /// The number of copies that are left out, because there are too many.
  var unfollowed: Int { records.leftOut }

  private static let millisecondsPerMinute: Int64 = 60_000
  private static let shortestOutage = 720.0

  /// Adds the first copies of a postback that others sent, too.
  mutating func add(_ senders: PostbackSenders, of key: UInt128, _ cluster: SignalCluster) {
    for (place, sender) in senders.senders.enumerated() {
      guard let name = sender.name, sender.first != .max else { continue }
      let others = senders.senders.enumerated().filter { $0.offset != place && $0.element.first != .max }
      let device = others.first { $0.element.isDirect }
      guard let first = (device ?? others.min { $0.element.first < $1.element.first })?.element.first else { continue }
      let delay = sender.first / Self.millisecondsPerMinute - first / Self.millisecondsPerMinute
      records.append(
        Record(
          minute: Int32(clamping: first / Self.millisecondsPerMinute),
          delay: Int32(clamping: delay),
          forwarder: names.number(of: "f" + name),
          network: names.number(of: "n" + cluster.network),
          line: lines.number(of: ForwardingLine(cluster)),
          hash: UInt16(truncatingIfNeeded: key)
        )
      )
    }
  }

  mutating func merge(_ later: Self) {
    if names.values.isEmpty {
      // The same numbers, and no copy of a long list.
      self = later
      return
    }
    let map = later.names.values.map { names.number(of: $0) }
    let lineMap = later.lines.values.map { lines.number(of: $0) }
    records.merge(later.records) { record in
      var record = record
      (record.forwarder, record.network) = (map[Int(record.forwarder)], map[Int(record.network)])
      record.line = lineMap[Int(record.line)]
      return record
    }
  }

  /// Adds the rates of the forwarders: a copy is held back if its delay, without outages, is longer than three days and than five
  /// times the delay that three quarters of the forwarder's copies have, or of those of the app or the family of versions if they
  /// are enough: of some a forwarder may send dumps. As many are tolerated as other senders' copies came as late after the
  /// forwarder's, and as other forwarders' did. Copies of days on which many of
  /// several forwarders are late are left out. What one of several machines could not send for days, and lists of some postbacks, come
  /// at once, so the evidence must hold without them, too. The copies are not needed any more then, and are removed.
  mutating func addRates(to rates: inout SignalRates) {
    defer { records.removeRecords() }
    let outages = outages()
    var copies = [[DelayedCopies.Copy]](repeating: [], count: names.values.count)
    for record in records.records {
      let lost = max(
        Self.overlap(record, outages[Int(record.forwarder)]),
        Self.overlap(record, outages[Int(record.network)])
      )
      let delay = record.delay - min(max(0, record.delay), lost)
      copies[Int(record.forwarder)].append(
        DelayedCopies.Copy(minute: record.minute, sentAt: record.end, delay: delay, line: record.line)
      )
    }
    var forwarders = copies.map { DelayedCopies($0, lines.values) }
    // A clock may be wrong for some days, or one of several at all times.
    for days: Int32 in [3, .max] {
      let shared = SharedDelays(forwarders, lines.values, days: days)
      for number in forwarders.indices { forwarders[number].removeAll(shared.doubts(of: number)) }
    }
    let rests = forwarders.map(\.rest)
    let all = rests.reduce(into: Rate()) { $0 += $1.rate }
    for (number, name) in names.values.enumerated() where !copies[number].isEmpty {
      let kept = forwarders[number]
      let key = SignalRates.Key(.heldBack, .forwarder, String(name.dropFirst()))
      rates.add(key, SignalRates.Entry(series: kept.series, leftOut: copies[number].count - kept.all.count))
      rates.keepRest(key, rests[number])
      rates.tolerate(key, Self.tolerance(kept, others: all - rests[number].rate))
    }
  }

  /// The share that is tolerated of a forwarder: that of other senders' copies that came as late after its own, and that of other
  /// forwarders' late copies, with what chance may add. Alone, a few per cent may be Apple's retries.
  private static func tolerance(_ kept: DelayedCopies, others: Rate) -> Double {
    let (late, total) = (Double(kept.othersLate), Double(max(kept.all.count, 1)))
    let (count, all) = (Double(others.count), Double(others.total))
    let usual = count > 0 ? (count + 2 * count.squareRoot() + 1) / all : min(1 / all, 0.02)
    let margin = others.total < SignalRates.leastRecords ? 2 * late.squareRoot() : 0
    return max((late + margin) / total, usual)
  }

  /// The spans of minutes between the copies of each forwarder and network that its usual gaps do not explain, and the one before the
  /// first copy: before it nothing can be expected.
  private func outages() -> [[ClosedRange<Int32>]] {
    var minutes = [[Int32]](repeating: [], count: names.values.count)
    for record in records.records {
      minutes[Int(record.forwarder)].append(record.end)
      minutes[Int(record.network)].append(record.end)
    }
    return minutes.map { minutes in
      let sorted = minutes.sorted()
      let before = sorted.first.map { [min(0, $0)...$0] } ?? []
      return before + Outage.spans(sorted, shortest: Self.shortestOutage)
    }
  }

  private static func overlap(_ record: Record, _ outages: [ClosedRange<Int32>]) -> Int32 {
    outages.reduce(0) { sum, outage in
      sum + max(0, min(record.end, outage.upperBound) - max(record.minute, outage.lowerBound))
    }
  }
}

extension ForwardingDelay: Compact {
  func encode(_ writer: inout CompactWriter) {
    names.encode(&writer)
    lines.encode(&writer)
    records.encode(&writer)
  }

  init(_ reader: inout CompactReader) { (names, lines, records) = reader.values() }
}

extension ForwardingDelay.Record {
  func encode(_ writer: inout CompactWriter) { writer.append(minute, delay, forwarder, network, line, hash) }
  init(_ reader: inout CompactReader) { (minute, delay, forwarder, network, line, hash) = reader.values() }
}
