internal import Synchronization

/// How often each address may ask: a bucket of tokens that is filled at a steady rate.
///
/// The table is bounded: who does not fit in it shares one bucket with all others who do not.
package final class RateLimit: Sendable {
  private let table: Mutex<RateTable>

  /// So many requests a minute of each address, and so many at once after a pause; 0 a minute for any number.
  package init(perMinute: Int, burst: Int, capacity: Int = 65_536) {
    table = Mutex(RateTable(perSecond: Double(perMinute) / 60, burst: Double(burst), capacity: capacity))
  }

  /// Takes a token of the address; false where it has none.
  func allows(_ address: IPAddress, at now: ContinuousClock.Instant = .now) -> Bool {
    table.withLock { $0.take(address.customer, at: now) }
  }
}

/// The buckets of all addresses: a pure struct that is told the time.
struct RateTable: Sendable {
  private struct Bucket {
    var tokens: Double
    var filled: ContinuousClock.Instant
  }

  private let perSecond: Double
  private let burst: Double
  private let capacity: Int
  private var buckets: [IPAddress: Bucket] = [:]
  /// Of all that the table has no room for.
  private var others: Bucket?
  private var swept: ContinuousClock.Instant?

  /// How many addresses have a bucket of their own.
  var count: Int { buckets.count }

  init(perSecond: Double, burst: Double, capacity: Int) {
    self.perSecond = perSecond
    self.burst = max(burst, 1)
    self.capacity = capacity
  }

  /// Takes a token; false where there is none.
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

  /// Forgets the buckets that are full again: they are as good as new. Not more than once a second, as it looks at all.
  private mutating func sweep(at now: ContinuousClock.Instant) {
    if let swept, now - swept < .seconds(1) { return }
    swept = now
    buckets = buckets.filter { tokens(of: $0.value, at: now) < burst }
  }
}
