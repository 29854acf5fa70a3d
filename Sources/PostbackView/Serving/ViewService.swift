internal import CReportPage
internal import Glibc
package import PostbackServer
internal import Synchronization

/// The server of the live page.
package final class ViewService: Sendable {
  private let server: HTTPServer
  private let router: Router
  private let access: ViewAccess
  private let store: ViewStore
  private let following = Mutex<Task<Void, Never>?>(nil)

  /// The address that the server listens on.
  package var address: ListenAddress { server.socket.address }

  /// The limits on clients.
  private static var limits: ServerLimits {
    var limits = ServerLimits()
    // All viewers may come from one address, that of a proxy or of an office. At the limit the connections that await a request for
    // the longest time make room for others, which a limit on each address would prevent.
    (limits.threads, limits.connections, limits.connectionsPerAddress) = (2, 1024, .max)
    (limits.requestsPerMinute, limits.bodyBytes) = (0, 1 << 20)
    // Browsers send the cookies of all programs at ports of this machine.
    limits.headerBytes = 32 << 10
    return limits
  }

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
    router = Router(ViewRoutes(ViewAnswers(store), access, store.events).all)
    server = HTTPServer(
      try ListeningSocket(address),
      router,
      limits: Self.limits,
      proxies: TrustedProxies(proxies),
      headers: .ofView
    )
  }

  /// Replaces the users and the proxies by those of a configuration. Sessions end if the users have changed.
  package func use(_ view: ViewConfiguration, proxies: [AddressRange]) {
    access.use(view.users.map { ViewToken($0) })
    server.use(router, limits: Self.limits, proxies: TrustedProxies(proxies))
  }

  /// Begins to accept connections, and to follow the output.
  package func start() throws(HTTPServer.Failure) {
    try server.start()
    let store = store
    following.withLock { $0 = Task(priority: .utility) { await store.follow() } }
  }

  /// The time that answers which are given up have to end.
  private static let patience = Duration.milliseconds(1500)

  /// Ends: answers pages that wait, gives up other answers, closes all connections, and removes temporary files.
  package func stop() {
    following.withLock { $0?.cancel() }
    server.quiesce()
    server.abandonReplies()
    store.close()
    let deadline = ContinuousClock.now + Self.patience
    while server.awaitsReply, ContinuousClock.now < deadline { usleep(10_000) }
    if !server.awaitsReply { server.stop() }
  }
}

/// The routes of the live page. All of them are read-only.
struct ViewRoutes: Sendable {
  private let answers: ViewAnswers
  private let access: ViewAccess
  private let events: ViewEvents
  private let budget = AnswerBudget()

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
    case .refused(let refusal): return refusal
    case .entrance(let cookie, let place): return .entrance(cookie: cookie, to: place)
    case .session: break
    }
    return switch request.path {
    case "/page.css": .text("text/css", Self.style)
    case "/page.js": .text("text/javascript", Self.script)
    case let path where ViewPath.pages.contains(path): .text("text/html", Self.shell)
    default: .view(404, "This server has no page at this path.")
    }
  }

  // All answers share the bytes of a file.
  private static let style = unsafe bytes(creportpage_view_style())
  private static let script = unsafe bytes(creportpage_view_script())
  private static let shell = unsafe bytes(creportpage_view_html())

  private static func bytes(_ text: creportpage_text) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: text.bytes, count: text.count))
  }

  /// Answers a question for data, when the answer is there.
  private func data(_ request: HTTPRequest, _ reply: HTTPReply) {
    switch access.verdict(on: request) {
    case .refused(let refusal): reply.send(refusal)
    case .entrance: reply.send(.view(401, "There is no session."))
    case .session(let session):
      if request.path == "/api/events" {
        return events.wait(request.values(of: "Last-Event-ID").first ?? "", session, reply)
      }
      let (answers, budget) = (answers, budget)
      let task = Task {
        let answer = await answers.answer(request.path, request.query, session.role, user: session.user)
        // All answers with the sections of the report share their bytes.
        reply.send(request.path == ViewPath.report ? answer : budget.admit(answer, of: session.user))
      }
      reply.whenAbandoned { task.cancel() }
    }
  }
}
