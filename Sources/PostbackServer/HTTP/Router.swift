/// What a path is answered with.
package struct Route: Sendable {
  /// How an answer comes about.
  package enum Action: Sendable {
    /// At once, on the thread that read the request: what takes no longer than some microseconds.
    case answer(@Sendable (HTTPRequest) -> HTTPResponse)
    /// Later, from whatever thread; the connection waits meanwhile. The reply is to be sent exactly once.
    case reply(@Sendable (HTTPRequest, HTTPReply) -> Void)
  }

  /// What metrics call it.
  let name: String
  /// The paths it is found at.
  let paths: [String]
  /// `GET`, which stands for `HEAD` too, or `POST`.
  let method: String
  /// The longest body; longer ones are refused with 413.
  let bodyBytes: Int
  /// Whether a request counts for the rate of its address, which is refused with 429 where that is too high.
  let isRateLimited: @Sendable (HTTPRequest) -> Bool
  /// Tells whose share of memory the body takes.
  let sender: @Sendable (HTTPRequest) -> BodySender
  /// Looks at the head, before any of the body is read; an answer refuses the request.
  let refusal: (@Sendable (HTTPRequest) -> HTTPResponse?)?
  /// How it is answered.
  let action: Action

  /// A route.
  package init(
    _ name: String,
    _ method: String,
    _ paths: String...,
    bodyBytes: Int = 0,
    isRateLimited: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true },
    sender: @escaping @Sendable (HTTPRequest) -> BodySender = { _ in .anybody },
    refusal: (@Sendable (HTTPRequest) -> HTTPResponse?)? = nil,
    action: Action
  ) {
    self.name = name
    self.paths = paths
    self.method = method
    self.bodyBytes = bodyBytes
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
    for route in routes {
      for path in route.paths { byPath[path, default: []].append(route) }
    }
    self.routes = byPath
  }

  /// The route of a request, or what to answer where there is none: 404, or 405 with what the path allows.
  func route(_ method: String, _ path: String) -> Result<Route, Refusal> {
    guard let routes = routes[path] else { return .failure(Refusal(response: .error(404, "there is nothing here"))) }
    let wanted = method == "HEAD" ? "GET" : method
    if let route = routes.first(where: { $0.method == wanted }) { return .success(route) }
    let allowed = routes.flatMap { $0.method == "GET" ? ["GET", "HEAD"] : [$0.method] }.joined(separator: ", ")
    let response = HTTPResponse.error(405, "\(method) is not done here; \(allowed) is").adding("Allow", allowed)
    return .failure(Refusal(response: response))
  }

  /// Why there is no route.
  struct Refusal: Error {
    let response: HTTPResponse
  }
}
