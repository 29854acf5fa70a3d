/// The progress of the request on a connection. A pure struct: its owner holds the lock.
struct RequestState: Sendable {
  /// The part of a request that its answer needs.
  struct Head: Sendable {
    /// The route of the request; nil if it has none.
    let route: Route?
    /// The time at which the head was complete.
    let completeAt = SteadyTime.now
    /// Indicates that the connection closes after the answer.
    let isLast: Bool
  }

  /// A request whose body is being received.
  private struct Incoming: Sendable {
    var request: HTTPRequest
    /// The length of the body that the head declares, in bytes; 0 if it declares none.
    let declaredCount: Int
    /// The answer to a refused request, whose body is dropped; nil for others.
    var refusal: HTTPResponse?
    /// The share of the body budget that the body holds; nil if the body is not kept.
    var share: BodyShare?
    /// The time of an earlier check, and the number of bytes of the body that had arrived by then.
    var progress: (at: Duration, count: Int)?
  }

  /// A complete request that waits for its reply.
  private struct Waiting: Sendable {
    let head: Head
    /// The share of the body, or after `reserve` of the answer.
    var share: BodyShare?
    var isReserved = false
    var reply: HTTPResponse?
    /// The function that is called if nobody waits for the reply any more.
    var whenAbandoned: (@Sendable () -> Void)?
  }

  /// An answer that the client may still be reading.
  private struct Answered: Sendable {
    let at = SteadyTime.now
    /// The share of the answer, which is held until the client has it.
    var share: BodyShare?
    let body: LargeBody?
    let companion: (any AnyObject & Sendable)?
    /// The time of an earlier check, and the number of bytes that had been taken by then.
    var progress: (at: Duration, count: Int)?
  }

  private enum Phase: Sendable {
    /// No request has begun, or only a part of its first line is there.
    case idle
    /// The first line has arrived.
    case begun(target: String)
    /// The head has arrived, and the body is being received.
    case receiving(Head, Incoming)
    /// The request is complete and waits for its reply.
    case waiting(Waiting)
    /// The request has been answered.
    case answered(Answered)
    /// The connection was cut.
    case cut(BodyShare?, hadBegun: Bool)
    /// The connection is closed.
    case closed
  }

  /// The work that follows a complete body, or a reply.
  enum Step: Sendable {
    case handle(HTTPRequest, Route)
    case answer(HTTPResponse)
    /// The connection was cut.
    case none
  }

  private var phase = Phase.idle
  /// The start of the wait for this request: the start of the connection, or the end of the request before.
  let since = SteadyTime.now

  /// Indicates that no request has begun.
  var isIdle: Bool { if case .idle = phase { true } else { false } }
  /// Indicates that the connection may be closed for another one: no complete head has arrived, or only a body that is dropped is
  /// awaited. A client at work sends its head at once, so that its connection is not among the oldest of these.
  var mayMakeRoom: Bool {
    switch phase {
    case .idle, .begun: true
    case .receiving(_, let incoming): incoming.refusal != nil
    case .waiting, .answered, .cut, .closed: false
    }
  }
  /// Indicates that the connection is closed.
  var isClosed: Bool { if case .closed = phase { true } else { false } }

  /// Indicates that a request has begun and is incomplete.
  var isReceiving: Bool {
    switch phase {
    case .begun, .receiving: true
    case .idle, .waiting, .answered, .cut, .closed: false
    }
  }

  /// The target in the first line of a request whose head is incomplete; empty for others.
  var target: String { if case .begun(let target) = phase { target } else { "" } }

  /// The answer to a refused request, or the reply to one that waits; nil if there is none yet.
  var response: HTTPResponse? {
    switch phase {
    case .receiving(_, let incoming): incoming.refusal
    case .waiting(let waiting): waiting.reply
    case .idle, .begun, .answered, .cut, .closed: nil
    }
  }

  /// Indicates that the body is longer than its route allows.
  var isTooLong: Bool {
    if case .receiving(let head, let incoming) = phase {
      incoming.request.body.count > (head.route?.longestBody ?? 0)
    } else {
      false
    }
  }

  var step: Step {
    if let response { return .answer(response) }
    guard case .receiving(let head, let incoming) = phase, let route = head.route else { return .none }
    return .handle(incoming.request, route)
  }

  private var share: BodyShare? {
    switch phase {
    case .receiving(_, let incoming): incoming.share
    case .waiting(let waiting): waiting.share
    case .answered(let answered): answered.share
    case .cut(let share, _): share
    case .idle, .begun, .closed: nil
    }
  }

  mutating func begin(_ target: String) { phase = .begun(target: target) }

  /// Records the head, with the route of its target, or with the refusal.
  mutating func request(
    _ request: HTTPRequest,
    _ route: Route?,
    _ refusal: HTTPResponse?,
    declaredCount: Int = 0,
    isLast: Bool = false
  ) {
    guard case .begun = phase else { return }
    var incoming = Incoming(request: request, declaredCount: declaredCount, refusal: refusal)
    if refusal == nil, let route {
      incoming.share = BodyShare(route.sender(request), request.client, longestBody: route.longestBody)
    }
    phase = .receiving(Head(route: route, isLast: isLast), incoming)
  }

