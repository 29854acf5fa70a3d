internal import ConversionModel
internal import PostbackPipeline
internal import PostbackServer
internal import Synchronization

/// `postback serve`: receives postbacks over HTTP.
struct ServeCommand: Command {
  static let manual = Manual(
    name: "serve",
    summary: "Receive postbacks over HTTP into a spool, acknowledged when they are durable.",
    usage: "--spool DIR [--listen HOST:PORT] [--config FILE] [--models PATH] [--watch --out DIR …]",
    discussion: """
      Apple's devices post to /.well-known/skadnetwork/report-attribution/ and
      /.well-known/appattribution/report-attribution/, forwarders that the configuration knows to /v1/postbacks: one
      postback, an array, or JSON Lines, also as gzip. Each becomes a line of an envelope in a file of SPOOL/new, for
      postback watch; 200 is answered when it is durable there, 503 where it cannot be. Nothing is judged but sizes.

      Apps ask GET /api/v2/conversion_value (SKAdNetwork 4) and /api/v1/conversion_value what their user is worth by
      --models, whose bundle_id, or apps in the configuration, tell which app it is.

      GET /healthz tells whether postbacks can be taken, GET /metrics everything in numbers. TLS is for the proxy before it.
      With --watch the spool is consumed in the same process, with the options of postback watch.

      SIGTERM and SIGINT finish what is on its way, in five seconds at most, and leave; SIGHUP loads the models again.
      Exit status: 0 asked to leave, 64 usage, 65 model, key, state or configuration, 66 no spool, 73 cannot listen or
      create, 74 I/O, 75 locked.
      """,
    options: [
      Option("--listen", "HOST:PORT", "Where to listen; 127.0.0.1:8080 unless given. Port 0 is one that is free."),
      Option("--spool", "DIR", "The spool, a folder that is there."),
      Option("--config", "FILE", "The configuration (schemas/server_configuration.schema.json). Options override it."),
      Option("--models", "PATH", "Conversion models: a file or a folder. May be repeated."),
      Option(
        "--rates",
        "FILE",
        "Exchange rates for the conversion value API: CSV with the columns date,currency,rate."
      ),
      Option("--watch", nil, "Consume the spool too, into --out."),
    ] + WatchOptions.options + ServiceOptions.options,
    example: "postback serve --spool /var/spool/postback --watch --models models/ --out out"
  )

  private let configuration: ServerConfiguration
  private let listen: ListenAddress
  private let spool: String
  private let consumer: ConsumerOptions?
  private let log: Log

  init(_ arguments: Arguments) throws(CommandFailure) {
    guard arguments.operands.isEmpty else { throw CommandFailure(.usage, "serve takes no operands; give --spool") }
    var configuration = ServerConfiguration()
    if let path = arguments.value("--config") {
      do { configuration = try ServerConfiguration(reading: path) } catch {
        throw CommandFailure(.configuration, lines: error)
      }
    }
    if let bytes = try WatchOptions.postbackBytes(arguments) { configuration.postbackBytes = bytes }
    configuration.rates = arguments.value("--rates") ?? configuration.rates
    let models = arguments.all("--models")
    if !models.isEmpty { configuration.models = models }
    let named = try arguments.value("--listen", "a host and a port such as 127.0.0.1:8080") { ListenAddress($0) }
    guard let spool = arguments.value("--spool") ?? configuration.spool, !spool.isEmpty else {
      throw CommandFailure(.usage, "give --spool, the folder for what is received")
    }
    (listen, self.spool) = (named ?? configuration.listen, spool)
    log = try ServiceOptions.log(arguments)
    if arguments.has("--watch") {
      var consumer = try WatchOptions.consumer(arguments, spool: spool, models: configuration.models)
      consumer.limits = ReadLimits(recordBytes: configuration.postbackBytes)
      self.consumer = consumer
    } else {
      let unused = Self.consumerOptions.first { arguments.has($0) }
      if let unused { throw CommandFailure(.usage, "\(unused) is of no use without --watch") }
      consumer = nil
    }
    self.configuration = configuration
  }

  /// The options that have an effect only with `--watch`.
  private static let consumerOptions =
    WatchOptions.options.map(\.name).filter { $0 != "--max-postback-bytes" } + ["--metrics-file"]

  func run() async throws(CommandFailure) {
    if let consumer { try await run(consumer) } else { try serve() }
  }

  /// Receives and consumes until a signal asks to end, or until either fails.
  private func run(_ options: ConsumerOptions) async throws(CommandFailure) {
    let metrics = SharedText()
    let models = CurrentModels(try Models(checking: configuration.models))
    let service = try ReceiverService(listen, spool, configuration, models, log, consumerMetrics: { metrics.value })
    var options = options
    options.hooks = ConsumerHooks(stopping: { service.drain() }, metrics: { metrics.value = $0 })
    let consumer = try Consumer(options, models: models)
    try service.start()
    do throws(CommandFailure) {
      try await consumer.run()
    } catch {
      // Acknowledged postbacks are in the spool, for the next start.
      service.drain()
      throw error
    }
    guard service.drain() else { throw ReceiverService.stuck }
  }

  /// Receives until a signal asks to end.
  private func serve() throws(CommandFailure) {
    let signals: Signals
    do { signals = try Signals() } catch { throw CommandFailure(.spool(error)) }
    let models = CurrentModels(try Models(checking: configuration.models))
    let service = try ReceiverService(listen, spool, configuration, models, log, consumerMetrics: { "" })
    let manager = ServiceManager()
    try service.start()
    manager.ready()
    manager.status("Receiving into \(spool)")
    let turn = min(manager.watchdogInterval.map { $0 / 2 } ?? .seconds(60), .seconds(60))
    while true {
      for signal in signals.wait(upTo: turn) {
        guard signal.asksToEnd else {
          manager.reloading()
          models.reload(configuration.models, log)
          manager.ready()
          continue
        }
        manager.stopping()
        log.info("stopping", "asked to leave; finishing what is on its way")
        guard service.drain() else { throw ReceiverService.stuck }
        log.info("stopped", "everything that was acknowledged is in the spool")
        return
      }
      manager.watchdog()
    }
  }
}

/// A text that one thread writes and others read.
private final class SharedText: Sendable {
  private let text = Mutex("")

  var value: String {
    get { text.withLock { $0 } }
    set { text.withLock { $0 = newValue } }
  }
}
