internal import Base
internal import ConversionModel
internal import PostbackPipeline
internal import PostbackServer
internal import PostbackService

/// The options of the commands that consume a spool.
enum WatchOptions {
  private static let retention = Option(
    "--retain",
    "AGE",
    "Once an hour, remove parts of the tables and files in SPOOL/done and SPOOL/failed that are older\nthan AGE, such as 400d. See postback retain --help."
  )
  private static let retainedTables = Option(
    "--retain-tables",
    "LIST",
    "The tables that --retain is about, joined by commas; default all of them."
  )

  static let options =
    [
      Option("--delete", nil, "Delete files that are done, instead of moving them to SPOOL/done."),
      Option("--rescan-ms", "N", "Look for files at least every N milliseconds; default 5000."),
      retention,
      retainedTables,
      RetentionOptions.withoutWaiting,
      RefreshLoop.option,
      Option("--part-seconds", "N", "Complete a part when it is N seconds old; default 300."),
      Option(
        "--forget-after",
        "AGE",
        "Forget ids of postbacks that were accepted AGE ago, such as 400d; at least 60d. A later copy is accepted again."
      ),
    ] + TablesOptions.options + TrustOptions.options + ReceivedAtOptions.options + [
      Option("--max-postback-bytes", "N", "Reject records of more than N bytes as too_large; default 65536."),
      Option("--jobs", "N", "The number of batches processed at once; by default the number of cores."),
    ]

  /// Returns the settings of a consumer: those of the options, and `settings`, which `load` loads again.
  static func consumer(
    _ arguments: Arguments,
    spool: String,
    _ settings: ServiceSettings,
    load: @escaping ServiceSettings.Loader
  ) throws(CommandFailure) -> ConsumerOptions {
    let configuration = settings.configuration
    var tables = try TablesOptions.tables(arguments, configured: configuration)
    if !arguments.has("--commit-ms") { tables.commitInterval = .milliseconds(500) }
    if !arguments.has("--once") { tables.trickleInterval = tables.commitInterval }
    tables.partAge = .seconds(try arguments.integer("--part-seconds", in: 1...31_536_000) ?? 300)
    tables.forgetAge = try arguments.value("--forget-after", "days, such as 400d, at least 60d") { text in
      guard text.hasSuffix("d"), let days = Int(text.dropLast()), (60...36_500).contains(days) else { return nil }
      return .seconds(days * 86_400)
    }
    var consumer = ConsumerOptions(
      spool: spool,
      state: TablesOptions.state(arguments, tables, configured: configuration),
      tables: tables,
      settings: settings,
      load: load,
      version: Main.version,
      log: try ServiceOptions.log(arguments)
    )
    consumer.deletes = arguments.has("--delete")
    if let rescan = try arguments.integer("--rescan-ms", in: 10...3_600_000) { consumer.rescan = .milliseconds(rescan) }
    consumer.receivedAt = try ReceivedAtOptions.rule(arguments)
    consumer.jobs = try arguments.jobs()
    consumer.retention =
      try RetentionOptions.age(arguments, retention)
      ?? configuration.retainedDays.map { Duration.seconds($0 * 86_400) }
    consumer.retainedTables = try RetentionOptions.tables(arguments, retainedTables)
    if let tables = configuration.retainedTables, !arguments.has(retainedTables.name) {
      consumer.retainedTables = tables
    }
    consumer.retentionWaits = !arguments.has(RetentionOptions.withoutWaiting.name)
    consumer.metricsFile = try ServiceOptions.metricsFile(arguments)
    consumer.forcedExitStatus = ExitStatus.inputOutput.rawValue
    return consumer
  }
}

extension CommandFailure {
  /// The failure as the reason that settings are not replaced.
  var reload: ReloadFailure { ReloadFailure(line) }
}

/// The options of the long-running commands, `watch` and `serve`.
enum ServiceOptions {
  static let options = [
    Option("--log-format", "FORMAT", "The format of log lines on standard error, text or json; default text."),
    Option("--log-level", "LEVEL", "The least severe log lines: debug, info, warning or error; default info."),
    Option("--config", "FILE", "The configuration (schemas/server_configuration.schema.json). Options override it."),
    Option("--models", "PATH", "Conversion models: a file or a folder. May be repeated."),
    Option("--metrics-file", "FILE", "The file for metrics, for Prometheus' node_exporter; replaced every second."),
  ]

  /// Returns the configuration: the file of `--config`, and the options that override it.
  ///
  /// Without `readsSecrets` it has no forwarders, and the files with their secrets are not opened.
  private static func configuration(
    _ arguments: Arguments,
    readsSecrets: Bool
  ) throws(CommandFailure) -> ServerConfiguration {
    var configuration = ServerConfiguration()
    if let path = arguments.value("--config") {
      do { configuration = try ServerConfiguration(reading: path, readsSecrets: readsSecrets) } catch {
        throw CommandFailure(.configuration, lines: error)
      }
    }
    if let bytes = try arguments.integer("--max-postback-bytes", in: 1024...(64 << 20)) {
      configuration.postbackBytes = bytes
    }
    let models = arguments.all("--models")
    if !models.isEmpty { configuration.models = models }
    configuration.out = arguments.value("--out") ?? configuration.out
    configuration.state = arguments.value("--state") ?? configuration.state
    return configuration
  }

  /// Returns the settings that SIGHUP replaces: the configuration, which `adjust` completes, and what its files hold.
  static func settings(
    _ arguments: Arguments,
    receives: Bool,
    _ adjust: (inout ServerConfiguration) -> Void
  ) throws(CommandFailure) -> ServiceSettings {
    var configuration = try configuration(arguments, readsSecrets: receives)
    adjust(&configuration)
    var rates = CurrencyRates.none
    if receives, let path = configuration.rates {
      do throws(RatesErrors) { rates = try CurrencyRates(loading: path) } catch {
        throw CommandFailure(.configuration, lines: error)
      }
    }
    return ServiceSettings(
      configuration,
      trust: try TrustOptions.trust(arguments, adding: configuration.appleKeys + configuration.trustedKeys),
      models: try Models(checking: configuration.models),
      rates: rates
    )
  }

  /// Returns the log with the format of `--log-format` and the level of `--log-level`; `--quiet` means warnings.
  static func log(_ arguments: Arguments) throws(CommandFailure) -> Log {
    let format = try arguments.value("--log-format", "text or json") { LogFormat(rawValue: $0) }
    let level = try arguments.value("--log-level", "debug, info, warning or error") { LogLevel(rawValue: $0) }
    return Log(format ?? .text, level: level ?? (Terminal.isQuiet ? .warning : .info))
  }

  /// Returns true if the words of a command line ask for log lines in JSON, also if other words are wrong.
  static func logsJSON(_ words: some Collection<String>) -> Bool {
    let words = Array(words.prefix { $0 != "--" })
    let formats = words.indices.compactMap { index -> String? in
      if words[index] == "--log-format" { return words[(index + 1)...].first }
      return words[index].hasPrefix("--log-format=") ? String(words[index].dropFirst("--log-format=".count)) : nil
    }
    return formats.last == LogFormat.json.rawValue
  }

  /// Returns the file of `--metrics-file`; nil if the option is absent.
  static func metricsFile(_ arguments: Arguments) throws(CommandFailure) -> ReplacedFile? {
    let path = try arguments.value("--metrics-file", "a path") { $0.isEmpty || $0.hasSuffix("/") ? nil : $0 }
    return path.map { ReplacedFile($0) }
  }
}
