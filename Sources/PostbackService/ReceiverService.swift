internal import DurableFiles
package import Spool
internal import Glibc
internal import PostbackServer
internal import Synchronization

/// The failure of a spool that does not take the waiting postbacks in time.
package struct StuckSpool: Error, CustomStringConvertible {
  /// The failure as a sentence.
  package let description =
    "the spool did not take the waiting postbacks in time; their senders have no answer and will send them again"

  /// Creates the failure.
  package init() {}
}

/// The running receiver: an HTTP server, and the group commit that makes received postbacks durable.
package final class ReceiverService: Sendable {
  /// The time for which postbacks of devices gather, so that at a hundred a second two share a page of the disk. Devices
  /// wait for nothing but the answer.
  private static let gathering = Duration.milliseconds(20)

  private let server: HTTPServer
  /// The server of the metrics alone; nil if `server` offers them.
  private let metricsServer: HTTPServer?
  private let commits: GroupCommit
  /// The commits of sessions and events; nil if the server does not take them.
  private let events: GroupCommit?
  private let log: Log
  private let spool: String
  private let manager = ServiceManager()
  /// The settings at the start.
  private let settings: ServiceSettings
  private let receiver: Receiver
  /// The result of `drain()`; nil until it has finished.
  private let drained = Mutex<Bool?>(nil)

  private static let patience = Duration.seconds(5)
  /// The time for which a stopping server waits for requests of new connections.
  private static let firstRequestPatience = Duration.seconds(1)

  private let text: MetricsText
  /// The time after which a thread that makes no progress counts as stuck.
  private static let longestStep = Duration.seconds(10)

  /// Binds to the address of the configuration, or takes the socket of the service manager, without accepting
  /// connections yet. `consumer` shows the condition of a consumer in the same process.
  package init(
    _ settings: ServiceSettings,
    spool: String,
    version: String,
    _ log: Log,
    consumer: ConsumerMonitor? = nil
  ) throws {
    self.log = log
    self.spool = spool
    self.settings = settings
    let configuration = settings.configuration
    let metrics = ServerMetrics()
    commits = GroupCommit(
      try SpoolWriter(spool),
      waitingBytes: configuration.waitingBytes,
      gathering: Self.gathering,
      metrics: metrics,
      report: { event in
        switch event {
        case .failing(let reason):
          log.error("spool_failing", "\(reason); no postback is acknowledged until the spool can be written")
        case .recovered: log.info("spool_recovered", "the spool can be written again")
        }
      }
    )
    events = try Self.events(configuration, metrics, log)
    receiver = Receiver(commits, configuration, metrics: metrics, events: events, consumer: consumer)
    text = MetricsText(metrics, commits, events, consumer, spool: spool, version: version)
    let limits = Self.limits(configuration.limits, log)
    let route = text.route
    metricsServer = try configuration.metricsListen.map { address in
      HTTPServer(try ListeningSocket(address), Router([route]), limits: .ofMetrics)
    }
    server = HTTPServer(
      try Self.socket(configuration.listen, manager),
      Self.router(receiver, events, settings, text, hasMetrics: metricsServer == nil),
      limits: limits,
      proxies: TrustedProxies(configuration.trustedProxies),
      metrics: metrics
    )
  }

  private static func socket(
    _ address: ListenAddress,
    _ manager: ServiceManager
  ) throws(ListeningSocket.Failure) -> ListeningSocket {
    let passed = manager.passedSockets
    guard let descriptor = passed.first else { return try ListeningSocket(address) }
    return try ListeningSocket(passed: descriptor, of: passed.count)
  }

  private static func router(
    _ receiver: Receiver,
    _ events: GroupCommit?,
    _ settings: ServiceSettings,
    _ text: MetricsText,
    hasMetrics: Bool
  ) -> Router {
    let api = settings.conversionValueAPI
    let requestEvents = settings.configuration.limits.requestEvents
    let ofEvents = events.map { SessionEventRoutes(api, $0, requestEvents: requestEvents).routes } ?? []
    return Router(
      receiver.routes + ConversionValueRoutes(api).routes + ofEvents + settings.schemaRoutes.routes
        + (hasMetrics ? [text.route] : [])
    )
  }

  private static func events(
    _ configuration: ServerConfiguration,
    _ metrics: ServerMetrics,
    _ log: Log
  ) throws -> GroupCommit? {
    guard let path = configuration.events else { return nil }
    let writer = try SessionEventWriter(path)
    if let damaged = writer.damaged {
      log.warning(
        "events_damaged",
        "the last events were damaged, as a crash leaves them; they are kept in \(damaged)"
      )
    }
    return GroupCommit(
      writer,
      waitingBytes: configuration.waitingBytes,
      metrics: metrics,
      report: { event in
        switch event {
        case .failing(let reason):
          log.error("events_failing", "\(reason); no event is acknowledged until the directory can be written")
        case .recovered: log.info("events_recovered", "the directory of events can be written again")
        }
      }
    )
  }

  /// Replaces the settings. Requests that have begun continue with the old ones.
  package func use(_ settings: ServiceSettings) {
    let configuration = settings.configuration
    commits.use(waitingBytes: configuration.waitingBytes)
    events?.use(waitingBytes: configuration.waitingBytes)
    server.use(
      Self.router(receiver.using(configuration), events, settings, text, hasMetrics: metricsServer == nil),
      limits: configuration.limits,
      proxies: TrustedProxies(configuration.trustedProxies)
    )
  }

  /// Starts to accept connections.
  package func start() throws {
    try metricsServer?.start()
    try server.start()
    if let metricsServer {
      logListening("metrics_listening", metricsServer.socket, suffix: "/metrics")
    } else if !server.socket.isLoopback {
      log.warning(
        "metrics_public",
        "everybody who reaches the server can read /metrics; give the metrics their own address with --metrics-listen"
      )
    }
    logListening("listening", server.socket, suffix: server.socket.isShared ? ", a socket of the service manager" : "")
  }

  private func logListening(_ code: String, _ socket: ListeningSocket, suffix: String) {
    let host = socket.address.host.isEmpty ? "0.0.0.0" : socket.address.host
    log.info(
      code,
      "at http://\(ListenAddress(host: host, port: socket.port))\(suffix)",
      ["host": .text(host), "port": .integer(Int64(socket.port))]
    )
  }

  /// Receives until a signal asks to end. On SIGHUP the settings are replaced by those of `load`, and `reloaded` gets them.
  package func run(
    until signals: UnixSignals,
    reloadingWith load: ServiceSettings.Loader,
    reloaded: (ServiceSettings) -> Void
  ) throws {
    var models = UsedModels()
    text.observeSpool()
    try start()
    manager.ready()
    manager.status("Receiving into \(spool)")
    let turn = min(manager.watchdogInterval.map { $0 / 2 } ?? .seconds(60), .seconds(60))
    while true {
      for signal in signals.wait(upTo: turn) {
        guard signal.asksToEnd else {
          manager.reloading()
          text.add(reloadSucceeded: reload(load, &models, reloaded))
          manager.ready()
          continue
        }
        manager.stopping()
        log.info("stopping", "a signal asks the receiver to end; it finishes the requests in progress")
        guard drain() else { throw StuckSpool() }
        log.info("stopped", "all acknowledged postbacks are in the spool")
        return
      }
      if isWorking { manager.watchdog() }
    }
  }

  private func reload(
    _ load: ServiceSettings.Loader,
    _ models: inout UsedModels,
    _ reloaded: (ServiceSettings) -> Void
  ) -> Bool {
    do throws(ReloadFailure) {
      let loaded = try load()
      try models.add(settings.models)
      try models.add(loaded.models)
      use(loaded)
      reloaded(loaded)
      loaded.logReload(to: log, since: settings, receives: true, consumes: false)
      return true
    } catch {
      error.log(to: log)
      return false
    }
  }

  /// False if a write to the spool or of events does not end, or the connections are no longer looked after.
  package var isWorking: Bool {
    let writing = max(commits.writingTime, events?.writingTime ?? .zero)
    return writing < Self.longestStep && server.sinceLastCheck < Self.longestStep
  }

  /// Accepts no more connections, finishes the requests in progress, and stops, within some seconds. Returns false if
  /// the disk did not respond in time; then the process has to end. Later calls return the first result.
  @discardableResult
  package func drain() -> Bool {
    drained.withLock { drained in
      if let drained { return drained }
      let isDone = finish()
      drained = isDone
      return isDone
    }
  }

  private func finish() -> Bool {
    let deadline = ContinuousClock.now + Self.patience
    server.quiesce()
    // Waits for several checks without a request, because one may just have arrived that has not begun yet, and for the
    // first request of a connection that was just accepted.
    let firstRequests = ContinuousClock.now + Self.firstRequestPatience
    var quietTurns = 0
    while quietTurns < 5, .now < deadline {
      usleep(20_000)
      let isQuiet = server.requestsInFlight == 0 && (.now > firstRequests || !server.awaitsFirstRequest)
      quietTurns = isQuiet ? quietTurns + 1 : 0
    }
    for commits in [commits, events] {
      guard commits?.stop(within: max(deadline - .now, .milliseconds(200))) ?? true else { return false }
    }
    // A body that is still being decompressed can no longer be committed, and is refused.
    while server.awaitsReply {
      guard .now < deadline + .seconds(1) else { return false }
      usleep(20_000)
    }
    server.stop()
    metricsServer?.stop()
    return true
  }

  /// Returns the limits, with no more connections than the process may open files. Raises the soft limit of open files.
  private static func limits(_ wanted: ServerLimits, _ log: Log) -> ServerLimits {
    var limits = wanted
    var files = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0 else { return limits }
    files.rlim_cur = files.rlim_max
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
    let room = Int(clamping: files.rlim_cur) - reservedFiles
    if limits.connections + ServerLimits.excess(of: limits.connections) > room {
      limits.connections = max(room - ServerLimits.excess(of: room), 1)
      log.warning(
        "connections_limited",
        "the limit of open files allows only \(limits.connections) connections; raise it (ulimit -n)"
      )
    }
    return limits
  }

  /// The number of open files reserved for other uses than connections.
  private static let reservedFiles = 128
}

extension ServerLimits {
  /// The limits on who reads the metrics.
  fileprivate static var ofMetrics: ServerLimits {
    var limits = ServerLimits()
    (limits.threads, limits.connections) = (1, 16)
    return limits
  }
}
