internal import ConversionModel
internal import Glibc
internal import Metrics
internal import PostbackPipeline
internal import PostbackServer
internal import Synchronization

/// The running receiver: an HTTP server, and the group commit that makes received postbacks durable.
final class ReceiverService: Sendable {
  private let server: HTTPServer
  private let commits: GroupCommit
  private let log: Log
  private let address: ListenAddress
  /// The result of `drain()`; nil until it has finished.
  private let drained = Mutex<Bool?>(nil)

  private static let patience = Duration.seconds(5)

  /// The failure of a service whose spool did not take the waiting postbacks in time.
  static let stuck = CommandFailure(
    .inputOutput,
    "the spool does not take what waits; those who sent it have no answer and will send it again"
  )

  /// Binds to the address, without accepting connections yet. `consumerMetrics` returns the metrics text of a consumer
  /// in the same process, or an empty text.
  init(
    _ address: ListenAddress,
    _ spool: String,
    _ configuration: ServerConfiguration,
    _ models: CurrentModels,
    _ log: Log,
    consumerMetrics: @escaping @Sendable () -> String
  ) throws(CommandFailure) {
    self.log = log
    self.address = address
    let metrics = ServerMetrics()
    do throws(SpoolFailure) {
      commits = GroupCommit(
        try SpoolWriter(spool),
        waitingBytes: configuration.waitingBytes,
        metrics: metrics,
        report: { event in
          switch event {
          case .failing(let reason): log.error("spool_failing", "\(reason); nothing is acknowledged until that is over")
          case .recovered: log.info("spool_recovered", "the spool can be written again")
          }
        }
      )
    } catch {
      throw CommandFailure(.spool(error))
    }
    let receiver = Receiver(commits, configuration, metrics: metrics)
    let commits = commits
    let numbers = Route(
      "metrics",
      "GET",
      "/metrics",
      isRateLimited: { _ in false },
      action: .answer { _ in
        var text = metrics.exposition(waitingBytes: commits.waitingBytes)
        let others = consumerMetrics()
        if others.isEmpty {
          var process = Exposition()
          process.add(ProcessUsage.now())
          text += process.text
        }
        return HTTPResponse(
          200,
          headers: [.init("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
          body: Array((text + others).utf8)
        )
      }
    )
    let values = ConversionValueRoutes(models, try Self.conversionValueAPI(configuration))
    let limits = Self.limits(configuration.limits, log)
    do throws(ListeningSocket.Failure) {
      server = HTTPServer(
        try ListeningSocket(address),
        Router(receiver.routes + values.routes + [numbers]),
        limits: limits,
        proxies: TrustedProxies(configuration.trustedProxies),
        metrics: metrics
      )
    } catch {
      throw CommandFailure(.cannotCreate, error.description)
    }
  }

  /// Starts to accept connections.
  func start() throws(CommandFailure) {
    do throws(HTTPServer.Failure) { try server.start() } catch { throw CommandFailure(.software, error.description) }
    let port = server.socket.port
    let host = address.host.isEmpty ? "0.0.0.0" : address.host.contains(":") ? "[\(address.host)]" : address.host
    log.info("listening", "at http://\(host):\(port)", ["host": .text(host), "port": .integer(Int64(port))])
  }

  /// Accepts no more connections, finishes the requests in progress, and stops, within some seconds. Returns false if
  /// the disk did not respond in time; then the process can only end. Later calls return the first result.
  @discardableResult
  func drain() -> Bool {
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
    // Waits for several checks without a request, because one may just have arrived that has not begun yet.
    var quietTurns = 0
    while quietTurns < 5, .now < deadline {
      usleep(20_000)
      quietTurns = server.requestsInFlight == 0 ? quietTurns + 1 : 0
    }
    guard commits.stop(within: max(deadline - .now, .milliseconds(200))) else { return false }
    // A body that is still being unpacked cannot be committed any more, and is refused.
    while server.awaitsReply {
      guard .now < deadline + .seconds(1) else { return false }
      usleep(20_000)
    }
    server.stop()
    return true
  }

  /// Creates the conversion value API from the configuration, without models.
  private static func conversionValueAPI(
    _ configuration: ServerConfiguration
  ) throws(CommandFailure) -> ConversionValueAPI {
    var rates = CurrencyRates.none
    if let path = configuration.rates {
      do { rates = try CurrencyRates(loading: path) } catch { throw CommandFailure(.configuration, lines: error) }
    }
    return ConversionValueAPI(
      models: .none,
      rates: rates,
      appIDs: configuration.apps,
      sdkKeys: configuration.sdkKeys
    )
  }

  /// Returns the limits, with no more connections than the process may open files. Raises the soft limit of open files.
  private static func limits(_ wanted: ServerLimits, _ log: Log) -> ServerLimits {
    var limits = wanted
    var files = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0 else { return limits }
    files.rlim_cur = files.rlim_max
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
    let room = Int(clamping: files.rlim_cur) - reservedFiles
    if limits.connections > room {
      limits.connections = max(room, 1)
      log.warning(
        "connections_limited",
        "at most \(limits.connections) connections: raise the limit of open files (ulimit -n)"
      )
    }
    return limits
  }

  /// The number of open files reserved for other uses than connections.
  private static let reservedFiles = 128
}
