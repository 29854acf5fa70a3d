internal import HTTPClient
internal import Base
internal import DurableFiles
internal import Signatures

/// The deliveries to one partner: those that are due are read from the outbox in pages, and their results are written back
/// in groups.
///
/// First attempts begin in the order of acceptance, and take turns with attempts that are repeated. The queue of one partner
/// knows nothing of the others, so none waits for another.
final class PartnerQueue {
  let partner: Partner
  private let outbox: Outbox
  private let jitter: () -> Double
  private var first: ArraySlice<PendingDelivery> = []
  private var again: ArraySlice<PendingDelivery> = []
  private var takesAgain = false
  /// The deliveries that were read, and whose result is not in the outbox.
  private(set) var loaded: Set<Int64> = []
  private var inFlight: [Int64: (delivery: PendingDelivery, at: Int64)] = [:]
  private var outcomes: [AttemptOutcome] = []
  private var breaker = CircuitBreaker()
  private var rate: PartnerRateLimit
  /// The time before which the outbox has nothing that is due.
  private var nextLook: Int64 = 0

  static let pageSize = 256
  private static let excerpt = 200

  /// The queue of a partner. `jitter` returns a number from -1 to 1.
  init(_ partner: Partner, _ outbox: Outbox, jitter: @escaping () -> Double) {
    (self.partner, self.outbox, self.jitter) = (partner, outbox, jitter)
    rate = PartnerRateLimit(partner.rate)
  }

  /// Indicates that the circuit breaker limits the attempts.
  var isOpen: Bool { breaker.isOpen }
  /// The number of results that are not in the outbox yet.
  var outcomeCount: Int { outcomes.count }

  /// Looks into the outbox again, because there is something new.
  func wake() { nextLook = 0 }

  /// Lets the circuit breaker wait no longer than its interval from now on.
  func limitProbe(at now: Int64) { breaker.limitProbe(at: now) }

  /// Returns the next request that can be sent now; nil if there is none.
  func next(at now: Int64) throws(DeliveryFailure) -> OutgoingRequest? {
    while isReady(at: now) {
      if first.isEmpty, again.isEmpty {
        guard nextLook <= now else { return nil }
        try DeliveryFailure.file { () throws(FileFailure) in try load(at: now) }
      }
      takesAgain.toggle()
      guard let delivery = (takesAgain ? again.popFirst() ?? first.popFirst() : first.popFirst() ?? again.popFirst())
      else { return nil }
      if let outcome = try DeliveryFailure.file({ () throws(FileFailure) in try ended(delivery, now) }) {
        outcomes.append(outcome)
        continue
      }
      rate.take()
      inFlight[delivery.sequence] = (delivery, now)
      return try DeliveryFailure.libcrypto { () throws(LibcryptoFailure) in try request(for: delivery, at: now) }
    }
    return nil
  }

  private func isReady(at now: Int64) -> Bool {
    guard partner.isEnabled, inFlight.count < partner.connections else { return false }
    if let probe = breaker.nextProbe, probe > now || !inFlight.isEmpty { return false }
    return rate.wait(at: now) == 0
  }

  /// The time at which there may be something to do, without regard to responses.
  func nextTime(at now: Int64) -> Int64 {
    guard partner.isEnabled, inFlight.count < partner.connections else { return .max }
    if let probe = breaker.nextProbe, !first.isEmpty || !again.isEmpty || nextLook < .max {
      return inFlight.isEmpty ? max(probe, first.isEmpty && again.isEmpty ? nextLook : now) : .max
    }
    let wait = rate.wait(at: now)
    if !first.isEmpty || !again.isEmpty { return now + wait }
    return nextLook == .max ? .max : max(nextLook, now + wait)
  }

  private func load(at now: Int64) throws(FileFailure) {
    func page(again: Bool) throws(FileFailure) -> ArraySlice<PendingDelivery> {
      let found = try outbox.due(of: partner.id, again: again, at: now, limit: Self.pageSize + loaded.count)
      return found.filter { !loaded.contains($0.sequence) }.prefix(Self.pageSize)
    }
    again = try page(again: true)
    first = try page(again: false)
    loaded.formUnion(first.map(\.sequence))
    loaded.formUnion(again.map(\.sequence))
    guard first.isEmpty, again.isEmpty else { return }
    // What is in memory counts as due in the outbox; its results are looked at when they are written.
    nextLook = loaded.isEmpty ? try outbox.nextAttempt(of: partner.id) ?? .max : .max
  }

