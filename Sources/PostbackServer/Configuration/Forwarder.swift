internal import Base

/// A party that may forward postbacks, with the secrets that prove its identity.
package struct Forwarder: Sendable {
  /// The method of authentication, with one secret or two. Both are accepted, so that a secret can be exchanged while
  /// requests with the old one still come.
  package enum Secret: Sendable {
    /// `Authorization: Bearer TOKEN`.
    case bearer(tokens: [[UInt8]])
    /// HMAC-SHA256 in hexadecimal digits, in a header.
    case hmac(secrets: [[UInt8]], RequestSignature)
  }

  /// The name of the forwarder in envelopes and tables.
  package let name: String
  /// The secrets that prove the forwarder's identity.
  package let secret: Secret
  /// The parameter of the query that may have the token in place of the header; nil if none may.
  package let tokenParameter: String?

  package init(name: String, secret: Secret, tokenParameter: String? = nil) {
    self.name = name
    self.secret = secret
    self.tokenParameter = tokenParameter
  }
}

/// The form in which a forwarder signs its requests.
package struct RequestSignature: Sendable {
  /// The header with the time at which a request was signed, in seconds since 1970.
  package struct Timestamp: Sendable {
    /// The name of the header.
    package var header = "X-Signature-Timestamp"
    /// The greatest difference to the clock of this machine, in seconds.
    package var window = 300
  }

  /// The name of the header with the HMAC.
  package var header = "X-Signature-SHA256"
  /// The time that is signed together with path, query and body; nil if the body alone is signed, so that whoever has seen
  /// the request can send the body again with another query.
  package var timestamp: Timestamp?

  /// Returns the bytes that are signed; nil if the time is missing, no number, or too far from `now`, in seconds since 1970.
  func signedText(of request: HTTPRequest, now: Int64) -> [UInt8]? {
    guard let timestamp else { return request.body }
    let values = request.values(of: timestamp.header)
    guard values.count == 1, let text = values.first, (1...12).contains(text.utf8.count),
      text.utf8.allSatisfy(\.isDecimalDigit), let time = Int64(text), abs(now - time) <= timestamp.window
    else { return nil }
    return Array("\(text)\n\(request.path)\n\(request.query)\n".utf8) + request.body
  }
}

/// The amount that a forwarder may send. It bounds what a stolen token can write.
package struct ForwarderQuota: Sendable, Equatable {
  package var postbacksPerMinute = 1_000_000
  /// The bytes of a minute, of postbacks in their envelopes.
  package var bytesPerMinute = 1 << 30
  package var postbacksPerDay = 20_000_000
  package var bytesPerDay = 32 << 30
  /// The records of a minute that are no postbacks, and are stored nevertheless.
  package var othersPerMinute = 1000
}
