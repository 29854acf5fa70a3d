internal import CReportPage
internal import Glibc
package import PostbackServer
internal import Synchronization

/// The server of the live page.
package final class ViewService: Sendable {
  private let server: HTTPServer
  private let access: ViewAccess
  private let store: ViewStore
  private let following = Mutex<Task<Void, Never>?>(nil)

  /// The address that the server listens on.
  package var address: ListenAddress { server.socket.address }

  /// Binds to an address, without accepting connections yet.
  ///
  /// - Parameters:
  ///   - store: The data.
  ///   - access: The doorkeeper.
  ///   - address: The address to listen on.
  ///   - proxies: The proxies whose header `X-Forwarded-For` is trusted.
  /// - Throws: A failure if the address cannot be listened on.
  package init(
    _ store: ViewStore,
    _ access: ViewAccess,
    _ address: ListenAddress,
    proxies: [AddressRange] = []
  ) throws(ListeningSocket.Failure) {
    (self.store, self.access) = (store, access)
    var limits = ServerLimits()
    // All viewers may come from one address, that of a proxy or of an office, and idle connections make room for them.
    (limits.threads, limits.connections, limits.connectionsPerAddress) = (2, 1024, 1024)
    (limits.requestsPerMinute, limits.bodyBytes) = (0, 1 << 20)
    server = HTTPServer(
      try ListeningSocket(address),
      Router(ViewRoutes(ViewAnswers(store), access, store.events).all),
      limits: limits,
      proxies: TrustedProxies(proxies)
    )
  }

  /// Begins to accept connections, and to follow the output.
  package func start() throws(HTTPServer.Failure) {
    try server.start()
    let store = store
    following.withLock { $0 = Task(priority: .utility) { await store.follow() } }
  }

  /// Ends: answers pages that wait, closes all connections, and removes temporary files.
  package func stop() {
    following.withLock { $0?.cancel() }
    server.quiesce()
    store.close()
    let deadline = ContinuousClock.now + .seconds(5)
    while server.awaitsReply, ContinuousClock.now < deadline { usleep(10_000) }
    if !server.awaitsReply { server.stop() }
  }
}

/// The routes of the live page. All of them are read-only.
struct ViewRoutes: Sendable {
  private let answers: ViewAnswers
  private let access: ViewAccess
  private let events: ViewEvents

  init(_ answers: ViewAnswers, _ access: ViewAccess, _ events: ViewEvents) {
    (self.answers, self.access, self.events) = (answers, access, events)
  }

  /// The routes.
  var all: [Route] {
    [
      Route("view", "GET", "/", action: .answer(file)),
      Route("view_file", "GET", "/\(Route.anyName)", action: .answer(file)),
      Route("view_data", "GET", "\(ViewPath.data)\(Route.anyName)", action: .reply(data)),
    ]
  }

  /// Returns a file of the page.
  private func file(_ request: HTTPRequest) -> HTTPResponse {
    switch access.verdict(on: request) {
    case .refused(let refusal): return refusal.withViewHeaders()
    case .entrance(let cookie, let place): return HTTPResponse.entrance(cookie: cookie, to: place).withViewHeaders()
    case .session: break
    }
    let answer: HTTPResponse =
      switch request.path {
      case "/page.css":
        .text("text/css", unsafe bytes(creportpage_view_style()))
      case "/page.js": .text("text/javascript", unsafe bytes(creportpage_view_script()))
      case let path where ViewPath.pages.contains(path): .text("text/html", unsafe bytes(creportpage_view_html()))
      default: .view(404, "This server has no page at this path.")
      }
    return answer.withViewHeaders()
  }

  private func bytes(_ text: creportpage_text) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: text.bytes, count: text.count))
  }

  /// Answers a question for data, when the answer is there.
  private func data(_ request: HTTPRequest, _ reply: HTTPReply) {
    switch access.verdict(on: request) {
    case .refused(let refusal): reply.send(refusal.withViewHeaders())
    case .entrance: reply.send(HTTPResponse.view(401, "There is no session.").withViewHeaders())
    case .session(let role):
      if request.path == "/api/events" { return events.wait(request.values(of: "Last-Event-ID").first ?? "", reply) }
      let answers = answers
      Task { reply.send(await answers.answer(request.path, request.query, role).withViewHeaders()) }
    }
  }
}
