internal import LookupTables
internal import Statistics

/// The rates of all parties, by test and day.
package struct SignalRates: Sendable {
  struct Key: Hashable, Sendable {
    let name: SignalName
    let party: SignalParty
  }

  /// A rate by the day on which its records were first received.
  package struct Entry: Sendable {
    var series = DaySeries()
    /// The number of records that could not be compared.
    var leftOut = 0
  }

  private(set) var entries: [Key: Entry] = [:]

  static let leastRecords = 30
  private static let mostEntries = 50_000

  /// Counts a record of the day on which it was first received.
  mutating func add(
    _ name: SignalName,
    _ kind: SignalParty.Kind,
    _ party: String?,
    _ hasProperty: Bool,
    on day: Int32
  ) {
    guard let party else { return }
    add(
      Key(name: name, party: SignalParty(kind: kind, name: party)),
      DaySeries.Cell(day: day, count: hasProperty ? 1 : 0, total: 1)
    )
  }

  /// Counts a record of a forwarder that a test leaves out.
  mutating func leaveOut(_ name: SignalName, _ forwarder: String, _ count: Int = 1) {
    let key = Key(name: name, party: SignalParty(kind: .forwarder, name: forwarder))
    if entries[key] != nil || entries.count < Self.mostEntries { entries[key, default: Entry()].leftOut += count }
  }

  mutating func add(_ key: Key, _ cell: DaySeries.Cell) {
    if let place = entries.index(forKey: key) {
      entries.values[place].series.add(cell)
    } else if entries.count < Self.mostEntries {
      var entry = Entry()
      entry.series.add(cell)
      entries[key] = entry
    }
  }

  mutating func add(_ key: Key, _ series: DaySeries) {
    if entries[key] != nil || entries.count < Self.mostEntries { entries[key, default: Entry()].series += series }
  }

  static func += (left: inout Self, right: Self) {
    for (key, entry) in right.entries.sorted(by: { $0.key.party < $1.key.party }) {
      guard left.entries[key] != nil || left.entries.count < mostEntries else { continue }
      left.entries[key, default: Entry()].series += entry.series
      left.entries[key]?.leftOut += entry.leftOut
    }
  }

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
      let course = Self.course(key.name, entry.series, all, isCompared: isCompared)
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
      if key.name.leavesOut { test.leftOut = entry.leftOut }
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
  private static func course(_ name: SignalName, _ own: DaySeries, _ all: DaySeries, isCompared: Bool) -> EvidenceCourse
  {
    let (days, others) = (all.cells.map(\.day), all - own)
    let course = evidence(name, own, others, on: days, isCompared: isCompared)
    guard name.outageDays > 0 else { return course }
    // Days of which others had their worst do not count either, so that no party is compared by its best days alone.
    let worst = own.worst(name.outageDays).union(isCompared ? others.worst(name.outageDays) : [])
    let rest = own.withoutDays(worst)
    return course.lesser(evidence(name, rest, others, on: days, isCompared: isCompared))
  }

  private static func evidence(
    _ name: SignalName,
    _ own: DaySeries,
    _ others: DaySeries,
    on days: [Int32],
    isCompared: Bool
  ) -> EvidenceCourse {
    let tolerance = isCompared ? name.tolerance : name.toleranceAlone
    let tolerated = RateEvidence.aboveTolerance(own, tolerance, on: days)
    guard isCompared else { return tolerated }
    return tolerated.lesser(RateEvidence.aboveOthers(own, others, limit: name.limit, usual: tolerance, on: days))
  }

  /// The day on which the evidence of an alarm had fallen, and the onset of the property.
  func describe(_ test: inout SignalTest, bound: Double) {
    guard let series = entries[Key(name: test.name, party: test.party)]?.series else { return }
    var all = DaySeries()
    for (key, entry) in entries where key.name == test.name && key.party.kind == test.party.kind { all += entry.series }
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
  }
}
