package import JSON

/// The answer to an HTTP request.
package struct HTTPResponse: Sendable {
  /// The status code, such as 200 or 404.
  package let status: Int
  /// The headers, except those that the server adds itself (`Date`, `Content-Length`, `Connection`).
  package private(set) var headers: [HTTPRequest.Field]
  /// The body. In an answer to `HEAD` only its length is sent.
  package let body: [UInt8]

  /// Creates an answer with these headers and bytes.
  package init(_ status: Int, headers: [HTTPRequest.Field] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Creates an answer with a JSON body and a line feed after it.
  package init(_ status: Int, json: JSONValue) {
    self.init(status, headers: [.init("Content-Type", "application/json")], body: Array("\(json)\n".utf8))
  }

  /// Returns an answer with the reason for a failure: `{"status":"error","reason":"…"}`.
  package static func error(_ status: Int, _ reason: String) -> HTTPResponse {
    HTTPResponse(
      status,
      json: .object([.init(key: "status", value: .string("error")), .init(key: "reason", value: .string(reason))])
    )
  }

  /// Returns the response with one more header.
  package func adding(_ name: String, _ value: String) -> HTTPResponse {
    var response = self
    response.headers.append(.init(name, value))
    return response
  }

  /// Returns the response with a `Retry-After` header: the seconds after which a new attempt is useful.
  package func retry(afterSeconds seconds: Int) -> HTTPResponse { adding("Retry-After", "\(seconds)") }
}
