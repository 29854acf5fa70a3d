/// An endpoint of the server: its paths, its limits and its handler.
package final class Route: Sendable {
  /// The handler of a request, which answers now or later.
  package enum Action: Sendable {
    /// Answers at once on the thread that read the request. It may take only some microseconds.
    case answer(@Sendable (HTTPRequest) -> HTTPResponse)
    /// Answers later, from any thread, while the connection waits. The reply must be sent exactly once.
    case reply(@Sendable (HTTPRequest, HTTPReply) -> Void)
  }

  /// The name of the route in metrics.
  let name: String
  /// The path of the route. Requests may have slashes after it. If it ends in `/*`, any name may stand there.
  let path: String
  /// The method: `POST`, or `GET`, which includes `HEAD`.
  let method: String
  /// The longest allowed body, in bytes; a longer one is refused with 413.
  let longestBody: Int
  /// Decides if a request counts against the rate limit of its address, above which it is refused with 429.
  let isRateLimited: @Sendable (HTTPRequest) -> Bool
  /// Returns the kind of sender, which decides the share of memory that the body may take.
  let sender: @Sendable (HTTPRequest) -> BodySender
  /// Checks the head before the body is read; a non-nil response refuses the request.
  let refusal: (@Sendable (HTTPRequest) -> HTTPResponse?)?
  /// The handler of the request.
  let action: Action

  /// The end of a path in whose place any name may stand.
  package static let anyName = "*"

  /// Creates a route.
  package init(
    _ name: String,
    _ method: String,
    _ path: String,
    longestBody: Int = 0,
    isRateLimited: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true },
    sender: @escaping @Sendable (HTTPRequest) -> BodySender = { _ in .anybody },
    refusal: (@Sendable (HTTPRequest) -> HTTPResponse?)? = nil,
    action: Action
  ) {
    self.name = name
    self.path = path
    self.method = method
    self.longestBody = longestBody
    self.isRateLimited = isRateLimited
    self.sender = sender
    self.refusal = refusal
    self.action = action
  }
}

/// Finds the route of a request.
package struct Router: Sendable {
  private let routes: [String: [Route]]

  /// A router of these routes.
  package init(_ routes: [Route]) {
    var byPath: [String: [Route]] = [:]
    for route in routes { byPath[route.path, default: []].append(route) }
    self.routes = byPath
  }

  /// Finds the route of a request. The failure is the answer without one: 404, or 405 with the methods that the path
  /// allows.
  func route(_ method: String, _ path: String) -> Result<Route, Refusal> {
    let plain = path.withoutTrailingSlashes
    guard let routes = routes[plain] ?? routes[path] ?? routes[plain.folder + Route.anyName] else {
      return .failure(Refusal(response: .error(404, "This server has no endpoint with this path.")))
    }
    let wanted = method == "HEAD" ? "GET" : method
    if let route = routes.first(where: { $0.method == wanted }) { return .success(route) }
    let allowed = routes.flatMap { $0.method == "GET" ? ["GET", "HEAD"] : [$0.method] }
    let reason = "This path does not accept \(method); use \(allowed.joined(separator: " or "))."
    let response = HTTPResponse.error(405, reason).adding("Allow", allowed.joined(separator: ", "))
    return .failure(Refusal(response: response))
  }

  /// The answer to a request that has no route.
  struct Refusal: Error {
    let response: HTTPResponse
  }
}

extension String {
  /// The text without the slashes at its end.
  var withoutTrailingSlashes: String {
    guard let last = utf8.lastIndex(where: { $0 != UInt8(ascii: "/") }) else { return "" }
    return String(self[...last])
  }

  /// The path up to its last slash.
  fileprivate var folder: Substring { utf8.lastIndex(of: UInt8(ascii: "/")).map { self[...$0] } ?? "" }
}

/// A handle to answer a client whose request waits.
package struct HTTPReply: Sendable {
  private let connection: HTTPConnection

  init(_ connection: HTTPConnection) { self.connection = connection }

  /// Takes room in the budget of bodies for a large answer, in exchange for that of the body, until the client has read
  /// it. Returns false if there is none; the request must then be refused with a short answer.
  package func reserve(_ count: Int) -> Bool { connection.reserve(count) }

  /// Sets the function that is called once if the client closes the connection before it has its answer, or if the server ends.
  /// The reply must be sent all the same. It is noticed within about a second.
  package func whenAbandoned(_ handler: @escaping @Sendable () -> Void) { connection.whenAbandoned(handler) }

  /// Sends the response, from any thread. Must be called exactly once.
  package func send(_ response: HTTPResponse) { connection.resume(with: response) }
}
