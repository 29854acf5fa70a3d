internal import Base
package import JSON

/// An HTTP request: the head, and once it has arrived, the body.
package struct HTTPRequest: Sendable {
  /// A header.
  package struct Field: Hashable, Sendable {
    /// The name as it was sent.
    package let name: String
    /// The value as it was sent.
    package let value: String

    /// A name and its value.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The method as it was sent, such as `GET` or `POST`.
  package let method: String
  /// The part of the target before the question mark, as it was sent, without percent-decoding. It never names a file.
  package let path: String
  /// The part of the target after the question mark, as it was sent; empty if there is none.
  package let query: String
  /// The headers, in the order in which they were sent.
  package let headers: [Field]
  /// The address of the client: that of the connection, or the one in `X-Forwarded-For` if a trusted proxy forwards the
  /// request.
  package let client: IPAddress
  /// The body; empty while only the head is there.
  package internal(set) var body: [UInt8] = []

  /// Creates a request for a target, such as `/healthz?verbose=1`, or in absolute form (RFC 9112, section 3.2.2).
  package init(method: String, target: String, headers: [Field] = [], client: IPAddress, body: [UInt8] = []) {
    let target = target.withoutAuthority
    let mark = target.utf8.firstIndex(of: UInt8(ascii: "?"))
    self.method = method
    path = String(target[..<(mark ?? target.endIndex)])
    query = mark.map { String(target.utf8[$0...].dropFirst()) ?? "" } ?? ""
    self.headers = headers
    self.client = client
    self.body = body
  }

  /// Returns the values of all headers with a name, ignoring the case of the name.
  package func values(of name: String) -> [String] { headers.values(of: name) }
}

extension [HTTPRequest.Field] {
  /// The values of all headers with a name, ignoring the case of the name.
  func values(of name: String) -> [String] {
    compactMap { $0.name.isEqualIgnoringCase(to: name) ? $0.value : nil }
  }
}

extension String {
  /// The target in origin form: without scheme and authority, which a client sends to a proxy.
  fileprivate var withoutAuthority: String {
    guard utf8.first != UInt8(ascii: "/"),
      let scheme = ["http://", "https://"].first(where: { String(prefix($0.utf8.count)).isEqualIgnoringCase(to: $0) })
    else { return self }
    let rest = dropFirst(scheme.utf8.count)
    guard let end = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
    return rest[end] == "/" ? String(rest[end...]) : "/\(rest[end...])"
  }

  /// Indicates that the texts are equal, ignoring the case of ASCII letters.
  func isEqualIgnoringCase(to other: String) -> Bool {
    let (bytes, others) = (utf8.span, other.utf8.span)
    guard bytes.count == others.count else { return false }
    for index in bytes.indices where bytes[index].asciiLowercased != others[index].asciiLowercased { return false }
    return true
  }

  /// Indicates that `test` holds of every byte of the text.
  @inline(__always)
  func hasOnly(_ test: (UInt8) -> Bool) -> Bool {
    let bytes = utf8.span
    for index in bytes.indices where !test(bytes[index]) { return false }
    return true
  }
}

/// The answer to an HTTP request.
package struct HTTPResponse: Sendable {
  /// The status code, such as 200 or 404.
  package let status: Int
  /// The headers, except those that the server adds itself (`Date`, `Content-Length`, `Connection`).
  package private(set) var headers: [HTTPRequest.Field]
  /// The body. In an answer to `HEAD` only its length is sent.
  package let body: [UInt8]
  /// The object that the connection keeps until the client has the answer, or is gone.
  private(set) var companion: (any AnyObject & Sendable)?

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

  /// Returns the response with further headers.
  func adding(_ fields: [HTTPRequest.Field]) -> HTTPResponse {
    var response = self
    response.headers += fields
    return response
  }

  /// Returns the response with an object that is released as soon as the client has the answer, or is gone.
  package func keeping(_ companion: any AnyObject & Sendable) -> HTTPResponse {
    var response = self
    response.companion = companion
    return response
  }

  /// Returns the response with a `Retry-After` header: the seconds after which a new attempt is useful.
  package func retry(afterSeconds seconds: Int) -> HTTPResponse { adding("Retry-After", "\(seconds)") }
}
