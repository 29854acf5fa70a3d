internal import Base
internal import CMicrohttpd
internal import Dispatch
internal import Glibc
internal import Synchronization

/// An HTTP/1.1 server: libmicrohttpd on a few threads of its own.
@safe
package final class HTTPServer: Sendable {
  /// The socket that the server listens on.
  package let socket: ListeningSocket
  /// The headers of every answer.
  let headers: [HTTPRequest.Field]
  private let settings: Replaceable<Settings>
  let metrics: ServerMetrics
  let rate: ClientRateLimit
  let counts = ConnectionCounts()
  private let handle: Mutex<Handle?>
  private let connections = Mutex(OpenConnections())
  let bodies: BodyBudget
  /// The number of requests that wait for their reply.
  private let replies = Atomic<Int>(0)
  private let draining = Atomic<Bool>(false)
  /// The time of the last check of deadlines.
  private let checkedAt = Mutex(ContinuousClock.now)

  private struct OpenConnections {
    var all: [ObjectIdentifier: HTTPConnection] = [:]
    /// The connections among them that were cut to make room, and will be closed soon.
    var closing: Set<ObjectIdentifier> = []
  }

  /// The settings that may be replaced while the server runs.
  private struct Settings: Sendable {
    let router: Router
    let limits: ServerLimits
    let proxies: TrustedProxies
  }

  @unsafe private struct Handle: @unchecked Sendable {
    let server: OpaquePointer
  }

  /// The error of a server that could not be started.
  package struct Failure: Error, CustomStringConvertible {
    /// The reason, as a sentence.
    package let description: String
  }

  /// Creates a server that accepts no connections until `start`.
  ///
  /// - Parameters:
  ///   - socket: The socket to listen on.
  ///   - router: The routes.
  ///   - limits: The limits on clients.
  ///   - proxies: The proxies whose header `X-Forwarded-For` is trusted.
  ///   - headers: The headers of every answer, also of those to requests that have no route. Answers that libmicrohttpd gives by
  ///     itself do not have them: to another version of HTTP, and to a `Content-Length` that is no number or too large a one.
  ///   - metrics: The counters.
  package init(
    _ socket: ListeningSocket,
    _ router: Router,
    limits: ServerLimits = ServerLimits(),
    proxies: TrustedProxies = TrustedProxies(),
    headers: [HTTPRequest.Field] = [],
    metrics: ServerMetrics = ServerMetrics()
  ) {
    (self.socket, self.headers) = (socket, headers)
    settings = Replaceable(Settings(router: router, limits: limits, proxies: proxies))
    self.metrics = metrics
    bodies = BodyBudget(limits.bodyBytes)
    rate = ClientRateLimit(perMinute: limits.requestsPerMinute, burst: limits.requestBurst)
    metrics.limit(connections: limits.connections)
    unsafe handle = Mutex(nil)
  }

  /// Replaces the routes, the limits and the proxies. Requests that have begun continue with the old routes. Limits on
  /// threads, connections, their memory and their idle time stay as they were at the start.
  package func use(_ router: Router, limits: ServerLimits, proxies: TrustedProxies) {
    var limits = limits
    let old = self.limits
    (limits.threads, limits.connections) = (old.threads, old.connections)
    (limits.headerBytes, limits.idleSeconds) = (old.headerBytes, old.idleSeconds)
    settings.value = Settings(router: router, limits: limits, proxies: proxies)
    bodies.use(bytes: limits.bodyBytes)
    rate.use(perMinute: limits.requestsPerMinute, burst: limits.requestBurst)
  }

  var router: Router { settings.value.router }
  var proxies: TrustedProxies { settings.value.proxies }
  var limits: ServerLimits { settings.value.limits }

  /// Begins to accept connections. The server keeps itself alive until `stop`.
  package func start() throws(Failure) {
    let limits = cmicrohttpd_limits(
      threads: UInt32(limits.threads),
      connections: UInt32(max(limits.connections + ServerLimits.excess(of: limits.connections), limits.threads)),
      header_bytes: limits.headerBytes,
      idle_seconds: UInt32(limits.idleSeconds)
    )
    let started: Bool = unsafe handle.withLock { handle in
      let owner = unsafe Unmanaged.passRetained(self)
      var (limits, callbacks) = (limits, HTTPConnection.callbacks)
      guard let server = unsafe cmicrohttpd_start(socket.descriptor, &limits, &callbacks, owner.toOpaque()) else {
        unsafe owner.release()
        return false
      }
      unsafe handle = Handle(server: server)
      return true
    }
    guard started else {
      let code = errno
      guard code != ELIBACC else {
        throw Failure(
          description:
            "The HTTP server cannot start without its library. Install the package that has libmicrohttpd.so.12."
        )
      }
      guard code == ENOTSUP else {
        throw Failure(description: "The HTTP server cannot start: \(unsafe String(cString: strerror(code))).")
      }
      let version = unsafe String(cString: cmicrohttpd_loaded_version())
      throw Failure(
        description: """
          The HTTP server cannot start: libmicrohttpd \(version) does not refuse ambiguous heads of requests, and hides \
          them. Install the version of Debian 12 (0.9.75) or of Debian 13 (1.0.1).
          """
      )
    }
    watchDeadlines()
  }

  /// Accepts no more connections, and closes each open one after its next answer. Clients that wait to be accepted are
  /// refused, unless another process will accept them from the same socket.
  package func quiesce() {
    draining.store(true, ordering: .sequentiallyConsistent)
    unsafe handle.withLock { handle in
      if let handle = unsafe handle { unsafe cmicrohttpd_quiesce(handle.server, socket.isShared ? 1 : 0) }
    }
  }

  /// Indicates that connections are closed after their next answer.
  var isDraining: Bool { draining.load(ordering: .relaxed) }

  /// The number of requests that have begun and not ended.
  package var requestsInFlight: Int { metrics.requestsInFlight }

  /// Indicates that at least one request waits for its reply.
  package var awaitsReply: Bool { replies.load(ordering: .sequentiallyConsistent) > 0 }

  /// Tells the handlers of all requests that wait for their reply that nobody waits for it any more.
  package func abandonReplies() {
    for connection in connections.withLock({ Array($0.all.values) }) { connection.abandon(ifClientIsGone: false) }
  }

  /// Indicates that at least one connection was accepted and has not begun a request.
  package var awaitsFirstRequest: Bool { connections.withLock { $0.all.values.contains { $0.awaitsFirstRequest } } }

  /// Closes all connections and waits for the threads. No request may be waiting for its reply.
  package func stop() {
    let server: Handle? = unsafe handle.withLock { handle in
      defer { unsafe handle = nil }
      return unsafe handle
    }
    guard let server = unsafe server else { return }
    unsafe cmicrohttpd_stop(server.server)
    unsafe Unmanaged.passUnretained(self).release()
  }

  /// The version of libmicrohttpd that the program was built with, such as "0.9.75".
  package static var libraryVersion: String {
    [24, 16, 8].map { String(cmicrohttpd_version() >> $0 & 255, radix: 16) }.joined(separator: ".")
  }

  // MARK: - Calls from connections

  func add(_ connection: HTTPConnection) {
    let others = connections.withLock { connections in
      let excess = connections.all.count + 1 - connections.closing.count - limits.connections
      defer { connections.all[ObjectIdentifier(connection)] = connection }
      return excess > 0 ? Array(connections.all.values) : []
    }
    counts.opened(connection.peer)
    metrics.addConnection()
    if !others.isEmpty { makeRoom(among: others) }
  }

  /// Closes the connections that have been idle for the longest time: several, because finding them takes time.
  private func makeRoom(among connections: [HTTPConnection]) {
    let idle = connections.compactMap { connection in connection.idleSince.map { (connection: connection, since: $0) } }
    for (connection, since) in idle.sorted(by: { $0.since < $1.since }).prefix(max(1, limits.connections / 64))
    where connection.cut(ifIdleSince: since) {
      metrics.add(refused: "idle")
      self.connections.withLock { connections in
        let id = ObjectIdentifier(connection)
        // The connection may have been closed meanwhile.
        if connections.all[id] != nil { connections.closing.insert(id) }
      }
    }
  }

  /// Indicates that the address may open another connection: it is that of a trusted proxy, or has few.
  func accepts(_ address: IPAddress) -> Bool {
    proxies.contains(address) || counts.allows(address, limit: limits.connectionsPerAddress)
  }

  func remove(_ connection: HTTPConnection) {
    connections.withLock { connections in
      connections.all[ObjectIdentifier(connection)] = nil
      connections.closing.remove(ObjectIdentifier(connection))
    }
    counts.closed(connection.peer)
    metrics.removeConnection()
  }

  /// Counts a request that begins to wait for its reply.
  func beginReply() { replies.add(1, ordering: .sequentiallyConsistent) }

  /// Counts a request whose reply has been sent.
  func endReply() { replies.subtract(1, ordering: .sequentiallyConsistent) }

  /// Cuts overdue and stalled connections, once a second while the server runs.
  private func watchDeadlines() {
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
      guard let self, unsafe handle.withLock({ unsafe $0 != nil }) else { return }
      let now = SteadyTime.now
      for connection in connections.withLock({ Array($0.all.values) }) {
        connection.cut(ifOverdue: now)
        connection.abandon(ifClientIsGone: true)
      }
      checkedAt.withLock { $0 = .now }
      watchDeadlines()
    }
  }

  /// The time since every connection was checked last, which happens each second.
  package var sinceLastCheck: Duration { .now - checkedAt.withLock { $0 } }
}
