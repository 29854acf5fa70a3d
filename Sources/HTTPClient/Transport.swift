/// A request, ready to be sent.
package struct OutgoingRequest: Sendable {
  /// The number by which its response is recognised.
  package let number: Int64
  package let url: String
  package let isPost: Bool
  package let headers: [String]
  package let body: [UInt8]
  /// The time in which it must be complete, in milliseconds.
  package let timeout: Int64
  /// Indicates that a response counts only with its whole body; without it its head is enough.
  package let needsBody: Bool
  /// Decides if it may go to an IP address, which is written as text.
  package let allows: @Sendable (String) -> Bool

  /// A request with all of its parts.
  package init(
    number: Int64,
    url: String,
    isPost: Bool,
    headers: [String],
    body: [UInt8],
    timeout: Int64,
    needsBody: Bool,
    allows: @escaping @Sendable (String) -> Bool
  ) {
    (self.number, self.url, self.isPost, self.headers) = (number, url, isPost, headers)
    (self.body, self.timeout, self.needsBody, self.allows) = (body, timeout, needsBody, allows)
  }
}

/// The response to a request, or the reason why there is none.
package struct IncomingResponse: Sendable {
  package let number: Int64
  /// The status; 0 if there is no response.
  package let status: Int
  /// The time of `Retry-After` in milliseconds; 0 if there is none.
  package var retryAfter: Int64 = 0
  /// The reason why there is no response, or the beginning of the body.
  package var text = ""

  /// A response to the request with this number.
  package init(number: Int64, status: Int, retryAfter: Int64 = 0, text: String = "") {
    (self.number, self.status, self.retryAfter, self.text) = (number, status, retryAfter, text)
  }
}

/// The way to servers: the network, or a model of it in tests.
package protocol Transport: AnyObject {
  /// Begins a request; throws if the system cannot.
  func begin(_ request: OutgoingRequest) throws(TransportFailure)
  /// Waits for at most a time in milliseconds until a response is there or a signal came, and returns the responses.
  func responses(within milliseconds: Int64) throws(TransportFailure) -> [IncomingResponse]
}

/// The failure of the library or of the system to send any request.
package struct TransportFailure: Error, CustomStringConvertible {
  package let description: String

  /// Makes the failure with a sentence.
  package init(description: String) { self.description = description }
}
