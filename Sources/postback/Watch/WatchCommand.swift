internal import PostbackPipeline
internal import PostbackServer
internal import PostbackService

/// `postback watch`: the long-running consumer of a spool.
struct WatchCommand: Command {
  static let manual = Manual(
    name: "watch",
    summary: "Consume a spool continuously: do the work of postback run for each file that arrives.",
    usage: "[SPOOL] --out DIR [--config FILE] [--state DIR] [--models PATH] [--delete] [--settle SECONDS] …",
    discussion: """
      A producer writes a file in SPOOL/tmp, makes it durable (fsync) and renames it into SPOOL/new. For producers that
      can only write into SPOOL itself, --settle sets the time for which a file must be unchanged before it is taken. Files
      are taken in the order of their names. A file moves to SPOOL/done when its postbacks are committed. A file that
      cannot be read moves to SPOOL/failed, with the reason beside it. Also after a crash or a power cut, every postback
      of a committed file is in exactly one row.

      --config takes the file of postback serve: spool, out, state, models, trusted_keys, apple_keys and limits.postback_bytes are
      used, everything else concerns only the receiver. The secrets of forwarders are not read.

      On SIGTERM and SIGINT the consumer commits and ends. On SIGHUP it reads the configuration, the
      keys and the models again: all are replaced, or none if one is wrong. While the disk is full it takes no file. Under systemd it notifies when it is ready, and
      feeds the watchdog.
      Exit status: 0 asked to end, 64 usage, 65 model, key or state, 66 no spool, 73 cannot create, 74 I/O, 75 locked.
      """,
    options: [
      Option("--once", nil, "End when no file waits, instead of waiting for more."),
      Option("--settle", "SECONDS", "Take files from SPOOL itself that have been unchanged for this time."),
    ] + WatchOptions.options + ServiceOptions.options,
    example: "postback watch /var/spool/postback --models models/ --out out"
  )

  private let consumer: ConsumerOptions
  private let refresh: RefreshLoop?

  init(_ arguments: Arguments) throws(CommandFailure) {
    let settings = try Self.settings(arguments)
    guard arguments.operands.count <= 1, let spool = settings.configuration.spool else {
      throw CommandFailure(.usage, "Give one operand, the directory of the spool, or a configuration that names it.")
    }
    var consumer = try WatchOptions.consumer(
      arguments,
      spool: spool,
      settings,
      load: { () throws(ReloadFailure) in
        do throws(CommandFailure) { return try Self.settings(arguments) } catch { throw error.reload }
      }
    )
    consumer.settle = try arguments.value("--settle", "seconds, such as 2 or 0.5") { text in
      Double(text).flatMap { $0 > 0 && $0 < 1e6 ? .seconds($0) : nil }
    }
    consumer.leavesWhenEmpty = arguments.has("--once")
    self.consumer = consumer
    refresh = try RefreshLoop(arguments, consumer)
  }

  private static func settings(_ arguments: Arguments) throws(CommandFailure) -> ServiceSettings {
    try ServiceOptions.settings(arguments, receives: false) { configuration in
      configuration.spool = arguments.operands.first ?? configuration.spool
    }
  }

  func run() async throws(CommandFailure) {
    do throws(PipelineFailure) {
      let service = try Consumer(consumer, monitor: ConsumerMonitor(consumer))
      TrustOptions.announce(consumer.settings.trust)
      refresh?.start()
      defer { refresh?.stop() }
      try await service.run()
    } catch {
      throw CommandFailure(error)
    }
  }
}
