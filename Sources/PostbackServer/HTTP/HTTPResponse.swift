package import JSON

/// What is answered to a request.
package struct HTTPResponse: Sendable {
  /// The status: 200, 404.
  package let status: Int
  /// The headers, but for those that the server sets itself (`Date`, `Content-Length`, `Connection`).
  package private(set) var headers: [HTTPRequest.Field]
  /// The body; of an answer to `HEAD` only its length is sent.
  package let body: [UInt8]

  /// An answer of these bytes.
  package init(_ status: Int, headers: [HTTPRequest.Field] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// An answer in JSON.
  package init(_ status: Int, json: JSONValue) {
    self.init(status, headers: [.init("Content-Type", "application/json")], body: Array("\(json)\n".utf8))
  }

  /// An answer that says what went wrong: `{"status":"error","reason":"…"}`.
  package static func error(_ status: Int, _ reason: String) -> HTTPResponse {
    HTTPResponse(
      status,
      json: .object([.init(key: "status", value: .string("error")), .init(key: "reason", value: .string(reason))])
    )
  }

  /// The same with one more header.
  package func adding(_ name: String, _ value: String) -> HTTPResponse {
    var response = self
    response.headers.append(.init(name, value))
    return response
  }

  /// The same, telling when it is worth the client's while to try again.
  package func retry(afterSeconds seconds: Int) -> HTTPResponse { adding("Retry-After", "\(seconds)") }
}
