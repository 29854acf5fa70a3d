internal import LookupTables

/// The delays of forwarders' first copies behind the first copy of another sender of the same postback.
///
/// Apple sends its copies at the same time. An outage, in which nothing of the forwarder or of the network came, is no delay of a
/// postback, and neither is a usual delay of a slow forwarder. Apple's own retries delay the copies of devices as often as those of
/// networks: as many are tolerated.
struct ForwardingDelay: Sendable {
  /// A copy with its delay, without outages.
  private struct Copy {
    /// The day of the other sender's copy, and the minute of the forwarder's.
    let day, sentAt: Int32
    let delay: Int32
    let line: Int32
  }

  /// The copies that may have a usual delay of their own.
  private enum Group: Hashable {
    case line(ForwardingLine)
    case app(String)
    case family(UInt8)
  }

  fileprivate struct Record: DrawnRecord {
    /// The minute of the other sender's copy, since 1970, and the minutes after it; less than 0 if a device's own copy came as long
    /// after the forwarder's.
    let minute, delay: Int32
    /// The numbers of the forwarder, of the network and of the line.
    var forwarder, network, line: Int32
    let hash: UInt16

    /// The minute of the forwarder's copy; `Int32.max` for a time after the year 6053.
    var end: Int32 { Int32(clamping: Int64(minute) + Int64(delay)) }
  }

  private var records = DrawnList<Record>(limit: 1_000_000)
  private var names = Numbering<String>()
  private var lines = Numbering<ForwardingLine>()
  /// The number of copies that are left out, because there are too many.
  var unfollowed: Int { records.leftOut }

  private static let millisecondsPerMinute: Int64 = 60_000
  /// Three days, by which honest copies have come, with Apple's first retries.
  private static let longestUsual: Int32 = 72 * 60
  private static let shortestOutage = 720.0

  /// Adds the first copies of a postback that others sent, too.
  mutating func add(_ senders: PostbackSenders, of key: UInt128, _ cluster: SignalCluster) {
    for (place, sender) in senders.senders.enumerated() {
      guard let name = sender.name, sender.first != .max else { continue }
      let others = senders.senders.enumerated().filter { $0.offset != place && $0.element.first != .max }
      guard let other = others.map(\.element).min(by: { $0.first < $1.first }) else { continue }
      let first = other.first
      let delay = sender.first / Self.millisecondsPerMinute - first / Self.millisecondsPerMinute
      records.append(
        Record(
          minute: Int32(clamping: first / Self.millisecondsPerMinute),
          delay: Int32(clamping: other.isDirect ? delay : max(0, delay)),
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
  /// are enough: of some a forwarder may send dumps. As many are tolerated as devices' copies came as late after the forwarder's,
  /// with two standard errors. What one of several machines could not send for days comes at once, so the evidence must hold
  /// without the late copies of the 24 hours with the most of them, too. The copies are not needed any more then, and are removed.
  mutating func addRates(to rates: inout SignalRates) {
    defer { records.removeRecords() }
    let outages = outages()
    var copies = [[Copy]](repeating: [], count: names.values.count)
    for record in records.records {
      let lost = max(
        Self.overlap(record, outages[Int(record.forwarder)]),
        Self.overlap(record, outages[Int(record.network)])
      )
      let delay = record.delay - min(max(0, record.delay), lost)
      copies[Int(record.forwarder)].append(
        Copy(day: record.minute / 1440, sentAt: record.end, delay: delay, line: record.line)
      )
    }
    for (name, copies) in zip(names.values, copies) where !copies.isEmpty {
      let limit = Self.longest(copies.map(\.delay))
      let limits = limits(copies, atLeast: limit)
      func isLate(_ copy: Copy) -> Bool { copy.delay > limits[copy.line] ?? limit }
      let worst = Self.worstDay(copies.filter(isLate).map(\.sentAt))
      func series(_ copies: [Copy]) -> DaySeries {
        copies.reduce(into: DaySeries()) {
          $0.add(DaySeries.Cell(day: $1.day, count: isLate($1) ? 1 : 0, total: 1))
        }
      }
      let key = SignalRates.Key(name: .heldBack, party: SignalParty(kind: .forwarder, name: String(name.dropFirst())))
      rates.add(key, SignalRates.Entry(series: series(copies)))
      rates.keepRest(key, series(copies.filter { !isLate($0) || worst?.contains(Int64($0.sentAt)) != true }))
      let devicesLate = Double(copies.count { $0.delay < -limit })
      if devicesLate > 0 { rates.tolerate(key, (devicesLate + 2 * devicesLate.squareRoot()) / Double(copies.count)) }
    }
  }

  /// The longest usual delay of each line: that of its app, of its family of versions or of the line alone, whichever is the
  /// longest.
  private func limits(_ copies: [Copy], atLeast limit: Int32) -> [Int32: Int32] {
    func groups(of line: Int32) -> [Group] {
      let line = lines.values[Int(line)]
      return [.line(line), .app(line.app), .family(line.family)]
    }
    let delays = Dictionary(grouping: copies, by: \.line).mapValues { $0.map(\.delay) }
    let ofGroups = delays.reduce(into: [Group: [Int32]]()) { all, line in
      for group in groups(of: line.key) { all[group, default: []] += line.value }
    }
    let longest = ofGroups.filter { $0.value.count >= SignalRates.leastRecords }.mapValues(Self.longest)
    return delays.keys.reduce(into: [:]) { limits, line in
      limits[line] = groups(of: line).compactMap { longest[$0] }.reduce(limit, max)
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
    let (limit, isTooLong) = max(0, delays.sorted()[delays.count * 3 / 4]).multipliedReportingOverflow(by: 5)
    return isTooLong ? .max : max(longestUsual, limit)
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

  init(_ reader: inout CompactReader) {
    self.init()
    (names, lines) = (Numbering(&reader), Numbering(&reader))
    records.read(&reader)
  }
}

extension ForwardingDelay.Record {
  func encode(_ writer: inout CompactWriter) {
    for number in [minute, delay, forwarder, network, line, Int32(hash)] { writer.append(number) }
  }

  init(_ reader: inout CompactReader) {
    (minute, delay) = (reader.integer(), reader.integer())
    (forwarder, network, line) = (reader.integer(), reader.integer(), reader.integer())
    hash = UInt16(truncatingIfNeeded: reader.count())
  }
}
