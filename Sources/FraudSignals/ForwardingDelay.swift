internal import LookupTables

/// The delays of forwarders' first copies behind the first copy of another sender of the same postback.
///
/// Apple sends its copies at the same time. An outage, in which nothing of the forwarder or of the network came, is no delay of a
/// postback, and neither is a usual delay of a slow forwarder.
struct ForwardingDelay: Sendable {
  fileprivate struct Record: DrawnRecord {
    /// The minute of the other sender's copy, since 1970, and the minutes after it.
    let minute, delay: Int32
    /// The numbers of the forwarder and of the network.
    var forwarder, network: Int32
    let hash: UInt16
  }

  private var records = DrawnList<Record>(limit: 1_000_000)
  private var names = Numbering<String>()
  /// The number of copies that are left out, because there are too many.
  var unfollowed: Int { records.leftOut }

  private static let millisecondsPerMinute: Int64 = 60_000
  /// Three days, by which honest copies have come, with Apple's first retries.
  private static let longestUsual: Int32 = 72 * 60
  private static let shortestOutage = 720.0

  /// Adds the first copies of a postback that others sent, too.
  mutating func add(_ senders: PostbackSenders, of key: UInt128, network: String) {
    for (place, sender) in senders.senders.enumerated() {
      guard let name = sender.name, sender.first != .max else { continue }
      let others = senders.senders.enumerated().filter { $0.offset != place && $0.element.first != .max }
      guard let first = others.map(\.element.first).min() else { continue }
      let delay = max(0, sender.first / Self.millisecondsPerMinute - first / Self.millisecondsPerMinute)
      records.append(
        Record(
          minute: Int32(clamping: first / Self.millisecondsPerMinute),
          delay: Int32(clamping: delay),
          forwarder: names.number(of: "f" + name),
          network: names.number(of: "n" + network),
          hash: UInt16(truncatingIfNeeded: key)
        )
      )
    }
  }

  mutating func merge(_ later: Self) {
    let map = later.names.values.map { names.number(of: $0) }
    records.merge(later.records) { record in
      var record = record
      (record.forwarder, record.network) = (map[Int(record.forwarder)], map[Int(record.network)])
      return record
    }
  }

  /// Adds the rates of the forwarders: a copy is held back if its delay, without outages, is longer than three days and than five
  /// times the delay that three quarters of the forwarder's copies have.
  func addRates(to rates: inout SignalRates) {
    var byForwarder: [Int32: [Record]] = [:]
    var byNetwork: [Int32: [Record]] = [:]
    for record in records.records {
      byForwarder[record.forwarder, default: []].append(record)
      byNetwork[record.network, default: []].append(record)
    }
    let outagesOfNetworks = byNetwork.mapValues(Self.outages)
    for (forwarder, records) in byForwarder {
      let outages = Self.outages(records)
      let delays = records.map { record in
        let lost = max(
          Self.overlap(record, outages),
          Self.overlap(record, outagesOfNetworks[record.network] ?? [])
        )
        return record.delay - min(record.delay, lost)
      }
      let usual = delays.sorted()[delays.count * 3 / 4]
      let longest = max(Self.longestUsual, usual.multipliedReportingOverflow(by: 5).overflow ? .max : usual * 5)
      let party = SignalParty(kind: .forwarder, name: String(names.values[Int(forwarder)].dropFirst()))
      var series = DaySeries()
      for (record, delay) in zip(records, delays) {
        series.add(DaySeries.Cell(day: record.minute / 1440, count: delay > longest ? 1 : 0, total: 1))
      }
      rates.add(SignalRates.Key(name: .heldBack, party: party), series)
    }
  }

  /// The spans of minutes between the copies of a party that its usual gaps do not explain.
  private static func outages(_ records: [Record]) -> [ClosedRange<Int32>] {
    let minutes = records.map { $0.minute.addingReportingOverflow($0.delay).partialValue }.sorted()
    return Outage.spans(minutes, shortest: shortestOutage)
  }

  private static func overlap(_ record: Record, _ outages: [ClosedRange<Int32>]) -> Int32 {
    let end = record.minute.addingReportingOverflow(record.delay).partialValue
    return outages.reduce(0) { sum, outage in
      sum + max(0, min(end, outage.upperBound) - max(record.minute, outage.lowerBound))
    }
  }
}

extension ForwardingDelay: Compact {
  func encode(_ writer: inout CompactWriter) {
    names.encode(&writer)
    records.encode(&writer)
  }

  init(_ reader: inout CompactReader) {
    self.init()
    names = Numbering(&reader)
    records.read(&reader)
  }
}

extension ForwardingDelay.Record {
  func encode(_ writer: inout CompactWriter) {
    for number in [minute, delay, forwarder, network, Int32(hash)] { writer.append(number) }
  }

  init(_ reader: inout CompactReader) {
    (minute, delay) = (reader.integer(), reader.integer())
    (forwarder, network) = (reader.integer(), reader.integer())
    hash = UInt16(truncatingIfNeeded: reader.count())
  }
}
