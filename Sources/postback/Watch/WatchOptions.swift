internal import Base
internal import PostbackPipeline
internal import PostbackService

/// The options of the commands that consume a spool.
enum WatchOptions {
  static let options =
    [
      Option("--delete", nil, "Delete files that are done, instead of moving them to SPOOL/done."),
      Option("--rescan-ms", "N", "Look for files at least every N milliseconds; default 5000."),
      Option("--part-seconds", "N", "Complete a part when it is N seconds old; default 300."),
    ] + TablesOptions.options + TrustOptions.options + ReceivedAtOptions.options + [
      Option("--max-postback-bytes", "N", "Reject records of more than N bytes as too_large; default 65536."),
      Option("--jobs", "N", "The number of batches processed at once; by default the number of cores."),
    ]

  /// Returns the settings of a consumer as the options give them.
  static func consumer(
    _ arguments: Arguments,
    spool: String,
    models: [String]
  ) throws(CommandFailure) -> ConsumerOptions {
    var tables = try TablesOptions.tables(arguments)
    tables.partAge = .seconds(try arguments.integer("--part-seconds", in: 1...31_536_000) ?? 300)
    var consumer = ConsumerOptions(
      spool: spool,
      state: TablesOptions.state(arguments, tables),
      tables: tables,
      trust: try TrustOptions.trust(arguments),
      version: Main.version,
      log: try ServiceOptions.log(arguments)
    )
    consumer.deletes = arguments.has("--delete")
    if let rescan = try arguments.integer("--rescan-ms", in: 10...3_600_000) { consumer.rescan = .milliseconds(rescan) }
    consumer.models = models
    consumer.receivedAt = try ReceivedAtOptions.rule(arguments)
    if let bytes = try postbackBytes(arguments) { consumer.limits = ReadLimits(recordBytes: bytes) }
    consumer.jobs = try arguments.jobs()
    consumer.metricsFile = try ServiceOptions.metricsFile(arguments)
    consumer.forcedExitStatus = ExitStatus.inputOutput.rawValue
    return consumer
  }

  /// Returns the largest size of a postback, in bytes; nil if the option is absent.
  static func postbackBytes(_ arguments: Arguments) throws(CommandFailure) -> Int? {
    try arguments.integer("--max-postback-bytes", in: 1024...(64 << 20))
  }
}

/// The options of the long-running commands, `watch` and `serve`.
enum ServiceOptions {
  static let options = [
    Option("--log-format", "FORMAT", "The format of log lines on standard error, text or json; default text."),
    Option("--metrics-file", "FILE", "The file for metrics, for Prometheus' node_exporter; replaced every second."),
  ]

  /// Returns the log with the format of `--log-format`.
  static func log(_ arguments: Arguments) throws(CommandFailure) -> Log {
    let format = try arguments.value("--log-format", "text or json") { LogFormat(rawValue: $0) }
    return Log(format ?? .text, isQuiet: Terminal.isQuiet)
  }

  /// Returns the file of `--metrics-file`; nil if the option is absent.
  static func metricsFile(_ arguments: Arguments) throws(CommandFailure) -> ReplacedFile? {
    let path = try arguments.value("--metrics-file", "a path") { $0.isEmpty || $0.hasSuffix("/") ? nil : $0 }
    return path.map { ReplacedFile($0) }
  }
}
