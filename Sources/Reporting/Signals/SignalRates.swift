/// The rates of all parties, by test.
struct SignalRates: Sendable {
  struct Key: Hashable, Sendable {
    let name: SignalName
    let party: SignalParty
  }

  /// A rate, and the time of the first record with the property.
  struct Entry: Sendable {
    var rate = Rate()
    var since: Int64?
    /// The number of records that could not be compared.
    var leftOut = 0
  }

  private(set) var entries: [Key: Entry] = [:]

  private static let leastRecords = 30
  private static let mostEntries = 100_000

  mutating func add(
    _ name: SignalName,
    _ kind: SignalParty.Kind,
    _ party: String?,
    _ hasProperty: Bool,
    at time: Int64?
  ) {
    guard let party else { return }
    add(
      Key(name: name, party: SignalParty(kind: kind, name: party)),
      Entry(rate: Rate(count: hasProperty ? 1 : 0, total: 1), since: hasProperty ? time : nil)
    )
  }

  /// Counts a record of a forwarder that a test leaves out.
  mutating func leaveOut(_ name: SignalName, _ forwarder: String) {
    add(Key(name: name, party: SignalParty(kind: .forwarder, name: forwarder)), Entry(leftOut: 1))
  }

  mutating func add(_ key: Key, _ entry: Entry) {
    if let place = entries.index(forKey: key) {
      entries.values[place].rate += entry.rate
      entries.values[place].leftOut += entry.leftOut
      guard let since = entry.since else { return }
      entries.values[place].since = min(entries.values[place].since ?? since, since)
    } else if entries.count < Self.mostEntries {
      entries[key] = entry
    }
  }

  static func += (left: inout Self, right: Self) {
    for (key, entry) in right.entries.sorted(by: { $0.key.party < $1.key.party }) { left.add(key, entry) }
  }

  /// The tests of all parties with enough records, each against all other parties of its kind.
  func tests() -> [SignalTest] {
    struct Kind: Hashable {
      let name: SignalName
      let kind: SignalParty.Kind
    }
    var totals: [Kind: Rate] = [:]
    for (key, entry) in entries { totals[Kind(name: key.name, kind: key.party.kind), default: Rate()] += entry.rate }
    return entries.compactMap { key, entry -> SignalTest? in
      guard entry.rate.total >= Self.leastRecords else { return nil }
      let total = totals[Kind(name: key.name, kind: key.party.kind)] ?? Rate()
      let others = total - entry.rate
      let tolerated = ExactTest.binomial(entry.rate, chance: key.name.tolerance)
      let isCompared = key.name.comparesWithOthers && others.total > 0
      var test = SignalTest(
        name: key.name,
        party: key.party,
        app: nil,
        value: nil,
        own: entry.rate,
        others: others,
        effect: (entry.rate.share ?? 0) - (others.share ?? 0),
        campaigns: nil,
        pValue: isCompared ? max(tolerated, ExactTest.fisher(entry.rate, against: others)) : tolerated
      )
      test.since = entry.since
      if key.name.leavesOut { test.leftOut = entry.leftOut }
      return test
    }
  }
}
