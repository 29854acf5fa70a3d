internal import LookupTables

/// The transactions of won postbacks, to find those that several networks won.
struct SharedTransactions: Sendable {
  fileprivate struct Win: DrawnRecord {
    let transaction: UInt64
    var network: Int32
    let day: Int32

    var hash: UInt16 { UInt16(truncatingIfNeeded: transaction) }
  }

  private var wins = DrawnList<Win, 2_000_000>()
  private var networks = Numbering<String>()
  /// The number of wins that are left out, because there are too many.
  var unfollowed: Int { wins.leftOut }

  /// Adds a win of a transaction, which is given by its hash.
  mutating func add(_ transaction: UInt64, network: String, on day: Int32) {
    wins.append(Win(transaction: transaction, network: networks.number(of: network), day: day))
  }

  /// The hash of a transaction's id.
  static func hash(_ transaction: ArraySlice<UInt8>) -> UInt64 {
    var hash = StableHash()
    // Letters in either case are the same digit.
    for byte in transaction { hash.add(byte | 0x20) }
    return hash.value
  }

  mutating func merge(_ later: Self) {
    if networks.values.isEmpty {
      // The same numbers, and no copy of a long list.
      self = later
      return
    }
    let map = later.networks.values.map { networks.number(of: $0) }
    wins.merge(later.wins) { Win(transaction: $0.transaction, network: map[Int($0.network)], day: $0.day) }
  }

  /// Adds the rates of the networks. The transactions are not needed any more then, and are removed.
  mutating func addRates(to rates: inout SignalRates) {
    defer { wins.removeRecords() }
    wins.sort { ($0.transaction, $0.network) < ($1.transaction, $1.network) }
    let wins = wins.records
    var series = [DaySeries](repeating: DaySeries(), count: networks.values.count)
    var start = 0
    while start < wins.count {
      var end = start + 1
      while end < wins.count, wins[end].transaction == wins[start].transaction { end += 1 }
      let isShared = wins[start].network != wins[end - 1].network
      for win in wins[start..<end] {
        series[Int(win.network)].add(DaySeries.Cell(day: win.day, count: isShared ? 1 : 0, total: 1))
      }
      start = end
    }
    for (network, series) in zip(networks.values, series) {
      rates.add(SignalRates.Key(.sharedTransactions, .network, network), SignalRates.Entry(series: series))
    }
  }
}

extension SharedTransactions: Compact {
  func encode(_ writer: inout CompactWriter) {
    networks.encode(&writer)
    wins.encode(&writer)
  }

  init(_ reader: inout CompactReader) { (networks, wins) = reader.values() }
}

extension SharedTransactions.Win {
  func encode(_ writer: inout CompactWriter) { writer.append(transaction, network, day) }
  init(_ reader: inout CompactReader) { (transaction, network, day) = reader.values() }
}
