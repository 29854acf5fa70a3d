/// The progress of the request on a connection. A pure struct: its owner holds the lock.
struct RequestState: Sendable {
  enum Phase: Sendable {
    /// No request has begun, or only a part of its first line is there.
    case idle
    /// The request is being received.
    case receiving
    /// The request is complete and waits for its reply.
    case waiting
    /// The request has been answered.
    case answered
    /// The connection was cut in the middle of the request.
    case cut
    /// The connection is closed.
    case closed
  }

  var phase = Phase.idle
  /// Indicates that the first line of a request has arrived.
  private(set) var hasBegun = false
  /// The start of the wait for this request: the start of the connection, or the end of the request before.
  private(set) var since = ContinuousClock.now
  /// The response to send as soon as possible: a refusal, or the reply.
  var response: HTTPResponse?
  private(set) var target = ""
  private(set) var request: HTTPRequest?
  private(set) var route: Route?
  private var headAt: ContinuousClock.Instant?
  /// The share of the body budget that the body holds, or after `reserve` the answer; nil if the body is not kept.
  private var share: BodyShare?
  /// Indicates that the share is that of the answer.
  private var isReserved = false
  /// The start of the answer.
  private var answeredAt: ContinuousClock.Instant?
  /// The length of the body that the head declares, in bytes; 0 if it declares none.
  private var declaredCount = 0
  /// Indicates that the connection closes after the answer.
  private var isLast = false
  /// The time of an earlier check, and the number of bytes of the body that had arrived by then.
  private var progress: (at: ContinuousClock.Instant, count: Int)?

  /// Indicates that the request is incomplete, so that the client must still send something.
  var isReceiving: Bool { phase == .idle || phase == .receiving }

  /// Indicates that the body is longer than its route allows.
  var isTooLong: Bool { request.map { $0.body.count > (route?.bodyBytes ?? 0) } ?? false }

  mutating func begin(_ target: String) {
    self.target = target
    hasBegun = true
    phase = .receiving
  }

  /// Records the head, with the route of its target, or with the refusal.
  mutating func request(
    _ request: HTTPRequest,
    _ route: Route?,
    _ refusal: HTTPResponse?,
    declaredCount: Int = 0,
    isLast: Bool = false
  ) {
    self.request = request
    self.declaredCount = declaredCount
    self.route = route
    self.isLast = isLast
    response = refusal
    headAt = .now
    guard refusal == nil, let route else { return }
    share = BodyShare(route.sender(request), request.client, longestBody: route.bodyBytes)
  }

  /// Appends a piece of the body. The body of a refused request is dropped; a lack of room in the budget refuses it
  /// with 503.
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, within budget: BodyBudget) {
    guard response == nil, var share else { return }
    if budget.take(bytes.count, for: &share) {
      // Reserves the whole length once a quarter has arrived: a body that grows by doubling is in memory twice. Not
      // earlier, because a client may declare a length that it never sends.
      if share.count > Self.shortBody, share.count >= declaredCount / 4, share.count <= declaredCount {
        request?.body.reserveCapacity(declaredCount)
      }
      unsafe request?.body.append(contentsOf: bytes)
    } else {
      budget.release(&share)
      request?.body = []
      response = .error(503, "The server is receiving too much data. Try again later.").retry(afterSeconds: 30)
    }
    self.share = share
  }

  /// Indicates that a long body has almost stopped arriving while it holds memory that other requests need.
  ///
  /// Must be called repeatedly: it compares the bytes received now with those received `seconds` ago or more.
  mutating func isStalled(at now: ContinuousClock.Instant, after seconds: Int) -> Bool {
    guard phase == .receiving, let share, share.count > Self.shortBody else { return false }
    guard let progress else {
      progress = (now, share.count)
      return false
    }
    guard now - progress.at >= .seconds(seconds) else { return false }
    self.progress = (now, share.count)
    return share.count - progress.count < seconds * Self.slowestRate
  }

  /// The largest body, in bytes, that may arrive slowly, because it holds little memory.
  private static let shortBody = 64 << 10
  /// The slowest allowed rate of a longer body, in bytes per second.
  private static let slowestRate = 1 << 10

  /// Begins the wait for a reply and drops the request with its body; returns false if the connection was cut.
  mutating func suspend() -> Bool {
    guard phase == .receiving else { return false }
    phase = .waiting
    request = nil
    return true
  }

  /// Exchanges the share of the body for one of the answer, which is held until the client has it. Returns false if the
  /// budget has no room for it.
  mutating func reserve(_ count: Int, within budget: BodyBudget) -> Bool {
    guard var share else { return true }
    budget.release(&share)
    isReserved = budget.take(count, for: &share)
    self.share = share
    return isReserved
  }

  /// Indicates that the client has not read its answer in time.
  func isUnread(at now: ContinuousClock.Instant, after seconds: Int) -> Bool {
    guard phase == .answered, let answeredAt else { return false }
    return now - answeredAt > .seconds(seconds)
  }

  /// Begins the answer. Returns the route, the time at which the head was complete, and whether the connection closes
  /// after it; nil if the connection was cut.
  ///
  /// The share of the body is released first, because the client may send its next body as soon as it has the answer.
  /// A share of the answer is released at the end.
  mutating func answer(
    within budget: BodyBudget
  ) -> (route: Route?, begun: ContinuousClock.Instant?, isLast: Bool)? {
    guard phase == .receiving || phase == .waiting else { return nil }
    phase = .answered
    answeredAt = .now
    if !isReserved, var share {
      budget.release(&share)
      self.share = share
    }
    return (route, headAt, isLast)
  }

  /// Ends the request, releases its share and resets the state for the next one. Returns whether the request had begun,
  /// and whether it was answered.
  mutating func end(within budget: BodyBudget) -> (hadBegun: Bool, wasAnswered: Bool) {
    if var share { budget.release(&share) }
    defer { self = RequestState() }
    return (hasBegun, phase == .answered)
  }
}
