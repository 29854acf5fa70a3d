/// A numeric limit that the configuration file may set: its key, the setting it changes, and the accepted range.
struct ServerLimit: @unchecked Sendable {
  let key: String
  let path: WritableKeyPath<ServerConfiguration, Int>
  let range: ClosedRange<Int>

  init(_ key: String, _ path: WritableKeyPath<ServerConfiguration, Int>, _ range: ClosedRange<Int>) {
    self.key = key
    self.path = path
    self.range = range
  }

  /// The limits of the configuration file.
  static let all = [
    ServerLimit("postback_bytes", \.postbackBytes, 1024...(64 << 20)),
    ServerLimit("forwarder_body_bytes", \.forwarderBodyBytes, 1024...(256 << 20)),
    ServerLimit("forwarder_postbacks", \.forwarderPostbacks, 1...10_000_000),
    ServerLimit("waiting_bytes", \.waitingBytes, (1 << 20)...(1 << 30)),
    ServerLimit("body_bytes", \.limits.bodyBytes, (1 << 20)...(1 << 30)),
    ServerLimit("header_bytes", \.limits.headerBytes, 4096...(1 << 20)),
    ServerLimit("threads", \.limits.threads, 1...256),
    ServerLimit("connections", \.limits.connections, 1...1_000_000),
    ServerLimit("connections_per_address", \.limits.connectionsPerAddress, 1...1_000_000),
    ServerLimit("idle_seconds", \.limits.idleSeconds, 1...3600),
    ServerLimit("request_seconds", \.limits.requestSeconds, 1...3600),
    ServerLimit("stall_seconds", \.limits.stallSeconds, 1...3600),
    ServerLimit("requests_per_minute", \.limits.requestsPerMinute, 0...60_000_000),
    ServerLimit("request_burst", \.limits.requestBurst, 1...1_000_000),
  ]
}
