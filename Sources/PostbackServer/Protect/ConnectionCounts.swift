internal import Synchronization

/// The number of open connections of each address, with a limit.
final class ConnectionCounts: Sendable {
  private let limit: Int
  private let proxies: TrustedProxies
  private let counts = Mutex<[IPAddress: Int]>([:])

  /// Creates counts with a limit for each address that is not a trusted proxy.
  init(limit: Int, proxies: TrustedProxies) {
    self.limit = limit
    self.proxies = proxies
  }

  /// Indicates that the address may open another connection.
  func allows(_ address: IPAddress) -> Bool {
    proxies.contains(address) || counts.withLock { $0[address.rateLimitPrefix] ?? 0 } < limit
  }

  /// Counts a connection that was opened.
  func opened(_ address: IPAddress) { counts.withLock { $0[address.rateLimitPrefix, default: 0] += 1 } }

  /// Counts a connection that was closed.
  func closed(_ address: IPAddress) {
    counts.withLock { counts in
      let left = (counts[address.rateLimitPrefix] ?? 1) - 1
      counts[address.rateLimitPrefix] = left > 0 ? left : nil
    }
  }
}