  /// The outcome of a delivery that is not attempted any more; nil for others.
  func ended(_ delivery: PendingDelivery, _ now: Int64) throws(FileFailure) -> AttemptOutcome? {
    if let filter = delivery.exclusion(by: partner) {
      return outcome(delivery, .cancelled, error: PassingCancellation.filter(filter.rawValue))
    }
    if partner.url.hasDotSegment(values(of: delivery)) {
      return outcome(delivery, .cancelled, error: PassingCancellation.dotSegment)
    }
    if let firstAt = delivery.firstAttemptAt {
      guard now - firstAt > partner.retry.givesUpAfter + Self.patience else { return nil }
      return outcome(delivery, .failed, error: "the time of give_up_after_s is over")
    }
    if let receivedAt = delivery.receivedAt, now - receivedAt > partner.maximumAge {
      return outcome(delivery, .cancelled, error: PlannedDelivery.tooOld)
    }
    // What the partner has received is corrected whatever the filters of values are, also by new events.
    guard delivery.kind != .correction, let filter = delivery.values.values.omission(by: partner) else { return nil }
    if partner.kinds.contains(.correction), try outbox.isBegun(besides: delivery.sequence) { return nil }
    let trust = delivery.values.values[.trustLevel]?.written(.words) ?? ""
    let isTrust = filter == .minimumTrust
    let reason = isTrust ? PassingCancellation.trust(trust) : PassingCancellation.filter(filter.rawValue)
    return outcome(delivery, .cancelled, error: reason)
  }

  /// The time by which an attempt may be late because others were before it, in milliseconds.
  private static let patience: Int64 = 60_000

  /// The outcome of a delivery that ends without another attempt.
  private func outcome(_ delivery: PendingDelivery, _ state: DeliveryState, error: String) -> AttemptOutcome {
    AttemptOutcome(
      sequence: delivery.sequence,
      state: state,
      attempts: delivery.attempts,
      firstAttemptAt: delivery.firstAttemptAt,
      lastAttemptAt: delivery.lastAttemptAt,
      status: delivery.status,
      error: delivery.error.map { "\(error); the last failure was: \($0)" } ?? error,
      nextAttemptAt: nil
    )
  }

  /// The values of the next attempt.
  private func values(of delivery: PendingDelivery) -> PlaceholderValues {
    var values = PlaceholderValues(values: delivery.values.values, booleans: partner.booleans)
    values.values[.deliveryID] = .text(delivery.id.description)
    values.values[.kind] = .text(delivery.kind.rawValue)
    values.values[.supersedes] = delivery.supersedes.map { .text($0.description) }
    values.values[.attempt] = .number("\(delivery.attempts + 1)")
    return values
  }

  /// The request of an attempt.
  func request(for delivery: PendingDelivery, at now: Int64) throws(LibcryptoFailure) -> OutgoingRequest {
    let values = values(of: delivery)
    let body = partner.body?.expanded(values) ?? []
    var headers = ["user-agent: postback"] + partner.headers
    if partner.body != nil { headers.append("content-type: application/json") }
    let seconds = now / 1000
    if let signature = partner.signature {
      headers += try signature.headers(id: delivery.id.description, unixSeconds: seconds, body: body)
    } else {
      headers.append("webhook-id: \(delivery.id)")
    }
    return OutgoingRequest(
      number: delivery.sequence,
      url: partner.url.expanded(values),
      isPost: partner.isPost,
      headers: headers,
      body: body,
      timeout: partner.timeout,
      needsBody: false,
      allows: { [addresses = partner.addresses] in addresses.allows($0) }
    )
  }

  /// Receives the response to a request; returns the state of the delivery, nil if the request is not one of this queue.
  @discardableResult
  func receive(_ response: IncomingResponse, at now: Int64) -> DeliveryState? {
    guard let (delivery, began) = inFlight.removeValue(forKey: response.number) else { return nil }
    let attempts = delivery.attempts + 1
    let firstAt = delivery.firstAttemptAt ?? began
    let isDelivered = (200...299).contains(response.status)
    if isDelivered { breaker.succeed() } else { breaker.fail(at: now) }
    var state = isDelivered ? DeliveryState.delivered : .failed
    var nextAt: Int64?
    if !isDelivered, partner.retry.retries(response.status) {
      let next = now + partner.retry.delay(after: attempts, jitter: jitter(), retryAfter: response.retryAfter)
      if next - firstAt <= partner.retry.givesUpAfter { (state, nextAt) = (.pending, next) }
    }
    // Masked before it is cut, which may be within a secret.
    let text = partner.secrets.masked(response.text).withControlCharactersEscaped
    let excerpt = String(text.unicodeScalars.prefix(Self.excerpt))
    outcomes.append(
      AttemptOutcome(
        sequence: delivery.sequence,
        state: state,
        attempts: attempts,
        firstAttemptAt: firstAt,
        lastAttemptAt: began,
        status: response.status,
        error: isDelivered ? nil : excerpt.isEmpty ? "status \(response.status)" : excerpt,
        nextAttemptAt: nextAt
      )
    )
    return state
  }

  /// Writes the results into the outbox.
  func flush() throws(FileFailure) {
    guard !outcomes.isEmpty else { return }
    try outbox.record(outcomes, of: partner.id)
    for outcome in outcomes {
      loaded.remove(outcome.sequence)
      if let next = outcome.nextAttemptAt { nextLook = min(nextLook, next) }
    }
    outcomes = []
    if loaded.isEmpty { nextLook = 0 }
  }

  /// Forgets the pages, because the deliveries in them may have changed.
  func unload() {
    for delivery in first + again { loaded.remove(delivery.sequence) }
    (first, again) = ([], [])
    nextLook = 0
  }
}
