internal import HTTPClient
internal import DurableFiles

/// Sends the deliveries that are due to all partners, and records the results.
final class Sender {
  private let outbox: Outbox
  private let transport: any Transport
  private(set) var queues: [PartnerQueue]
  private var places: [Int64: PartnerQueue] = [:]
  private var flushedAt: Int64 = 0
  private let jitter: () -> Double

  /// The number of results after which they are written, and the time for which they may wait, in milliseconds.
  private static let flushCount = 500
  private static let flushInterval: Int64 = 100
  /// The longest time to wait for a response, in milliseconds.
  private static let turn: Int64 = 200

  init(
    _ partners: Partners,
    _ outbox: Outbox,
    _ transport: any Transport,
    jitter: @escaping () -> Double = { Double.random(in: -1...1) }
  ) {
    (self.outbox, self.transport, self.jitter) = (outbox, transport, jitter)
    queues = partners.all.map { PartnerQueue($0, outbox, jitter: jitter) }
  }

  /// The number of requests that have no result yet.
  var inFlightCount: Int { places.count }

  /// Replaces the partners; no request may be in flight.
  func use(_ partners: Partners) throws(FileFailure) {
    precondition(places.isEmpty, "requests have results before the partners are replaced")
    try flush()
    queues = partners.all.map { PartnerQueue($0, outbox, jitter: jitter) }
  }

  /// Begins all requests that can be sent now, in turns, but for those to partners that `isHeld` names.
  func fill(at now: Int64, holding isHeld: (String) -> Bool = { _ in false }) throws(DeliveryFailure) {
    var isBusy = true
    while isBusy {
      isBusy = false
      for queue in queues where !isHeld(queue.partner.id) {
        guard let request = try queue.next(at: now) else { continue }
        places[request.number] = queue
        try DeliveryFailure.transport { () throws(TransportFailure) in try transport.begin(request) }
        isBusy = true
      }
    }
  }

  /// Waits for responses until `limit` at the latest, but not long, and records them.
  func wait(at now: Int64, until limit: Int64, clock: () -> Int64) throws(DeliveryFailure) {
    let next = queues.map { $0.nextTime(at: now) }.min() ?? .max
    let end = min(next, limit, hasOutcomes ? flushedAt + Self.flushInterval : .max)
    let wait = min(max(end - now, 0), places.isEmpty ? max(end - now, 0) : Self.turn)
    let responses = try DeliveryFailure.transport { () throws(TransportFailure) in
      try transport.responses(within: min(wait, 1000))
    }
    for response in responses {
      places.removeValue(forKey: response.number)?.receive(response, at: clock())
    }
    let time = clock()
    let count = queues.reduce(0) { $0 + $1.outcomeCount }
    if count >= Self.flushCount || count > 0 && (places.isEmpty || time - flushedAt >= Self.flushInterval) {
      try DeliveryFailure.file { () throws(FileFailure) in try flush() }
      flushedAt = time
    }
  }

  private var hasOutcomes: Bool { queues.contains { $0.outcomeCount > 0 } }

  /// Waits until each request has a result, and records it.
  func drain(clock: () -> Int64) throws(DeliveryFailure) {
    while !places.isEmpty { try wait(at: clock(), until: clock() + Self.turn, clock: clock) }
    try DeliveryFailure.file { () throws(FileFailure) in try flush() }
  }

  /// Writes all results into the outbox.
  func flush() throws(FileFailure) {
    for queue in queues { try queue.flush() }
  }

  /// Looks into the outbox again, because there is something new.
  func wake() {
    for queue in queues { queue.wake() }
  }

  /// Brings back to now the times that a clock which was ahead has left in the future.
  func limitTimes(at now: Int64) {
    flushedAt = min(flushedAt, now)
    for queue in queues { queue.limitProbe(at: now) }
  }

  /// Forgets the deliveries in memory, because some of them have changed. No request may be in flight.
  func unload() {
    for queue in queues { queue.unload() }
  }
}
