internal import ConversionModel
internal import PostbackPipeline

/// `postback watch`: the long-running consumer of a spool.
struct WatchCommand: Command {
  static let manual = Manual(
    name: "watch",
    summary: "Consume a spool for as long as it runs: what run does, to each file that comes.",
    usage: "SPOOL --out DIR [--state DIR] [--models PATH] [--delete] [--settle SECONDS] …",
    discussion: """
      Producers write a file in SPOOL/tmp, make it durable (fsync) and rename it into SPOOL/new; those that cannot write
      into SPOOL itself, and --settle says for how long a file must not have changed. Files are taken in the order of
      their names. When what a file holds is committed it goes to SPOOL/done, and one that cannot be read to SPOOL/failed,
      with the reason beside it. After a crash or a power cut every postback of a committed file is in exactly one row.

      SIGTERM and SIGINT commit and leave; SIGHUP loads the models again, and keeps the old ones where the new are wrong.
      While the disk is full nothing is taken. Under systemd it tells when it is ready, and feeds the watchdog.
      Exit status: 0 asked to leave, 64 usage, 65 model, key or state, 66 no spool, 73 cannot create, 74 I/O, 75 locked.
      """,
    options: [
      Option("--models", "PATH", "Conversion models: a file or a folder. May be repeated."),
      Option("--once", nil, "Leave when nothing waits, instead of waiting for more."),
      Option("--settle", "SECONDS", "Files are written into SPOOL itself; take those unchanged for so long."),
    ] + WatchOptions.options + ServiceOptions.options,
    example: "postback watch /var/spool/postback --models models/ --out out"
  )

  private let consumer: ConsumerOptions

  init(_ arguments: Arguments) throws(CommandFailure) {
    guard arguments.operands.count == 1, let spool = arguments.operands.first else {
      throw CommandFailure(.usage, "give one spool, a folder")
    }
    var consumer = try WatchOptions.consumer(arguments, spool: spool, models: arguments.all("--models"))
    consumer.settle = try arguments.value("--settle", "seconds, such as 2 or 0.5") { text in
      Double(text).flatMap { $0 > 0 && $0 < 1e6 ? .seconds($0) : nil }
    }
    consumer.leavesWhenEmpty = arguments.has("--once")
    self.consumer = consumer
  }

  func run() async throws(CommandFailure) {
    let models = CurrentModels(try Models(checking: consumer.models))
    let consumer = try Consumer(consumer, models: models)
    try await consumer.run()
  }
}
