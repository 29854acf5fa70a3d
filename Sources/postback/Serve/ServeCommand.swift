internal import Dispatch
internal import Spool
internal import PostbackServer
internal import PostbackService

/// `postback serve`: receives postbacks over HTTP.
struct ServeCommand: Command {
  struct Options: OptionGroup {
    let listen = Option(
      "--listen HOST:PORT",
      "The address to listen on; default 127.0.0.1:8080. Port 0 takes a free port."
    ).value("a host and a port such as 127.0.0.1:8080") { ListenAddress($0) }
    let metricsListen = Option(
      "--metrics-listen HOST:PORT",
      "Offer /metrics at this address, and no longer at that of --listen."
    ).value("a host and a port such as 127.0.0.1:9464") { ListenAddress($0) }
    let spool = Option("--spool DIR", "The directory of the spool, which must exist.").value(.text)
    let rates = Option(
      "--rates FILE",
      "Exchange rates for the conversion value API: CSV with the columns date,currency,rate."
    ).value(.text)
    let events = Option(
      "--events DIR",
      "Take sessions and events at /v1/events into this folder, such as OUT/s2s_events."
    ).value(.text)
    let answersConversionValueTests = Option(
      "--conversion-value-test",
      "Answer /api/v1/conversion_value without an SDK key by 0, 1, 2, and then an empty value, to test an app."
    ).isGiven
    let consumes = Option("--watch", "Also consume the spool, into --out or the out of the configuration.").isGiven
    let showsView = Option(
      "--view",
      "Also show the page of postback view, at the address and for the users of view in the configuration."
    ).isGiven
    let watch = WatchOptions()

    /// Returns the settings that SIGHUP replaces.
    func settings() throws -> ServiceSettings {
      try watch.settings(receives: true) { configuration in
        configuration.listen = listen ?? configuration.listen
        configuration.metricsListen = metricsListen ?? configuration.metricsListen
        configuration.spool = spool ?? configuration.spool
        configuration.rates = rates ?? configuration.rates
        configuration.events = events ?? configuration.events
        configuration.answersConversionValueTests = answersConversionValueTests
      }
    }
  }

  static let manual = Manual(
    name: "serve",
    summary: "Receive postbacks over HTTP into a spool, and acknowledge each when it is durable.",
    usage: "--spool DIR [--listen HOST:PORT] [--config FILE] [--models PATH] [--watch --out DIR …]",
    discussion: """
      Apple's devices post to /.well-known/skadnetwork/report-attribution/ and
      /.well-known/appattribution/report-attribution/. Forwarders named in the configuration post to /v1/postbacks: one
      postback, an array, or JSON Lines, optionally compressed by gzip. Each postback becomes a line with an envelope in
      a file of SPOOL/new, for postback watch. The answer is 200 when the postback is durable there, and 503 if it cannot
      be made durable. Only sizes are checked here.

      Apps ask GET /api/v2/conversion_value (SKAdNetwork 4) and /api/v1/conversion_value for their user's conversion value
      by --models. The app is known by the bundle_id of the models, or by apps in the configuration.

      With --events the servers of apps post sessions and events to /v1/events, as a JSON array of objects with the
      parameters of /api/v2/conversion_value. The answer has a conversion value for each, in order, and comes when all are
      durable as rows of s2s_events in that folder, for postback validate-implementation.

      GET /healthz answers if postbacks can be received, and GET /metrics returns all metrics, to everybody who reaches
      the address; with --metrics-listen only there. The server speaks plain HTTP; a proxy before it terminates TLS. With
      --watch the same process also consumes the spool, with the options of
      postback watch.

      On SIGTERM and SIGINT the server finishes the requests in progress, in at most five seconds, and ends. On SIGHUP it
      reads the configuration, the secrets, the keys, the models and the rates again: all are replaced, or none if one is
      wrong. A socket that a service manager passes (LISTEN_FDS) is used instead of --listen, so that a restart refuses
      nobody.
      Exit status: 0 asked to end, 64 usage, 65 model, key, state or configuration, 66 no spool, 73 cannot listen or
      create, 74 I/O, 75 locked.
      """,
    options: Options.options,
    example: "postback serve --spool /var/spool/postback --watch --models models/ --out out"
  )