  /// Appends a piece of the body. The body of a refused request is dropped; a lack of room in the budget refuses it
  /// with 503.
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, within budget: BodyBudget) {
    guard case .receiving(let head, var incoming) = phase, incoming.refusal == nil, var share = incoming.share else {
      return
    }
    // Without this the phase would hold the body too, and each piece would copy it.
    phase = .idle
    if budget.take(bytes.count, for: &share) {
      // Reserves the whole length once a quarter has arrived: a body that grows by doubling is in memory twice. Not
      // earlier, because a client may declare a length that it never sends.
      let declaredCount = incoming.declaredCount
      if share.count > Self.shortBody, share.count >= declaredCount / 4, share.count <= declaredCount {
        incoming.request.body.reserveCapacity(declaredCount)
      }
      unsafe incoming.request.body.append(contentsOf: bytes)
    } else {
      budget.release(&share)
      incoming.request.body = []
      incoming.refusal = .error(503, "The server is receiving too much data. Try again later.")
        .retry(afterSeconds: 30)
    }
    incoming.share = share
    phase = .receiving(head, incoming)
  }

  /// Indicates that a long body has almost stopped arriving while it holds memory that other requests need.
  ///
  /// Must be called repeatedly: it compares the bytes received now with those received `seconds` ago or more.
  mutating func isStalled(at now: Duration, after seconds: Int) -> Bool {
    guard case .receiving(let head, var incoming) = phase, let count = incoming.share?.count, count > Self.shortBody
    else { return false }
    if let progress = incoming.progress, now - progress.at < .seconds(seconds) { return false }
    let earlier = incoming.progress
    incoming.progress = (now, count)
    phase = .receiving(head, incoming)
    return earlier.map { count - $0.count < seconds * Self.slowestRate } ?? false
  }

  /// The largest body, in bytes, that may arrive slowly, because it holds little memory.
  private static let shortBody = 64 << 10
  /// The slowest allowed rate of a longer body, in bytes per second.
  private static let slowestRate = 1 << 10

  /// Begins the wait for a reply and drops the request with its body; returns false if the connection was cut.
  mutating func suspend() -> Bool {
    guard case .receiving(let head, let incoming) = phase else { return false }
    phase = .waiting(Waiting(head: head, share: incoming.share))
    return true
  }

  /// Sets the reply to a waiting request.
  mutating func reply(_ response: HTTPResponse) {
    guard case .waiting(var waiting) = phase else { return }
    (waiting.reply, waiting.whenAbandoned) = (response, nil)
    phase = .waiting(waiting)
  }

  /// Sets the function that is called if nobody waits any more for the reply to a waiting request.
  mutating func whenAbandoned(_ handler: @escaping @Sendable () -> Void) {
    guard case .waiting(var waiting) = phase, waiting.reply == nil else { return }
    waiting.whenAbandoned = handler
    phase = .waiting(waiting)
  }

  /// Indicates that a handler wants to know that nobody waits any more.
  var canBeAbandoned: Bool { if case .waiting(let waiting) = phase { waiting.whenAbandoned != nil } else { false } }

  /// Returns the function that is to be called because nobody waits any more; nil after the first time.
  mutating func abandon() -> (@Sendable () -> Void)? {
    guard case .waiting(var waiting) = phase else { return nil }
    defer {
      waiting.whenAbandoned = nil
      phase = .waiting(waiting)
    }
    return waiting.whenAbandoned
  }

  /// Exchanges the share of the body for one of the answer, which is held until the client has it. Returns false if the
  /// budget has no room for it.
  mutating func reserve(_ count: Int, within budget: BodyBudget) -> Bool {
    guard case .waiting(var waiting) = phase, var share = waiting.share else { return true }
    budget.release(&share)
    waiting.isReserved = budget.take(count, for: &share)
    waiting.share = share
    phase = .waiting(waiting)
    return waiting.isReserved
  }

  /// Indicates that the client has not read a short answer in time, or nothing of a large one for as long as it may stall.
  ///
  /// Must be called repeatedly: it compares what was read now with what was read `stalled` seconds ago or more.
  mutating func isUnread(at now: Duration, after seconds: Int, stalledFor stalled: Int) -> Bool {
    guard case .answered(var answered) = phase else { return false }
    guard let count = answered.body?.takenCount else { return now - answered.at > .seconds(seconds) }
    if let progress = answered.progress, progress.count == count { return now - progress.at >= .seconds(stalled) }
    answered.progress = (now, count)
    phase = .answered(answered)
    return false
  }

  /// Begins the answer, and returns the head of its request; nil if the connection was cut.
  ///
  /// The share of the body is released first, because the client may send its next body as soon as it has the answer.
  /// A share of the answer is released at the end, and so is the companion.
  mutating func answer(_ body: LargeBody?, _ companion: (any AnyObject & Sendable)?, within budget: BodyBudget)
    -> Head?
  {
    let (head, isReserved): (Head, Bool)
    switch phase {
    case .waiting(let waiting): (head, isReserved) = (waiting.head, waiting.isReserved)
    case .receiving(let received, _): (head, isReserved) = (received, false)
    case .idle, .begun, .answered, .cut, .closed: return nil
    }
    var share = share
    if !isReserved, var unused = share {
      budget.release(&unused)
      share = nil
    }
    phase = .answered(Answered(share: share, body: body, companion: companion))
    return head
  }

  /// Records that the connection was cut. Its share is released at the end.
  mutating func cut() { phase = .cut(share, hadBegun: hasBegun) }

  /// Ends the request, releases its share and resets the state for the next one. Returns whether the request had begun,
  /// and whether it was answered.
  mutating func end(within budget: BodyBudget) -> (hadBegun: Bool, wasAnswered: Bool) {
    if var share { budget.release(&share) }
    defer { self = RequestState() }
    if case .answered = phase { return (true, true) }
    return (hasBegun, false)
  }

  /// Ends the connection.
  mutating func close() { phase = .closed }

  private var hasBegun: Bool {
    switch phase {
    case .idle, .closed: false
    case .begun, .receiving, .waiting, .answered: true
    case .cut(_, let hadBegun): hadBegun
    }
  }
}
