package import Base
package import HTTPClient
internal import JSON
internal import Tables

/// The exchange of tokens for payloads at Apple's server.
///
/// A token without a record (404) is tried again three times, five seconds apart; a failure of the server or of the network,
/// and an answer that is no JSON, three times, after 5, 10 and 20 seconds or the server's `Retry-After`. A token older than
/// 24 hours is not sent.
package final class TokenExchange {
  /// The address of Apple's server.
  package static let appleEndpoint = "https://api-adservices.apple.com/api/v1/"

  private struct Pending {
    let token: AttributionToken
    /// The number of requests, also of earlier exchanges.
    var attempts: Int64
    /// The numbers of repetitions so far, by their reason.
    var repetitions = (notFound: 0, failed: 0)
    /// The time at which it may be sent, in milliseconds of a clock that nobody sets.
    var dueAt: Int64 = 0
    var status: Int?
  }

  private let transport: any Transport
  private let endpoint: String
  private let concurrency: Int
  private var fresh: ArraySlice<Pending>
  /// The tokens that wait, by the time at which they are due.
  private var delayed: [Pending] = []
  private var inFlight: [Int64: Pending] = [:]
  private var finished: [AttributionRow] = []
  private var nextNumber: Int64 = 1

  private static let validity: Int64 = 24 * 3_600_000
  private static let pause: Int64 = 5000
  private static let repetitions = 3
  private static let timeout: Int64 = 30_000
  private static let longestPause: Int64 = 60_000
  /// The longest time to wait at once, and the number of results that are recorded together.
  private static let turn: Int64 = 200
  private static let group = 200

  /// An exchange of tokens, with the number of earlier requests of each one.
  package init(
    _ tokens: [(token: AttributionToken, attempts: Int64)],
    at endpoint: String,
    over transport: any Transport,
    concurrency: Int
  ) {
    (self.endpoint, self.transport, self.concurrency) = (endpoint, transport, concurrency)
    fresh = tokens.map { Pending(token: $0.token, attempts: $0.attempts) }[...]
  }

  /// Exchanges all tokens. `record` receives the rows with their results, in groups. The age of a token is by `clock`, and
  /// pauses are by `uptime`, in milliseconds, so that a clock that is set back does not make them longer.
  package func run(
    clock: () -> Timestamp = { .now },
    uptime: () -> Int64 = uptime,
    record: ([AttributionRow]) throws -> Void
  ) throws {
    while !fresh.isEmpty || !delayed.isEmpty || !inFlight.isEmpty {
      let now = uptime()
      try fill(at: now, clock())
      let wait = inFlight.isEmpty ? max((delayed.first?.dueAt ?? now) - now, 0) : Self.turn
      if inFlight.isEmpty, delayed.isEmpty, !fresh.isEmpty { continue }
      for response in try transport.responses(within: min(wait, Self.turn)) {
        receive(response, at: uptime())
      }
      if finished.count >= Self.group || inFlight.isEmpty { try flush(record) }
    }
    try flush(record)
  }

  private static let start = ContinuousClock.now

  /// Returns the milliseconds since the first call, by a clock that nobody sets.
  package static func uptime() -> Int64 { Int64((ContinuousClock.now - start) / .milliseconds(1)) }

  private func flush(_ record: ([AttributionRow]) throws -> Void) throws {
    guard !finished.isEmpty else { return }
    try record(finished)
    finished = []
  }

  private func fill(at now: Int64, _ time: Timestamp) throws {
    while inFlight.count < concurrency {
      let next: Pending
      if let first = delayed.first, first.dueAt <= now {
        next = delayed.removeFirst()
      } else if let first = fresh.popFirst() {
        next = first
      } else {
        return
      }
      if let received = next.token.receivedAt, time.milliseconds - received.milliseconds > Self.validity {
        finish(next, .tokenExpired, "The token is older than 24 hours.")
        continue
      }
      try transport.begin(
        OutgoingRequest(
          number: nextNumber,
          url: endpoint,
          isPost: true,
          headers: ["user-agent: postback", "content-type: text/plain", "accept: application/json"],
          body: Array(next.token.text.utf8),
          timeout: Self.timeout,
          needsBody: true,
          allows: { _ in true }
        )
      )
      inFlight[nextNumber] = next
      nextNumber += 1
    }
  }

  private func receive(_ response: IncomingResponse, at now: Int64) {
    guard var pending = inFlight.removeValue(forKey: response.number) else { return }
    pending.attempts += 1
    pending.status = response.status > 0 ? response.status : nil
    switch response.status {
    case 200:
      if let payload = try? JSONValue(parsing: Array(response.text.utf8)) {
        finish(pending, payload, response.text)
      } else {
        // Such as a page about maintenance.
        fail(pending, "The answer of the server is no JSON.", response, at: now)
      }
    case 400: finish(pending, .tokenInvalid, "Apple's server refuses the token.")
    case 404:
      guard pending.repetitions.notFound < Self.repetitions else {
        return finish(pending, .notFound, "Apple's server has no record of the token. Exchange it again later.")
      }
      pending.repetitions.notFound += 1
      delay(pending, until: now + Self.pause)
    case 1...: fail(pending, "The server answers with the status \(response.status).", response, at: now)
    default: fail(pending, "\(response.text).", response, at: now)
    }
  }

  /// Has a token that failed tried again, or ends it without a result.
  private func fail(_ pending: Pending, _ reason: String, _ response: IncomingResponse, at now: Int64) {
    guard pending.repetitions.failed < Self.repetitions else {
      return finish(pending, .unavailable, "\(reason) Exchange the token again later.")
    }
    var pending = pending
    let pause = max(Self.pause << pending.repetitions.failed, min(response.retryAfter, Self.longestPause))
    pending.repetitions.failed += 1
    delay(pending, until: now + pause)
  }

  private func delay(_ pending: Pending, until time: Int64) {
    var pending = pending
    pending.dueAt = time
    delayed.insert(pending, at: delayed.firstIndex { $0.dueAt > time } ?? delayed.count)
  }

  // MARK: - Results

  private func finish(_ pending: Pending, _ outcome: AttributionOutcome, _ detail: String) {
    var row = row(of: pending)
    row.outcome = outcome
    row[.detail] = .string(detail.withControlCharactersEscaped)
    finished.append(row)
  }

  private func finish(_ pending: Pending, _ payload: JSONValue, _ text: String) {
    var row = row(of: pending)
    if let defect = AttributionPayload.read(payload, into: &row) {
      row.outcome = .malformed
      row[.detail] = .string(defect)
      row[.rawBody] = .string(text)
    }
    finished.append(row)
  }

  private func row(of pending: Pending) -> AttributionRow {
    var row = pending.token.row
    row[.attempts] = .integer(pending.attempts)
    row[.httpStatus] = pending.status.flatMap { (100...999).contains($0) ? .integer($0) : nil }
    return row
  }
}
