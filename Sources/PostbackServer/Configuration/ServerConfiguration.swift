internal import Base

/// The settings of a receiver, of a consumer, and of the commands that go on with the tables: the configuration file
/// (schemas/server_configuration.schema.json), then the command-line options that override it.
package struct ServerConfiguration: Sendable {
  /// The address that the server listens on.
  package var listen = ListenAddress(host: "127.0.0.1", port: 8080)
  /// The address at which metrics are offered instead of `listen`; nil if they are offered there.
  package var metricsListen: ListenAddress?
  /// The path of the spool folder; nil if the file does not name one.
  package var spool: String?
  /// The path of the folder of the tables; nil if the file does not name one.
  package var out: String?
  /// The path of the folder of the state; nil for `_state` in the folder of the tables.
  package var state: String?
  /// The number of days after which rows and files that were put away are removed; nil if all are kept.
  package var retainedDays: Int?
  /// The tables whose old rows are removed; nil for all of them.
  package var retainedTables: [String]?
  /// The keys that are trusted besides Apple's.
  package var trustedKeys: [ConfiguredKey] = []
  /// The keys that are trusted as further ones of Apple's.
  package var appleKeys: [ConfiguredKey] = []
  /// All keys that are trusted besides those that the program has.
  package var keys: [ConfiguredKey] { appleKeys + trustedKeys }
  /// The paths of the conversion models: files, or folders of files.
  package var models: [String] = []
  /// App Store ids by bundle id, for the conversion value API. They take precedence over the ids in the models.
  package var apps: [String: Int64] = [:]
  /// The SDK keys that the conversion value API accepts; nil if it accepts every request.
  package var sdkKeys: Set<String>?
  /// The path of the file of exchange rates; nil if there is none.
  package var rates: String?
  /// The path of the folder for sessions and events; nil if the server does not take them.
  package var events: String?
  /// Indicates that the conversion value API answers requests without an SDK key for tests.
  package var answersConversionValueTests = false
  /// The proxies whose `X-Forwarded-For` header is trusted.
  package var trustedProxies: [AddressRange] = []
  /// The forwarders that may send postbacks, each with its secret.
  package var forwarders: [Forwarder] = []
  /// The tokens of partners that may read conversion schemas; without one there is no endpoint for them.
  package var schemaTokens: [[UInt8]] = []
  /// The limits on clients: connections, rates, sizes and times.
  package var limits = ServerLimits()
  /// The largest size of a postback in its envelope line, in bytes.
  package var postbackBytes = 64 * 1024
  /// The largest body that a forwarder may send, in bytes.
  package var forwarderBodyBytes = 8 << 20
  /// The largest number of postbacks in one body of a forwarder.
  package var forwarderPostbacks = 50_000
  /// The quota of each forwarder that has none of its own.
  package var forwarderQuota = ForwarderQuota()
  /// The quotas of forwarders that have one of their own, by name.
  package var forwarderQuotas: [String: ForwarderQuota] = [:]
  /// The largest number of received bytes that may wait to be made durable.
  package var waitingBytes = 64 << 20
  /// The settings of the live page; nil if there are none.
  package var view: ViewConfiguration?
  /// The settings of the commands that go on with the tables.
  package var derived = DerivedConfiguration()

  /// The default configuration, for a server without a file.
  package init() {}

  /// Reads a configuration file. The error holds every problem in it.
  ///
  /// Without `readsSecrets` the files with the secrets of forwarders are not opened, and the configuration has no
  /// forwarders: a process that only consumes needs no access to secrets.
  /// With `readsViewTokens` those with the tokens of the page's users are opened all the same.
  package init(
    reading path: String,
    readsSecrets: Bool = true,
    readsViewTokens: Bool = false
  ) throws(ConfigurationErrors) {
    var reader = ConfigurationReader(file: path, readsSecrets: readsSecrets)
    reader.readsViewTokens = readsSecrets || readsViewTokens
    let configuration = reader.read()
    guard reader.problems.found.isEmpty else { throw ConfigurationErrors(problems: reader.problems.found) }
    self = configuration
  }
}

