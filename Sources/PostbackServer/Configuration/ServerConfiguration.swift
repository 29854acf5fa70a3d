/// What a server is told: its configuration file (schemas/server_configuration.schema.json), and what options change of it.
package struct ServerConfiguration: Sendable {
  /// Where to listen.
  package var listen = ListenAddress(host: "127.0.0.1", port: 8080)
  /// The spool.
  package var spool: String?
  /// Paths of conversion models.
  package var models: [String] = []
  /// App Store ids by bundle id, for the conversion value API; they go before those that models say.
  package var apps: [String: Int64] = [:]
  /// The SDK keys that the conversion value API lets in; nil where all are.
  package var sdkKeys: Set<String>?
  /// The path of a file of exchange rates.
  package var rates: String?
  /// The proxies whose word is taken for whom they forward.
  package var trustedProxies: [AddressRange] = []
  /// Who may forward postbacks.
  package var forwarders: [Forwarder] = []
  /// What is borne of clients.
  package var limits = ServerLimits()
  /// The longest line that a postback and its envelope may make.
  package var postbackBytes = 64 * 1024
  /// The longest body that a forwarder may send.
  package var forwarderBodyBytes = 8 << 20
  /// The most postbacks that one body of a forwarder may hold.
  package var forwarderPostbacks = 50_000
  /// Bytes that may wait to be made durable.
  package var waitingBytes = 64 << 20

  /// The configuration without a file.
  package init() {}

  /// Reads a file; throws everything that is wrong with it.
  package init(reading path: String) throws(ConfigurationErrors) {
    var reader = ConfigurationReader(file: path)
    let configuration = reader.read()
    guard reader.problems.isEmpty else { throw ConfigurationErrors(problems: reader.problems) }
    self = configuration
  }
}

/// Everything that is wrong with a configuration.
package struct ConfigurationErrors: Error, CustomStringConvertible {
  /// One or more, each `FILE: POINTER: REASON`.
  package let problems: [String]

  /// A line for each problem.
  package var description: String { problems.joined(separator: "\n") }
}
