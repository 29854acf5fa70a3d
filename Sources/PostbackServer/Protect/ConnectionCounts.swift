internal import Synchronization

/// How many connections each address has.
final class ConnectionCounts: Sendable {
  private let limit: Int
  private let proxies: TrustedProxies
  private let counts = Mutex<[IPAddress: Int]>([:])

  /// At most so many of an address that is no trusted proxy.
  init(limit: Int, proxies: TrustedProxies) {
    self.limit = limit
    self.proxies = proxies
  }

  /// Whether the address may have one more.
  func allows(_ address: IPAddress) -> Bool {
    proxies.contains(address) || counts.withLock { $0[address.customer] ?? 0 } < limit
  }

  /// Counts a connection that was taken.
  func opened(_ address: IPAddress) { counts.withLock { $0[address.customer, default: 0] += 1 } }

  /// Counts one that is over.
  func closed(_ address: IPAddress) {
    counts.withLock { counts in
      let left = (counts[address.customer] ?? 1) - 1
      counts[address.customer] = left > 0 ? left : nil
    }
  }
}
