internal import Synchronization

/// A limit on the request rate of each address: a token bucket that is refilled at a steady rate.
///
/// The table of buckets has a fixed capacity. Addresses beyond it share one bucket.
package final class ClientRateLimit: Sendable {
  private let table: Mutex<RateTable>

  /// Creates a limit of `perMinute` requests for each address, of which `burst` may come at once after a pause. 0 per
  /// minute means no limit.
  package init(perMinute: Int, burst: Int, capacity: Int = 65_536) {
    table = Mutex(RateTable(perSecond: Double(perMinute) / 60, burst: Double(burst), capacity: capacity))
  }

  /// Changes the limit. No address gets new tokens by that.
  func use(perMinute: Int, burst: Int) {
    table.withLock { $0.use(perSecond: Double(perMinute) / 60, burst: Double(burst), at: .now) }
  }

  /// Takes a token of the address; returns false if it has none.
  package func allows(_ address: IPAddress, at now: ContinuousClock.Instant = .now) -> Bool {
    table.withLock { $0.take(address.rateLimitPrefix, at: now) }
  }

  /// Gives a token back that `allows` took for something that does not count.
  package func giveBack(_ address: IPAddress) { table.withLock { $0.giveBack(address.rateLimitPrefix) } }
}

/// The token buckets of all addresses. A pure struct: its caller passes the time.
struct RateTable: Sendable {
  private struct Bucket {
    var tokens: Double
    var filled: ContinuousClock.Instant
  }

  private var perSecond: Double
  private var burst: Double
  private let capacity: Int
  private var buckets: [IPAddress: Bucket] = [:]
  /// The shared bucket of the addresses that do not fit in the table.
  private var others: Bucket?
  private var swept: ContinuousClock.Instant?

  /// The number of addresses that have a bucket of their own.
  var count: Int { buckets.count }

  init(perSecond: Double, burst: Double, capacity: Int) {
    self.perSecond = perSecond
    self.burst = max(burst, 1)
    self.capacity = capacity
  }

  /// Changes the rate and the burst. The tokens until now are those of the old rate.
  mutating func use(perSecond: Double, burst: Double, at now: ContinuousClock.Instant) {
    buckets = buckets.mapValues { Bucket(tokens: tokens(of: $0, at: now), filled: now) }
    others = others.map { Bucket(tokens: tokens(of: $0, at: now), filled: now) }
    self.perSecond = perSecond
    self.burst = max(burst, 1)
  }

  /// Takes a token of the address, or of the shared bucket if the table is full; returns false if there is none.
  mutating func take(_ address: IPAddress, at now: ContinuousClock.Instant) -> Bool {
    guard perSecond > 0 else { return true }
    if var bucket = buckets[address] {
      defer { buckets[address] = bucket }
      return take(from: &bucket, at: now)
    }
    if buckets.count >= capacity { sweep(at: now) }
    var bucket = Bucket(tokens: burst, filled: now)
    guard buckets.count >= capacity else {
      defer { buckets[address] = bucket }
      return take(from: &bucket, at: now)
    }
    bucket = others ?? bucket
    defer { others = bucket }
    return take(from: &bucket, at: now)
  }

  /// Puts a token back into the bucket that it was taken from.
  mutating func giveBack(_ address: IPAddress) {
    if buckets[address] != nil {
      buckets[address]?.tokens += 1
    } else {
      others?.tokens += 1
    }
  }

  private func take(from bucket: inout Bucket, at now: ContinuousClock.Instant) -> Bool {
    bucket.tokens = tokens(of: bucket, at: now)
    bucket.filled = now
    guard bucket.tokens >= 1 else { return false }
    bucket.tokens -= 1
    return true
  }

  private func tokens(of bucket: Bucket, at now: ContinuousClock.Instant) -> Double {
    min(burst, bucket.tokens + perSecond * max((now - bucket.filled) / .seconds(1), 0))
  }

  /// Removes the full buckets, which equal new ones. It runs at most once a second, because it visits every bucket.
  private mutating func sweep(at now: ContinuousClock.Instant) {
    if let swept, now - swept < .seconds(1) { return }
    swept = now
    buckets = buckets.filter { tokens(of: $0.value, at: now) < burst }
  }
}

/// The number of open connections of each address.
final class ConnectionCounts: Sendable {
  private let counts = Mutex<[IPAddress: Int]>([:])

  /// Indicates that the address may open another connection: it has fewer than `limit`.
  func allows(_ address: IPAddress, limit: Int) -> Bool {
    counts.withLock { $0[address.rateLimitPrefix] ?? 0 } < limit
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
