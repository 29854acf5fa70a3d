/// The settings of a server: the configuration file (schemas/server_configuration.schema.json), then the command-line
/// options that override it.
package struct ServerConfiguration: Sendable {
  /// The address to listen on.
  package var listen = ListenAddress(host: "127.0.0.1", port: 8080)
  /// The path of the spool folder; nil if the file does not name one.
  package var spool: String?
  /// Paths of conversion models.
  package var models: [String] = []
  /// App Store ids by bundle id, for the conversion value API. They take precedence over the ids in the models.
  package var apps: [String: Int64] = [:]
  /// The SDK keys that the conversion value API accepts; nil if it accepts every request.
  package var sdkKeys: Set<String>?
  /// The path of the file of exchange rates; nil if there is none.
  package var rates: String?
  /// The proxies whose `X-Forwarded-For` header is trusted.
  package var trustedProxies: [AddressRange] = []
  /// The forwarders that may send postbacks, each with its secret.
  package var forwarders: [Forwarder] = []
  /// The limits on clients: connections, rates, sizes and times.
  package var limits = ServerLimits()
  /// The largest size of a postback in its envelope line, in bytes.
  package var postbackBytes = 64 * 1024
  /// The largest body that a forwarder may send, in bytes.
  package var forwarderBodyBytes = 8 << 20
  /// The largest number of postbacks in one body of a forwarder.
  package var forwarderPostbacks = 50_000
  /// The largest number of received bytes that may wait to be made durable.
  package var waitingBytes = 64 << 20

  /// The default configuration, for a server without a file.
  package init() {}

  /// Reads a configuration file, or throws every problem in it.
  package init(reading path: String) throws(ConfigurationErrors) {
    var reader = ConfigurationReader(file: path)
    let configuration = reader.read()
    guard reader.problems.isEmpty else { throw ConfigurationErrors(problems: reader.problems) }
    self = configuration
  }
}

/// The problems of a configuration file.
package struct ConfigurationErrors: Error, CustomStringConvertible {
  /// One or more problems, each as `FILE: POINTER: REASON`.
  package let problems: [String]

  /// A line for each problem.
  package var description: String { problems.joined(separator: "\n") }
}
