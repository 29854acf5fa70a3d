internal import ConversionModel
internal import CopySettlement
internal import DerivedTables
internal import DurableFiles
internal import PostbackPipeline
internal import PostbackServer
internal import PostbackService
internal import Tables

/// The options of the commands that consume a spool.
struct SpoolOptions: OptionGroup {
  let deletes = Option("--delete", "Delete files that are done, instead of moving them to SPOOL/done.").isGiven
  let rescan = Option("--rescan-ms N", "Look for files at least every N milliseconds; default 5000.")
    .value(.integer(in: 10...3_600_000))
  let retention = Option(
    "--retain AGE",
    "Once an hour, remove parts of the tables and files in SPOOL/done and SPOOL/failed that are older\nthan AGE, such as 400d. See postback retain --help."
  ).value(.days())
  let retainedTables = Option(
    "--retain-tables LIST",
    "The tables that --retain is about, joined by commas; default all of them."
  ).value(.tables(among: Table.all))
  let retainsWithoutWaiting = RemovalOptions.withoutWaiting.isGiven
  let refresh = RefreshLoop.option
  let partSeconds = Option("--part-seconds N", "Complete a part when it is N seconds old; default 300.")
    .value(.integer(in: 1...31_536_000))
  let forgetAge = Option(
    "--forget-after AGE",
    "Forget ids of postbacks that were accepted AGE ago, such as 400d; at least 60d. A later copy is accepted again."
  ).value(.days(in: 60...36_500))
  let tables = TablesOptions()
  let trust = TrustOptions()
  let receivedAt = ReceivedAtOptions()
}

/// The options of the commands that consume a spool, with those that the receiver has too.
struct WatchOptions: OptionGroup {
  let consumer = SpoolOptions()
  let postbackBytes = Option.postbackBytes("Reject records of more than N bytes as too_large; default 65536.")
  let jobs = Option.jobs("The number of batches processed at once; by default the number of cores.")
  let service = ServiceOptions()

  /// Returns the settings of a consumer: those of the options, and `settings`, which `load` loads again.
  func consumer(
    spool: String,
    endsWhenEmpty: Bool = false,
    _ settings: ServiceSettings,
    load: @escaping ServiceSettings.Loader
  ) throws -> ConsumerOptions {
    let configuration = settings.configuration
    var tables = try consumer.tables.tables(configured: configuration)
    if consumer.tables.commitMilliseconds == nil { tables.commitInterval = .milliseconds(500) }
    if !endsWhenEmpty { tables.trickleInterval = tables.commitInterval }
    tables.partAge = .seconds(consumer.partSeconds ?? 300)
    tables.forgetAge = consumer.forgetAge
    let state = consumer.tables.stateFolder(of: tables, configured: configuration)
    try TablesOptions.verify([tables.folder, state], outsideOf: spool)
    var options = ConsumerOptions(
      spool: spool,
      state: state,
      tables: tables,
      settings: settings,
      load: load,
      version: Main.version,
      log: service.log.log
    )
    options.leavesWhenEmpty = endsWhenEmpty
    options.deletes = consumer.deletes
    if let rescan = consumer.rescan { options.rescan = .milliseconds(rescan) }
    options.receivedAt = consumer.receivedAt.rule
    options.jobs = jobs
    options.retention = consumer.retention ?? configuration.retainedDays.map { Duration.seconds($0 * 86_400) }
    options.retainedTables =
      consumer.retainedTables ?? configuration.retainedTables ?? Table.all.map(\.name)
    options.retentionWaits = !consumer.retainsWithoutWaiting
    options.decidingTimes = DecidedColumns.times(in: tables.folder)
    options.removePage = { [folder = tables.folder] () throws(FileFailure) in try DerivedStore.removePage(in: folder) }
    options.metricsFile = service.metricsFile
    options.forcedExitStatus = ExitStatus.inputOutput.rawValue
    return options
  }

  /// Returns the configuration: the file of `--config`, and the options that override it.
  ///
  /// Without `readsSecrets` it has no forwarders, and the files with their secrets are not opened.
  private func configuration(readsSecrets: Bool) throws -> ServerConfiguration {
    var configuration = ServerConfiguration()
    if let path = service.configuration {
      configuration = try ServerConfiguration(reading: path, readsSecrets: readsSecrets)
    }
    if let postbackBytes { configuration.postbackBytes = postbackBytes }
    if !service.models.isEmpty { configuration.models = service.models }
    configuration.out = consumer.tables.output ?? configuration.out
    configuration.state = consumer.tables.state ?? configuration.state
    return configuration
  }

  /// Returns the settings that SIGHUP replaces: the configuration, which `adjust` completes, and what its files hold.
  func settings(
    receives: Bool,
    _ adjust: (inout ServerConfiguration) -> Void
  ) throws -> ServiceSettings {
    var configuration = try configuration(readsSecrets: receives)
    adjust(&configuration)
    var rates = CurrencyRates.none
    if receives, let path = configuration.rates {
      rates = try CurrencyRates(loading: path)
    }
    return ServiceSettings(
      configuration,
      trust: try consumer.trust.trust(adding: configuration.keys),
      models: try Models(loading: configuration.models),
      rates: rates
    )
  }
}

extension ReloadFailure {
  /// Makes an error the reason that settings are not replaced.
  init(of error: any Error) { self.init(CommandFailure(of: error).line) }
}

/// The options of the long-running commands, `watch` and `serve`.
struct ServiceOptions: OptionGroup {
  let log = LogOptions()
  let configuration = Option(
    "--config FILE",
    "The configuration (schemas/server_configuration.schema.json). Options override it."
  ).value(.text)
  let models = Option.models("Conversion models: a file or a folder. May be repeated.")
  let metricsFile = Option.metricsFile.value(.replacedFile)
}

extension Option {
  static let metricsFile = Option(
    "--metrics-file FILE",
    "The file for metrics, for Prometheus' node_exporter; replaced every second."
  )
}

extension ValueKind<ReplacedFile> {
  /// The path of a file that is replaced again and again.
  static var replacedFile: Self { Self("a path") { $0.isEmpty || $0.hasSuffix("/") ? nil : ReplacedFile($0) } }
}
