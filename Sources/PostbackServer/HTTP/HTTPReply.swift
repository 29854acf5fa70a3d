/// A handle to answer a client whose request waits.
package struct HTTPReply: Sendable {
  private let connection: HTTPConnection

  init(_ connection: HTTPConnection) { self.connection = connection }

  /// Sends the response, from any thread. Must be called exactly once.
  package func send(_ response: HTTPResponse) { connection.resume(with: response) }
}
