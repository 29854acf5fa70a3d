internal import LookupTables
internal import PostbackCopies
internal import Statistics
package import Tables

/// The counts of accepted postbacks and of rejects for the signals. Those of a division of the rows, in whatever order they are
/// merged, are those of all rows.
package struct SignalCounts: Sendable {
  var clusters = DrawnTable<SignalCluster, ClusterCounts, 50_000>()
  /// The same of forwarders' own copies.
  var sent = DrawnTable<SignalCluster, ClusterCounts, 50_000>()
  var rates = SignalRates()
  var transactions = SharedTransactions()
  var changes = ValueChanges()
  var risk = ForwardingRisk()
  var delay = ForwardingDelay()
  var values = SenderValues()
  var deviceFields = DeviceFields()
  /// Values of devices in whose place a forwarder sent 0, by forwarder and day.
  var zeros: [String: DaySeries] = [:]
  /// Postbacks of which the device's copy has no fine value, with those in which the forwarder wrote 0.
  var nullsAsZeros: [String: Rate] = [:]
  /// The number of postbacks that a sender sent again long after its own first copy, by the id of the ad network.
  var lateReplays: [String: Int] = [:]
  /// The number of postbacks, of those in `skan_settled`, and of those in `skan_enriched`.
  var (postbacks, settled, enriched) = (0, 0, 0)
  /// The number of copies that are left out, because there are too many.
  var unfollowed = 0
  /// The lines that are not rows, which are not among the bytes.
  package var unreadable = UnreadableRows()

  /// Counts of no rows.
  package init() {}

  /// The networks with one forwarder that sends for no other network.
  var onlySenders: Set<String> {
    var (forwarders, networks): ([String: Set<String>], [String: Set<String>]) = ([:], [:])
    for key in sent.entries.keys {
      guard let forwarder = key.forwarder else { continue }
      forwarders[key.network, default: []].insert(forwarder)
      networks[forwarder, default: []].insert(key.network)
    }
    return Set(
      forwarders.compactMap { network, senders in
        guard senders.count == 1, let sender = senders.first, networks[sender]?.count == 1 else { return nil }
        return network
      }
    )
  }

  package mutating func merge(_ later: SignalCounts) {
    clusters.merge(later.clusters)
    sent.merge(later.sent)
    rates += later.rates
    transactions.merge(later.transactions)
    changes.merge(later.changes)
    risk.merge(later.risk)
    delay.merge(later.delay)
    values.merge(later.values)
    deviceFields.merge(later.deviceFields)
    for (forwarder, series) in later.zeros { zeros[forwarder, default: DaySeries()] += series }
    for (forwarder, rate) in later.nullsAsZeros { nullsAsZeros[forwarder, default: Rate()] += rate }
    lateReplays.merge(later.lateReplays, uniquingKeysWith: +)
    postbacks += later.postbacks
    settled += later.settled
    enriched += later.enriched
    unfollowed += later.unfollowed
    unreadable += later.unreadable
  }

  /// The number of copies, postbacks and transactions that are left out, because there are too many.
  var leftOut: Int {
    unfollowed + clusters.leftOut + sent.leftOut + transactions.unfollowed + risk.unfollowed + delay.unfollowed
      + values.unfollowed + deviceFields.additions.leftOut
  }
}