  private let settings: ServiceSettings
  private let load: ServiceSettings.Loader
  private let spool: String
  private let consumer: ConsumerOptions?
  private let refresh: RefreshLoop?
  private let log: Log
  private let showsView: Bool
  private let jobs: Int

  init(_ arguments: Arguments) throws {
    guard arguments.operands.isEmpty else {
      throw CommandFailure(.usage, "serve takes no operands; give the spool with --spool")
    }
    let options: Options = try arguments.read()
    settings = try options.settings()
    load = { () throws(ReloadFailure) in
      do { return try options.settings() } catch { throw ReloadFailure(of: error) }
    }
    guard let spool = settings.configuration.spool, !spool.isEmpty else {
      throw CommandFailure(.usage, "give --spool, the directory for received postbacks")
    }
    try TablesOptions.verify(events: settings.configuration.events, outsideOf: spool)
    self.spool = spool
    let watch = options.watch
    log = watch.service.log.log
    (showsView, jobs) = (options.showsView, watch.jobs)
    if options.consumes {
      let consumer = try watch.consumer(spool: spool, settings, load: load)
      refresh = RefreshLoop(every: watch.consumer.refresh, watch.service.configuration, consumer)
      self.consumer = consumer
    } else {
      let unused = Self.consumerOptions.first { arguments.has($0) }
      if let unused { throw CommandFailure(.usage, "\(unused) has no effect without --watch") }
      (consumer, refresh) = (nil, nil)
    }
  }

  /// The options that have an effect only with `--watch`.
  private static let consumerOptions = SpoolOptions.options.map(\.name) + ["--jobs", "--metrics-file"]

  func run() async throws {
    // The answers of a page and the sections of its report need much memory for a moment, again and again.
    if showsView {
      HeapSettings.giveFreeMemoryBack()
      HeapSettings.shareOneHeap()
    }
    if let consumer { try await run(consumer) } else { try await serve() }
  }

  /// Receives and consumes until a signal asks to end, or until either fails.
  private func run(_ options: ConsumerOptions) async throws {
    let monitor = ConsumerMonitor(options)
    let service = try service(monitor)
    let view = try view()
    var options = options
    options.receiver = ConsumerHooks(
      stopping: { service.drain() },
      receiverWorks: { service.isWorking },
      reloaded: { settings in
        service.use(settings)
        view?.use(settings)
      }
    )
    let consumer = try Consumer(options, monitor: monitor)
    try service.start()
    try view?.start()
    defer { view?.stop() }
    TrustOptions.announce(settings.trust)
    do {
      refresh?.start()
      defer { refresh?.stop() }
      try await consumer.run()
    } catch {
      // Acknowledged postbacks are in the spool, for the next start.
      service.drain()
      throw error
    }
    guard service.drain() else { throw StuckSpool() }
  }

  /// Receives until a signal asks to end.
  private func serve() async throws {
    let service = try service()
    let view = try view()
    try view?.start()
    defer { view?.stop() }
    let load = load
    // The wait for signals must not take a thread from the tasks of the page.
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          returning: Result {
            let signals = try UnixSignals()
            try service.run(until: signals, reloadingWith: load) { view?.use($0) }
          }
        )
      }
    }
    try result.get()
  }

  /// The live page, if it is wanted.
  private func view() throws -> ServedView? {
    showsView ? try ServedView(settings, jobs: jobs, log) : nil
  }

  private func service(_ consumer: ConsumerMonitor? = nil) throws -> ReceiverService {
    try ReceiverService(settings, spool: spool, version: Main.version, log, consumer: consumer)
  }
}
