internal import LookupTables
internal import Statistics
internal import Tables

/// The counts of accepted postbacks for the signals.
struct SignalCounts: Sendable {
  var clusters: [SignalCluster: ClusterCounts] = [:]
  var rates = SignalRates()
  var transactions = SharedTransactions()
  var changes = ValueChanges()
  var risk = ForwardingRisk()
  var delay = ForwardingDelay()
  var values = SenderValues()
  /// Values of devices in whose place a forwarder sent 0, by forwarder and day.
  var zeros: [String: DaySeries] = [:]
  /// Postbacks of which the device's copy has no fine value, with those in which the forwarder wrote 0.
  var nullsAsZeros: [String: Rate] = [:]
  /// The number of postbacks that a sender sent again after Apple's last retry, by the id of the ad network.
  var lateReplays: [String: Int] = [:]
  var unreadable = UnreadableRows()
  /// The number of postbacks in further clusters, which are left out.
  var uncounted = 0
  /// Indicates that a row of a derived table is not of the postback in its place.
  var isMisaligned = false

  /// The networks with one forwarder that sends for no other network.
  var onlySenders: Set<String> {
    var (forwarders, networks): ([String: Set<String>], [String: Set<String>]) = ([:], [:])
    for key in clusters.keys {
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

  private static let mostClusters = 50_000
  private static let mostNetworks = 4096

  mutating func merge(_ later: SignalCounts) {
    for (key, counts) in later.clusters {
      if clusters[key] != nil || clusters.count < Self.mostClusters {
        clusters[key, default: ClusterCounts()] += counts
      } else {
        uncounted += counts.impossible.total
      }
    }
    rates += later.rates
    transactions.merge(later.transactions)
    changes.merge(later.changes)
    risk.merge(later.risk)
    delay.merge(later.delay)
    values.merge(later.values)
    for (forwarder, series) in later.zeros { zeros[forwarder, default: DaySeries()] += series }
    nullsAsZeros.merge(later.nullsAsZeros) { one, other in
      var sum = one
      sum += other
      return sum
    }
    for (network, count) in later.lateReplays where lateReplays[network] != nil || lateReplays.count < Self.mostNetworks
    {
      lateReplays[network, default: 0] += count
    }
    unreadable += later.unreadable
    isMisaligned = isMisaligned || later.isMisaligned
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
      if let change { changes.add(change, for: name, by: forwarder) }
    }
    if comparison.hasReadableValues {
      if comparison.hasDeviceValue {
        add(.raisedValues, comparison.raised)
        add(.inventedNulls, comparison.nulled)
        if comparison.isLoweredToZero {
          // If the forwarder writes missing values as 0, this is one.
          zeros[forwarder, default: DaySeries()].add(DaySeries.Cell(day: day, count: 1, total: 1))
          if let change = comparison.lowered { changes.add(change, for: .loweredValues, by: forwarder) }
        } else {
          add(.loweredValues, comparison.lowered)
        }
      }
      if !comparison.hasDeviceValue || comparison.added != nil { add(.addedValues, comparison.added) }
      if let isZero = comparison.writesNullAsZero { nullsAsZeros[forwarder, default: Rate()].add(isZero) }
      let name: SignalName? =
        comparison.raised != nil
        ? .raisedValues : comparison.added != nil ? .addedValues : comparison.lowered != nil ? .loweredValues : nil
      changes.add(comparison.meant, in: place, for: name, by: forwarder)
    } else {
      for name: SignalName in [.raisedValues, .loweredValues, .addedValues, .inventedNulls] {
        rates.leaveOut(name, forwarder)
      }
    }
    if !comparison.hasReadableCountries {
      rates.leaveOut(.changedCountries, forwarder)
    } else if comparison.hasCountry {
      add(.changedCountries, comparison.country)
    }
  }
}

extension SignalCounts {
  /// Adds the values lowered to 0 to the rates: as changes, or left out for forwarders that write missing values as 0.
  mutating func addZeros() {
    for (forwarder, series) in zeros {
      let isUsual = nullsAsZeros[forwarder].map { $0.count >= 5 && $0.count * 2 > $0.total } ?? false
      if isUsual {
        rates.leaveOut(.loweredValues, forwarder, series.rate.total)
      } else {
        let key = SignalRates.Key(name: .loweredValues, party: SignalParty(kind: .forwarder, name: forwarder))
        for cell in series.cells { rates.add(key, cell) }
      }
    }
  }
}
