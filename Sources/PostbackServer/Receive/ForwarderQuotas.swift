internal import Synchronization

/// The part of its quota that a body of a forwarder takes.
struct QuotaUse: Sendable {
  /// The number of its records.
  let records: Int
  /// The number of bytes in envelopes.
  let bytes: Int
  /// The number of stored records that are no postbacks.
  let others: Int
}

/// The quotas of all forwarders with what they have used, since the start of the process.
///
/// A body is taken whole while something is left, so a quota is exceeded by less than one body. The clock is monotonic:
/// a change of the time of day neither renews a quota nor holds one up.
final class ForwarderQuotas: Sendable {
  private struct State {
    var quotas: [String: ForwarderQuota]
    var other: ForwarderQuota
    var meters: [String: QuotaMeter] = [:]
  }

  private let state: Mutex<State>

  /// Creates quotas of which nothing is used.
  init(_ configuration: ServerConfiguration) {
    state = Mutex(State(quotas: configuration.forwarderQuotas, other: configuration.forwarderQuota))
  }

  /// Changes the quotas. What was used stays used.
  func use(_ configuration: ServerConfiguration) {
    state.withLock { ($0.quotas, $0.other) = (configuration.forwarderQuotas, configuration.forwarderQuota) }
  }

  /// Returns the seconds after which a forwarder may send again; nil if it may now.
  func wait(of forwarder: String, at now: ContinuousClock.Instant = .now) -> Int? {
    withMeter(of: forwarder, at: now) { meter, quota in meter.wait(within: quota, at: now) }
  }

  /// The number of records that are no postbacks and may still be stored in this minute.
  func othersLeft(for forwarder: String, at now: ContinuousClock.Instant = .now) -> Int {
    withMeter(of: forwarder, at: now) { meter, quota in max(quota.othersPerMinute - meter.others, 0) }
  }

  /// Takes the use of a body. If nothing is left, it takes nothing and returns the seconds to wait.
  func take(_ use: QuotaUse, by forwarder: String, at now: ContinuousClock.Instant = .now) -> Int? {
    withMeter(of: forwarder, at: now) { meter, quota in
      if let seconds = meter.wait(within: quota, at: now) { return seconds }
      meter.add(use, 1)
      return nil
    }
  }

  /// Gives back the use of a body that was not stored.
  func giveBack(_ use: QuotaUse, by forwarder: String) {
    withMeter(of: forwarder, at: .now) { meter, _ in meter.add(use, -1) }
  }

  private func withMeter<Value: Sendable>(
    of forwarder: String,
    at now: ContinuousClock.Instant,
    _ body: (inout QuotaMeter, ForwarderQuota) -> Value
  ) -> Value {
    state.withLock { state in
      var meter = state.meters[forwarder] ?? QuotaMeter(at: now)
      meter.advance(to: now)
      defer { state.meters[forwarder] = meter }
      return body(&meter, state.quotas[forwarder] ?? state.other)
    }
  }
}

/// The use of one forwarder in the current minute and day. A pure struct: its caller passes the time.
private struct QuotaMeter: Sendable {
  private struct Span {
    let length: Duration
    var start: ContinuousClock.Instant
    var records = 0
    var bytes = 0

    /// Returns the seconds to the end of the span if one of the limits is reached; nil otherwise.
    func wait(_ records: Int, _ bytes: Int, at now: ContinuousClock.Instant) -> Int? {
      guard self.records >= records || self.bytes >= bytes else { return nil }
      return max(Int(((start + length - now) / .seconds(1)).rounded(.up)), 1)
    }
  }

  private var minute: Span
  private var day: Span
  /// The stored records of this minute that are no postbacks.
  private(set) var others = 0

  init(at now: ContinuousClock.Instant) {
    minute = Span(length: .seconds(60), start: now)
    day = Span(length: .seconds(24 * 3600), start: now)
  }

  /// Begins a new minute or day if the old one is over.
  mutating func advance(to now: ContinuousClock.Instant) {
    if now - minute.start >= minute.length {
      minute = Span(length: minute.length, start: now)
      others = 0
    }
    if now - day.start >= day.length { day = Span(length: day.length, start: now) }
  }

  func wait(within quota: ForwarderQuota, at now: ContinuousClock.Instant) -> Int? {
    day.wait(quota.postbacksPerDay, quota.bytesPerDay, at: now)
      ?? minute.wait(quota.postbacksPerMinute, quota.bytesPerMinute, at: now)
  }

  mutating func add(_ use: QuotaUse, _ sign: Int) {
    minute.records = max(minute.records + sign * use.records, 0)
    minute.bytes = max(minute.bytes + sign * use.bytes, 0)
    day.records = max(day.records + sign * use.records, 0)
    day.bytes = max(day.bytes + sign * use.bytes, 0)
    others = max(others + sign * use.others, 0)
  }
}
