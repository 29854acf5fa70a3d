internal import LookupTables

/// The transactions of won postbacks, to find those that several networks won.
struct SharedTransactions: Sendable {
  private struct Win: Sendable {
    let transaction: UInt64
    let network: Int32
    let day: Int32
  }

  private var wins: [Win] = []
  private var networks: [String] = []
  private var numbers: [String: Int32] = [:]
  /// The number of wins that are left out, because there are too many.
  private(set) var unfollowed = 0

  private static let largestCount = 2_000_000

  mutating func add(_ transaction: ArraySlice<UInt8>, network: String, on day: Int32) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in transaction {
      // Letters in either case are the same digit.
      hash = (hash ^ UInt64(byte | 0x20)) &* 0x100_0000_01B3
    }
    append(Win(transaction: hash, network: number(of: network), day: day))
  }

  private mutating func append(_ win: Win) {
    if wins.count < Self.largestCount { wins.append(win) } else { unfollowed += 1 }
  }

  private mutating func number(of network: String) -> Int32 {
    if let number = numbers[network] { return number }
    let number = Int32(networks.count)
    networks.append(network)
    numbers[network] = number
    return number
  }

  mutating func merge(_ later: Self) {
    let map = later.networks.map { number(of: $0) }
    for win in later.wins { append(Win(transaction: win.transaction, network: map[Int(win.network)], day: win.day)) }
    unfollowed += later.unfollowed
  }

  /// Adds the rates of the networks.
  mutating func addRates(to rates: inout SignalRates) {
    wins.sort { ($0.transaction, $0.network) < ($1.transaction, $1.network) }
    var series = [DaySeries](repeating: DaySeries(), count: networks.count)
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
    for (network, series) in zip(networks, series) {
      rates.add(SignalRates.Key(name: .sharedTransactions, party: SignalParty(kind: .network, name: network)), series)
    }
  }
}
