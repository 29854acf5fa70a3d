/// The protection of a partner that fails, and of the deliveries to it: after 20 failures in a row there is one attempt a
/// minute, until one succeeds.
struct CircuitBreaker: Sendable {
  private var failures = 0
  /// The time of the next attempt; nil while attempts are not limited.
  private(set) var nextProbe: Int64?

  static let limit = 20
  static let interval: Int64 = 60_000

  /// Indicates that one request at a time is sent, once a minute.
  var isOpen: Bool { nextProbe != nil }

  mutating func succeed() { self = CircuitBreaker() }

  mutating func fail(at now: Int64) {
    failures += 1
    if failures >= Self.limit { nextProbe = now + Self.interval }
  }

  /// Lets the next attempt be no later than an interval from now on.
  mutating func limitProbe(at now: Int64) { nextProbe = nextProbe.map { min($0, now + Self.interval) } }
}

/// The limit of requests in a second.
struct PartnerRateLimit: Sendable {
  private let rate: Double?
  private var tokens: Double
  private var at: Int64?

  /// A limit; nil for none. As many requests as fit in a tenth of a second may be sent at once.
  init(_ rate: Double?) {
    self.rate = rate
    tokens = rate.map { max(1, $0 / 10) } ?? 0
  }

  /// Returns the time in milliseconds until a request may be sent; 0 if that is now.
  mutating func wait(at now: Int64) -> Int64 {
    guard let rate else { return 0 }
    tokens = min(max(1, rate / 10), tokens + Double(max(now - (at ?? now), 0)) / 1000 * rate)
    at = now
    return tokens >= 1 ? 0 : max(1, Int64(((1 - tokens) / rate * 1000).rounded(.up)))
  }

  /// Counts a request that is sent.
  mutating func take() { if rate != nil { tokens -= 1 } }
}
