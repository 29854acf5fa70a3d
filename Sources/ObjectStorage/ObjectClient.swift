internal import DurableFiles
internal import HTTPClient

/// The requests for remote objects, one after the other over connections that are used again.
final class ObjectClient {
  /// The response to the last request.
  let stream: HTTPStream
  private let environment: (String) -> String?

  /// A client without connections. Throws if libcurl cannot be used.
  init(environment: @escaping (String) -> String?) throws(StreamFailure) {
    stream = try HTTPStream()
    self.environment = environment
  }

  /// Sends a GET with these headers, and returns the beginning of its response. A temporary failure of the server or of the network
  /// is tried again.
  func get(_ address: RemoteAddress, _ headers: [String] = []) throws(FileFailure) -> ResponseHead {
    var attempts = Attempts()
    while true {
      var asked: Int64 = 0
      let event: String
      do throws(StreamFailure) {
        let head = try stream.begin(request(address, headers))
        guard Self.temporary.contains(head.status) else { return head }
        asked = head.retryAfter
        event = "The server answers \(head.status)"
      } catch {
        guard error.isTemporary else { throw FileFailure(.notFound, address.name, error.reason) }
        event = error.reason
      }
      guard attempts.wait(asked: asked) else { throw Self.broken(address, event) }
    }
  }

  /// Returns the failure for a response that has no content.
  func refusal(_ head: ResponseHead, of address: RemoteAddress) -> FileFailure {
    FileFailure(.notFound, address.name, "The server answers \(head.status)", advice: Self.advice(head.status))
  }

  /// Returns the failure for a server or a network that has failed too often.
  static func broken(_ address: RemoteAddress, _ event: String) -> FileFailure {
    FileFailure(.io, address.name, event, advice: "Run again later, and the run continues where it stopped")
  }

  private static let temporary: Set<Int> = [408, 429, 500, 502, 503, 504]

  private static func advice(_ status: Int) -> String {
    switch status {
    case 401, 403: "Check that you may read it"
    case 300..<400: "The address leads elsewhere. Give the one to which it leads"
    default: "Check the address"
    }
  }

  private func request(_ address: RemoteAddress, _ headers: [String]) -> StreamRequest {
    var request = StreamRequest(url: address.url)
    request.headers = ["user-agent: postback"] + headers
    request.followsRedirects = true
    request.authorities = environment("SSL_CERT_FILE")
    return request
  }
}
