/// How much a server bears of its clients.
package struct ServerLimits: Sendable, Equatable {
  /// The threads that read and answer.
  package var threads = 2
  /// Connections at once; more wait to be taken.
  package var connections = 4096
  /// Connections at once of one address that is no trusted proxy.
  package var connectionsPerAddress = 256
  /// A connection's memory: about what a request's line and headers may have.
  package var headerBytes = 16 * 1024
  /// A connection on which nothing happens for so long is closed.
  package var idleSeconds = 30
  /// A request must be there so many seconds after the connection began, or after the answer before.
  package var requestSeconds = 60
  /// A body of more than 64 KiB must bring 1 KiB a second; that is looked at in spans of so many seconds.
  package var stallSeconds = 10
  /// Requests a minute of one address; 0 for any number.
  package var requestsPerMinute = 6000
  /// Requests that one address may send at once after a pause.
  package var requestBurst = 1000
  /// Bodies that are on their way, together: half of it for known forwarders, a quarter for those that sign, a quarter for
  /// devices.
  package var bodyBytes = 64 << 20

  /// The limits unless given.
  package init() {}
}
