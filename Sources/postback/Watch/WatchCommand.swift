internal import PostbackServer
internal import PostbackService

/// `postback watch`: the long-running consumer of a spool.
struct WatchCommand: Command {
  struct Options: OptionGroup {
    let endsWhenEmpty = Option("--once", "End when no file waits, instead of waiting for more.").isGiven
    let settle = Option("--settle SECONDS", "Take files from SPOOL itself that have been unchanged for this time.")
      .value("seconds, such as 2 or 0.5") { text -> Duration? in
        Double(text).flatMap { $0 > 0 && $0 < 1e6 ? .seconds($0) : nil }
      }
    let form = FormOptions()
    let watch = WatchOptions()
  }

  static let manual = Manual(
    name: "watch",
    summary: "Consume a spool continuously: do the work of postback run for each file that arrives.",
    usage: "[SPOOL] --out DIR [--config FILE] [--state DIR] [--models PATH] [--delete] [--settle SECONDS] …",
    discussion: """
      A producer writes a file in SPOOL/tmp, makes it durable (fsync) and renames it into SPOOL/new. For producers that
      can only write into SPOOL itself, --settle sets the time for which a file must be unchanged before it is taken. Files
      are taken in the order of their names. A file moves to SPOOL/done when its postbacks are committed. A file that
      cannot be read moves to SPOOL/failed, with the reason beside it. --mapping and --format-in are about all files. Also after a crash or a power cut, every postback
      of a committed file is in exactly one row.

      --config takes the file of postback serve: spool, out, state, models, trusted_keys, apple_keys and limits.postback_bytes are
      used, everything else concerns only the receiver. The secrets of forwarders are not read.

      On SIGTERM and SIGINT the consumer commits and ends. On SIGHUP it reads the configuration, the
      keys and the models again: all are replaced, or none if one is wrong. While the disk is full it takes no file. Under systemd it notifies when it is ready, and
      feeds the watchdog.
      Exit status: 0 asked to end, 64 usage, 65 model, key or state, 66 no spool, 73 cannot create, 74 I/O, 75 locked.
      """,
    options: Options.options,
    example: "postback watch /var/spool/postback --models models/ --out out"
  )

  private let consumer: ConsumerOptions
  private let refresh: RefreshLoop?

  init(_ arguments: Arguments) throws {
    let (options, operand) = (try arguments.read(Options.self), arguments.operands.first)
    @Sendable func load() throws -> ServiceSettings {
      try options.watch.settings(receives: false) { $0.spool = operand ?? $0.spool }
    }
    let settings = try load()
    guard arguments.operands.count <= 1, let spool = settings.configuration.spool else {
      throw CommandFailure(.usage, "Give one operand, the directory of the spool, or a configuration that names it.")
    }
    var consumer = try options.watch.consumer(
      spool: spool,
      endsWhenEmpty: options.endsWhenEmpty,
      settings,
      load: { () throws(ReloadFailure) in
        do { return try load() } catch { throw ReloadFailure(of: error) }
      }
    )
    consumer.settle = options.settle
    try options.form.check()
    consumer.form = options.form.value
    self.consumer = consumer
    refresh = RefreshLoop(every: options.watch.consumer.refresh, options.watch.service.configuration, consumer)
  }

  func run() async throws {
    let service = try Consumer(consumer, monitor: ConsumerMonitor(consumer))
    TrustOptions.announce(consumer.settings.trust)
    refresh?.start()
    defer { refresh?.stop() }
    try await service.run()
  }
}