extension SignalCounts {
  /// Counts the differences of a forwarder's copies of a postback from the device's.
  mutating func add(
    _ comparison: DeviceComparison,
    by forwarder: String,
    _ place: ValueChanges.Place,
    on day: Int32
  ) {
    func add(_ name: SignalName, _ change: ValueChange?) {
      rates.add(name, .forwarder, forwarder, change != nil, on: day)
      if let change { changes.add(change, for: name, by: forwarder, in: place) }
    }
    /// Counts a value that the device did not send as a change, if copies of devices can show it.
    func addAddition(_ name: SignalName, _ change: ValueChange?) {
      guard let change, change.from == UnsignedValues.absent else { return add(name, change) }
      deviceFields.add(change.field, by: forwarder, in: place, on: day)
      changes.add(change, for: name, by: forwarder, in: place)
    }
    /// Counts a dropped value. What receives a device's copy may have written 0 for none.
    func addLoss(_ name: SignalName, _ change: ValueChange?) {
      guard let change, change.isZeroToNone else { return add(name, change) }
      deviceFields.addZero(for: name, by: forwarder, in: place, on: day)
      changes.add(change, for: name, by: forwarder, in: place)
    }
    if comparison.hasReadableValues {
      if comparison.hasDeviceValue {
        add(.raisedValues, comparison.raised)
        addLoss(.inventedNulls, comparison.nulled)
        if comparison.isLoweredToZero {
          // If the forwarder writes missing values as 0, this is one.
          zeros[forwarder, default: DaySeries()].add(DaySeries.Cell(day: day, count: 1, total: 1))
          if let change = comparison.lowered { changes.add(change, for: .loweredValues, by: forwarder, in: place) }
        } else {
          addLoss(.loweredValues, comparison.lowered)
        }
      }
      if !comparison.hasDeviceValue { addAddition(.addedValues, comparison.added) }
      if let isZero = comparison.writesNullAsZero { nullsAsZeros[forwarder, default: Rate()].add(isZero) }
      let differences: [(name: SignalName, isFound: Bool)] = [
        (.raisedValues, comparison.raised != nil), (.addedValues, comparison.added != nil),
        (.loweredValues, comparison.lowered != nil), (.raisedRevenue, comparison.hasOwnFineValue),
      ]
      let name = differences.first(where: \.isFound)?.name
      changes.add(comparison.meant, in: place, for: name, by: forwarder)
    } else {
      for name: SignalName in [.raisedValues, .loweredValues, .addedValues, .inventedNulls] {
        rates.leaveOut(name, forwarder)
      }
    }
    if !comparison.hasReadableCountries {
      rates.leaveOut(.changedCountries, forwarder)
    } else if comparison.hasCountry {
      addAddition(.changedCountries, comparison.country)
    }
  }
}

extension SignalCounts {
  /// Adds the rates that follow from counts of all rows.
  mutating func complete() {
    values.putInOrder()
    transactions.addRates(to: &rates)
    delay.addRates(to: &rates)
    values.addRates(to: &rates)
    addZeros()
    addAdditions()
    risk.addRates(to: &rates)
  }

  /// Adds what forwarders sent where the device's copy has none, and none where it has 0, to the rates: as changes, or left out where
  /// copies of devices cannot show it.
  private mutating func addAdditions() {
    deviceFields.findLostDays()
    let fields = deviceFields
    for (addition, entry) in fields.additions.entries {
      if fields.areWitnesses(of: addition.field, in: addition.place) {
        rates.add(SignalRates.Key(addition.name, .forwarder, addition.forwarder), entry)
      } else {
        rates.leaveOut(addition.name, addition.forwarder, entry.series.rate.total)
      }
    }
    for (zero, entry) in fields.zeros.entries {
      if fields.writeNullAsZero(in: zero.place) {
        rates.leaveOut(zero.name, zero.forwarder, entry.series.rate.total)
      } else {
        rates.add(SignalRates.Key(name: zero.name, party: SignalParty(kind: .forwarder, name: zero.forwarder)), entry)
      }
    }
    changes.leaveOut(fields)
  }

  /// Adds the values lowered to 0 to the rates: as changes, or left out for forwarders that write missing values as 0.
  private mutating func addZeros() {
    for (forwarder, series) in zeros {
      let isUsual = nullsAsZeros[forwarder].map { $0.count >= 5 && $0.count * 2 > $0.total } ?? false
      if isUsual {
        rates.leaveOut(.loweredValues, forwarder, series.rate.total)
      } else {
        let key = SignalRates.Key(.loweredValues, .forwarder, forwarder)
        for cell in series.cells { rates.add(key, cell) }
      }
    }
  }
}
