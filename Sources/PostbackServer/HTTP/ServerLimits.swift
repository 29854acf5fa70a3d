/// The limits that protect a server from its clients.
package struct ServerLimits: Sendable, Equatable {
  /// The number of threads that read and answer requests.
  package var threads = 2
  /// The largest number of open connections; for a further one, the connection that is idle for the longest time is
  /// closed.
  package var connections = 4096
  /// The number of connections above the limit that may be open while idle ones are being closed.
  package static func excess(of connections: Int) -> Int { max(64, connections / 16) }
  /// The largest number of open connections from one address that is not a trusted proxy.
  package var connectionsPerAddress = 256
  /// The memory of a connection in bytes, which limits its request line and headers.
  package var headerBytes = 16 * 1024
  /// The time in seconds after which a connection without traffic is closed.
  package var idleSeconds = 30
  /// The time in seconds within which a request must be complete, from the start of the connection or the end of the
  /// request before.
  package var requestSeconds = 60
  /// The interval in seconds over which the speed of a body is measured: more than 64 KiB must arrive at 1 KiB per
  /// second.
  package var stallSeconds = 10
  /// The largest number of events in one request.
  package var requestEvents = 1000
  /// The number of requests per minute from one address; 0 for no limit.
  package var requestsPerMinute = 6000
  /// The number of requests that one address may send at once after a pause.
  package var requestBurst = 1000
  /// The memory in bytes for all bodies that are being received: half for known forwarders, a quarter for forwarders
  /// that sign, a quarter for devices.
  package var bodyBytes = 64 << 20

  /// Creates the default limits.
  package init() {}
}
