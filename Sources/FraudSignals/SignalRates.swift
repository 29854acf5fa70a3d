internal import LookupTables
internal import Statistics

/// The rates of all parties, by test and day.
package struct SignalRates: Sendable {
  struct Key: DrawnKey {
    let name: SignalName
    let party: SignalParty

    func add(to hash: inout StableHash) { hash.add(party.name) }
  }

  /// A rate by the day on which its records were first received.
  struct Entry: DrawnSum {
    var series = DaySeries()
    /// The number of records that could not be compared.
    var leftOut = 0

    static func += (left: inout Self, right: Self) {
      left.series += right.series
      left.leftOut += right.leftOut
    }

    var records: Int { series.rate.total + leftOut }
  }

  private var table = DrawnTable<Key, Entry, 50_000>()
  /// The rates that are tolerated of parties, where the records tell what honest ones have.
  private var tolerances: [Key: Double] = [:]
  /// The records of parties without those that an outage of a part of a party explains, for tests that know them better than by
  /// their days.
  private var rests: [Key: DaySeries] = [:]
  var entries: [Key: Entry] { table.entries }

  /// The number of records from which on a party is tested.
  package static let leastRecords = 30

  /// Counts a record of the day on which it was first received.
  mutating func add(
    _ name: SignalName,
    _ kind: SignalParty.Kind,
    _ party: String?,
    _ hasProperty: Bool,
    on day: Int32
  ) {
    guard let party else { return }
    add(Key(name, kind, party), DaySeries.Cell(day: day, count: hasProperty ? 1 : 0, total: 1))
  }

  /// Counts a record of a forwarder that a test leaves out.
  mutating func leaveOut(_ name: SignalName, _ forwarder: String, _ count: Int = 1) {
    table.add(Key(name, .forwarder, forwarder), Entry(leftOut: count))
  }

  mutating func add(_ key: Key, _ cell: DaySeries.Cell) {
    table.add(key, records: Int(cell.total)) { $0.series.add(cell) }
  }

  mutating func add(_ key: Key, _ entry: Entry) { table.add(key, entry) }

  /// Tolerates a rate of a party, once all records are counted.
  mutating func tolerate(_ key: Key, _ rate: Double) { tolerances[key] = rate }

  /// Notes the records of a party that no outage of a part of it explains, once all records are counted.
  mutating func keepRest(_ key: Key, _ rest: DaySeries) { rests[key] = rest }

  static func += (left: inout Self, right: Self) { left.table.merge(right.table) }

  /// The tests of all parties with enough records, each against all other parties of its kind. A test is left out if no record
  /// of any party has the property, since it cannot raise an alarm.
  func tests() -> [SignalTest] {
    struct Kind: Hashable {
      let name: SignalName
      let kind: SignalParty.Kind
    }
    var totals: [Kind: DaySeries] = [:]
    for (key, entry) in entries {
      totals[Kind(name: key.name, kind: key.party.kind), default: DaySeries()] += entry.series
    }
    return entries.compactMap { key, entry -> SignalTest? in
      let own = entry.series.rate
      guard own.total >= Self.leastRecords, let all = totals[Kind(name: key.name, kind: key.party.kind)],
        all.rate.count > 0
      else { return nil }
      let others = all.rate - own
      let isCompared = key.name.comparesWithOthers && others.total >= Self.leastRecords
      let course = course(key, entry.series, all, isCompared: isCompared)
      var test = SignalTest(
        name: key.name,
        basis: key.name.basisOfRates,
        method: .rates,
        party: key.party,
        own: own,
        others: others,
        effect: (own.share ?? 0) - (others.share ?? 0),
        pValue: course.pValue
      )
      test.course = course
      test.leastOther = least(key)
      if key.name.leavesOut || key.name == .heldBack { test.leftOut = entry.leftOut }
      return test
    }
  }

  /// The least share of any other party with enough records.
  private func least(_ key: Key) -> Double? {
    guard key.name.limit != nil else { return nil }
    return entries.filter { $0.key.name == key.name && $0.key.party.kind == key.party.kind && $0.key != key }
      .map(\.value.series.rate).filter { $0.total >= Self.leastRecords }.compactMap(\.share).min()
  }

  /// The evidence that the rate is above the tolerated one and above the others', by day.
  private func course(_ key: Key, _ own: DaySeries, _ all: DaySeries, isCompared: Bool) -> EvidenceCourse {
    let (name, days, others) = (key.name, all.cells.map(\.day), all - own)
    let course = evidence(key, own, others, on: days, isCompared: isCompared)
    guard name.outageDays > 0 else { return course }
    // Days of which others had their worst do not count either, so that no party is compared by its best days alone.
    let worst = own.worst(name.outageDays).union(isCompared ? others.worst(name.outageDays) : [])
    let rest = (rests[key] ?? own).withoutDays(worst)
    let lesser = course.lesser(evidence(key, rest, others, on: days, isCompared: isCompared))
    let span = own.clearestSpan(name.longestPartOutage)
    guard !span.isEmpty else { return lesser }
    return lesser.lesser(evidence(key, own.withoutDays(span), others, on: days, isCompared: isCompared))
  }

  private func evidence(
    _ key: Key,
    _ own: DaySeries,
    _ others: DaySeries,
    on days: [Int32],
    isCompared: Bool
  ) -> EvidenceCourse {
    let name = key.name
    let tolerance = max(isCompared ? name.tolerance : name.toleranceAlone, tolerances[key] ?? 0)
    let tolerated = RateEvidence.aboveTolerance(own, tolerance, on: days)
    guard isCompared else { return tolerated }
    return tolerated.lesser(RateEvidence.aboveOthers(own, others, limit: name.limit, usual: tolerance, on: days))
  }

  /// The day on which the evidence of an alarm had fallen, and the onset of the property.
  func describe(_ test: inout SignalTest, bound: Double) {
    let key = Key(name: test.name, party: test.party)
    guard let series = entries[key]?.series else { return }
    var all = DaySeries()
    for (other, entry) in entries where other.name == test.name && other.party.kind == test.party.kind {
      all += entry.series
    }
    var (own, others) = (Rate(), Rate())
    var fallen: Int32?
    var stood = false
    for (day, log) in test.course?.days ?? [] {
      own += series.on(day)
      others += all.on(day) - series.on(day)
      let stands =
        own.total >= Self.leastRecords && log >= bound && test.isFarAbove(own, others)
      if stands { (stood, fallen) = (true, nil) } else if stood, log < 0, fallen == nil { fallen = day }
    }
    test.withdrawnOn = fallen
    guard test.isSignificant else { return }
    test.since = ChangePoint.onset(series)
    test.isThroughout = test.since == nil
    var since = test.since
    while let change = since, isAlarm(test, key, series, all, before: change.low) {
      // A share may rise again after its onset, such as when the kinds of postbacks change.
      since = ChangePoint.onset(series.withoutDays(Set(series.cells.map(\.day).filter { $0 >= change.low })))
      since?.isOnlyDay = false
      test.isThroughout = since == nil
    }
    if !test.isThroughout { test.since = since }
  }

  /// Tells if the records before a day would raise an alarm by themselves, so that the property was there before it. A share may rise
  /// because the kinds of postbacks change, such as when only those of later windows are still to come.
  private func isAlarm(
    _ test: SignalTest,
    _ key: Key,
    _ own: DaySeries,
    _ all: DaySeries,
    before day: Int32
  ) -> Bool {
    let later = Set(all.cells.map(\.day).filter { $0 >= day })
    let (before, others) = (own.withoutDays(later), (all - own).withoutDays(later))
    guard before.rate.total >= Self.leastRecords else { return false }
    let isCompared = key.name.comparesWithOthers && others.rate.total >= Self.leastRecords
    let course = evidence(key, before, others, on: others.cells.map(\.day), isCompared: isCompared)
    return course.pValue < SignalTest.level && test.isFarAbove(before.rate, others.rate)
  }
}

extension SignalRates: Compact {
  func encode(_ writer: inout CompactWriter) { table.encode(&writer) }
  init(_ reader: inout CompactReader) { table = DrawnTable(&reader) }
}

extension SignalRates.Key {
  init(_ name: SignalName, _ kind: SignalParty.Kind, _ party: String) {
    self.init(name: name, party: SignalParty(kind: kind, name: party))
  }

  func encode(_ writer: inout CompactWriter) { writer.append(name, party.kind, party.name) }
  init(_ reader: inout CompactReader) { self.init(SignalName(&reader), SignalParty.Kind(&reader), String(&reader)) }
}

extension SignalRates.Entry {
  func encode(_ writer: inout CompactWriter) { writer.append(series, leftOut) }
  init(_ reader: inout CompactReader) { (series, leftOut) = reader.values() }
}