extension ServerConfiguration {
  /// Returns the keys of the settings that differ from those of a running process and take effect only with its next
  /// start, of a receiver, of a consumer, or of both.
  package func fixedKeys(changedFrom running: ServerConfiguration, receives: Bool, consumes: Bool) -> [String] {
    let ofReceiver: [(String, Bool)] = [
      ("listen", listen == running.listen), ("metrics_listen", metricsListen == running.metricsListen),
      ("limits.threads", limits.threads == running.limits.threads),
      ("limits.connections", limits.connections == running.limits.connections),
      ("limits.header_bytes", limits.headerBytes == running.limits.headerBytes),
      ("limits.idle_seconds", limits.idleSeconds == running.limits.idleSeconds),
      ("view.listen", view?.listen == running.view?.listen), ("view.hosts", view?.hosts == running.view?.hosts),
      ("view.tls", view?.usesTLS == running.view?.usesTLS),
    ]
    let ofConsumer = [("out", out == running.out), ("state", state == running.state)]
    let settings =
      [("spool", spool == running.spool), ("events", !receives || events == running.events)]
      + (receives ? ofReceiver : []) + (consumes ? ofConsumer : [])
    return settings.filter { !$0.1 }.map(\.0)
  }
}

/// The problems of a configuration file.
package struct ConfigurationErrors: Error, CustomStringConvertible {
  /// One or more problems, each as `FILE: POINTER: SENTENCE`, or `FILE: SENTENCE` for the file as a whole.
  package let problems: [String]

  /// An error with problems.
  package init(problems: [String]) { self.problems = problems }

  /// The problems, one on each line.
  package var description: String { problems.map(\.withControlCharactersEscaped).joined(separator: "\n") }
}

/// A limit that the configuration file may set: its key, the property that it changes, and the accepted range.
struct LimitSetting: @unchecked Sendable {
  let key: String
  let path: WritableKeyPath<ServerConfiguration, Int>
  let range: ClosedRange<Int>

  init(_ key: String, _ path: WritableKeyPath<ServerConfiguration, Int>, _ range: ClosedRange<Int>) {
    self.key = key
    self.path = path
    self.range = range
  }

  /// The limits that a forwarder may have of its own.
  static let ofForwarder = [
    LimitSetting("forwarder_postbacks_per_minute", \.forwarderQuota.postbacksPerMinute, 1...1_000_000_000_000),
    LimitSetting("forwarder_bytes_per_minute", \.forwarderQuota.bytesPerMinute, 1...1_000_000_000_000_000),
    LimitSetting("forwarder_postbacks_per_day", \.forwarderQuota.postbacksPerDay, 1...1_000_000_000_000),
    LimitSetting("forwarder_bytes_per_day", \.forwarderQuota.bytesPerDay, 1...1_000_000_000_000_000),
    LimitSetting("forwarder_others_per_minute", \.forwarderQuota.othersPerMinute, 0...1_000_000_000_000),
  ]

  /// Every limit that the configuration file may set.
  static let all =
    ofForwarder + [
      LimitSetting("postback_bytes", \.postbackBytes, 1024...(64 << 20)),
      LimitSetting("forwarder_body_bytes", \.forwarderBodyBytes, 1024...(256 << 20)),
      LimitSetting("forwarder_postbacks", \.forwarderPostbacks, 1...10_000_000),
      LimitSetting("waiting_bytes", \.waitingBytes, (1 << 20)...(1 << 30)),
      LimitSetting("body_bytes", \.limits.bodyBytes, (1 << 20)...(1 << 30)),
      LimitSetting("header_bytes", \.limits.headerBytes, 4096...(1 << 20)),
      LimitSetting("threads", \.limits.threads, 1...256),
      LimitSetting("connections", \.limits.connections, 1...1_000_000),
      LimitSetting("connections_per_address", \.limits.connectionsPerAddress, 1...1_000_000),
      LimitSetting("idle_seconds", \.limits.idleSeconds, 1...3600),
      LimitSetting("request_seconds", \.limits.requestSeconds, 1...3600),
      LimitSetting("stall_seconds", \.limits.stallSeconds, 1...3600),
      LimitSetting("requests_per_minute", \.limits.requestsPerMinute, 0...60_000_000),
      LimitSetting("request_burst", \.limits.requestBurst, 1...1_000_000),
      LimitSetting("request_events", \.limits.requestEvents, 1...100_000),
    ]
}
