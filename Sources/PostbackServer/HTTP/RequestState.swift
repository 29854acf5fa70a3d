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
  private var bodyCount = 0

  /// Whether the client keeps a request from being complete.
  var isReceiving: Bool { phase == .idle || phase == .receiving }

  /// Whether the body is longer than its route allows.
  var isTooLong: Bool { request.map { $0.body.count > (route?.bodyBytes ?? 0) } ?? false }

  mutating func begin(_ target: String) {
    self.target = target
    hasBegun = true
    phase = .receiving
  }

  mutating func request(_ request: HTTPRequest, _ route: Route?, _ refusal: HTTPResponse?) {
    self.request = request
    self.route = route
    response = refusal
    headAt = .now
  }

  mutating func refuse(_ response: HTTPResponse) {
    if self.response == nil { self.response = response }
    request?.body = []
  }

  /// Keeps a piece of the body; false where it is dropped.
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard response == nil, request != nil else { return false }
    unsafe request?.body.append(contentsOf: bytes)
    bodyCount += bytes.count
    return true
  }

  /// The request is complete and its body is given away; false where the connection was ended.
  mutating func suspend() -> Bool {
    guard phase == .receiving else { return false }
    phase = .waiting
    request = nil
    return true
  }

  /// The request is being answered: for which route, and since when. Nil where the connection was ended.
  mutating func answer() -> (route: Route?, begun: ContinuousClock.Instant?)? {
    guard phase == .receiving || phase == .waiting else { return nil }
    phase = .answered
    return (route, headAt)
  }

  /// The request is over, and the next one awaited: how it was, with how many bytes of body.
  mutating func end() -> (hadBegun: Bool, wasAnswered: Bool, bodyCount: Int) {
    defer { self = RequestState() }
    return (hasBegun, phase == .answered, bodyCount)
  }
}
