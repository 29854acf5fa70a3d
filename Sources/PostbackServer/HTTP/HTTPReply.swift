/// The way back to a client that waits for its answer.
package struct HTTPReply: Sendable {
  private let connection: HTTPConnection

  init(_ connection: HTTPConnection) { self.connection = connection }

  /// Answers, from whatever thread. To be called exactly once.
  package func send(_ response: HTTPResponse) { connection.resume(with: response) }
}
