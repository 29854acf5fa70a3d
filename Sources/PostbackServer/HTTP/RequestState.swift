/// How far the request on a connection is: a pure struct, whose owner holds the lock.
struct RequestState: Sendable {
  enum Phase: Sendable {
    /// No request is there, or only a part of its first line.
    case idle
    /// The request is on its way.
    case receiving
    /// It is complete, and a reply is awaited.
    case waiting
    /// It is answered.
    case answered
    /// The connection was ended in the middle of it.
    case cut
    /// There is no connection any more.
    case closed
  }

  var phase = Phase.idle
  /// Whether a request's first line is there.
  private(set) var hasBegun = false
  /// Since when a request is awaited.
  private(set) var since = ContinuousClock.now
  /// What is to be answered as soon as that can be: a refusal, or the reply.
  var response: HTTPResponse?
  private(set) var target = ""
  private(set) var request: HTTPRequest?
  private(set) var route: Route?
  private var headAt: ContinuousClock.Instant?
  /// What the body has of the budget; nil where it is not kept.
  private var room: BodyRoom?
  /// The length of the body as the head declares it, 0 where it does not.
  private var declaredCount = 0
  /// Whether the connection is closed behind the answer.
  private var isLast = false
  /// How much of the body there was at a moment not long ago.
  private var progress: (at: ContinuousClock.Instant, count: Int)?

  /// Whether the client keeps a request from being complete.
  var isReceiving: Bool { phase == .idle || phase == .receiving }

  /// Whether the body is longer than its route allows.
  var isTooLong: Bool { request.map { $0.body.count > (route?.bodyBytes ?? 0) } ?? false }

  mutating func begin(_ target: String) {
    self.target = target
    hasBegun = true
    phase = .receiving
  }

  /// The head is there, with the route that it asks for, or with its refusal.
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
    room = BodyRoom(route.sender(request), request.client, longestBody: route.bodyBytes)
  }

  /// Keeps a piece of the body, but where the request is refused: also for want of room.
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, within budget: BodyBudget) {
    guard response == nil, var room else { return }
    if budget.take(bytes.count, for: &room) {
      // All at once where a good part is there: a body that grows by doubling is in memory twice. Not before: whoever
      // declares a length need not send it.
      if room.count > Self.shortBody, room.count >= declaredCount / 4, room.count <= declaredCount {
        request?.body.reserveCapacity(declaredCount)
      }
      unsafe request?.body.append(contentsOf: bytes)
    } else {
      budget.release(&room)
      request?.body = []
      response = .error(503, "too much is on its way; try again later").retry(afterSeconds: 30)
    }
    self.room = room
  }

  /// Whether a long body has all but stopped: it fills memory that others could use.
  ///
  /// To be asked again and again; what there is of the body is compared with what there was `seconds` ago or more.
  mutating func isStalled(at now: ContinuousClock.Instant, after seconds: Int) -> Bool {
    guard phase == .receiving, let room, room.count > Self.shortBody else { return false }
    guard let progress else {
      progress = (now, room.count)
      return false
    }
    guard now - progress.at >= .seconds(seconds) else { return false }
    self.progress = (now, room.count)
    return room.count - progress.count < seconds * Self.slowestRate
  }

  /// A body of so many bytes may take its time: it takes little memory.
  private static let shortBody = 64 << 10
  /// Bytes a second that a long body must bring.
  private static let slowestRate = 1 << 10

  /// The request is complete and its body is given away; false where the connection was ended.
  mutating func suspend() -> Bool {
    guard phase == .receiving else { return false }
    phase = .waiting
    request = nil
    return true
  }

  /// The request is being answered: for which route, since when, and as the last one of its connection. Nil where the
  /// connection was ended.
  ///
  /// The room of its body is given back first: whoever has the answer may send the next body at once.
  mutating func answer(
    within budget: BodyBudget
  ) -> (route: Route?, begun: ContinuousClock.Instant?, isLast: Bool)? {
    guard phase == .receiving || phase == .waiting else { return nil }
    phase = .answered
    if var room { budget.release(&room) }
    room = nil
    return (route, headAt, isLast)
  }

  /// The request is over, its room given back, and the next one awaited: how it was.
  mutating func end(within budget: BodyBudget) -> (hadBegun: Bool, wasAnswered: Bool) {
    if var room { budget.release(&room) }
    defer { self = RequestState() }
    return (hasBegun, phase == .answered)
  }
}
