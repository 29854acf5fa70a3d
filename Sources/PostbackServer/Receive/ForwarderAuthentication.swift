internal import Base
internal import JSON
internal import SKAdNetwork
internal import Signatures

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

  /// Creates a forwarder.
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
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let time = Int64(text), abs(now - time) <= timestamp.window
    else { return nil }
    return Array("\(text)\n\(request.path)\n\(request.query)\n".utf8) + request.body
  }
}

/// Identifies the forwarder that sends a request.
package struct ForwarderAuthentication: Sendable {
  private let forwarders: [Forwarder]

  /// The identity that the head of a request proves or claims.
  enum Claim: Equatable, Sendable {
    /// The forwarder with this name, proved by its token.
    case known(String)
    /// A signature that can be checked only with the whole body.
    case signed
    /// Neither a known token nor a signature.
    case nobody

    /// The name of the forwarder if its token has proved it; nil otherwise.
    var name: String? {
      if case .known(let name) = self { name } else { nil }
    }
  }

  /// Creates an authentication of these forwarders; by default there are none.
  package init(_ forwarders: [Forwarder] = []) { self.forwarders = forwarders }

  /// Returns the identity that the head of a request proves or claims.
  func claim(_ request: HTTPRequest) -> Claim {
    let authorization = request.values(of: "Authorization").first.map { Array($0.utf8) } ?? []
    let scheme = Array("bearer ".utf8)
    var found = Claim.nobody
    if authorization.count > scheme.count, zip(authorization, scheme).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) {
      let token = Array(authorization.dropFirst(scheme.count))
      // Every token is compared, so that the time does not reveal a near match.
      for case (let name, .bearer(let tokens)) in forwarders.map({ ($0.name, $0.secret) }) {
        for expected in tokens where expected.isEqualInConstantTime(to: token) { found = .known(name) }
      }
    }
    if found.name != nil { return found }
    if let name = nameInQuery(of: request) { return .known(name) }
    let isSigned = forwarders.contains { forwarder in
      guard case .hmac(_, let signature) = forwarder.secret else { return false }
      return !request.values(of: signature.header).isEmpty
    }
    return isSigned ? .signed : .nobody
  }

  /// Returns the name of a forwarder whose token is in its parameter of the query; nil if there is none.
  private func nameInQuery(of request: HTTPRequest) -> String? {
    guard !request.query.isEmpty, forwarders.contains(where: { $0.tokenParameter != nil }) else { return nil }
    let parameters = QueryParameter.pairs(in: Array(request.query.utf8)[...])
    var found: String?
    for forwarder in forwarders {
      guard let parameter = forwarder.tokenParameter, case .bearer(let tokens) = forwarder.secret else { continue }
      for (name, value) in parameters where name == parameter {
        for token in tokens where token.isEqualInConstantTime(to: Array(value.utf8)) { found = forwarder.name }
      }
    }
    return found
  }

  /// Returns the query of a request without parameters that have a token of any forwarder, or the name under which it may be
  /// sent there.
  func queryWithoutTokens(of request: HTTPRequest) -> String {
    let secretNames = Set(forwarders.compactMap(\.tokenParameter))
    guard !request.query.isEmpty, !secretNames.isEmpty else { return request.query }
    let tokens = forwarders.reduce(into: Set<[UInt8]>()) { tokens, forwarder in
      if case .bearer(let some) = forwarder.secret { tokens.formUnion(some) }
    }
    let kept = Array(request.query.utf8).split(separator: UInt8(ascii: "&")).filter { pair in
      QueryParameter.pairs(in: pair).allSatisfy {
        !secretNames.contains($0.name) && !tokens.contains(Array($0.value.utf8))
      }
    }
    return String(decoding: Array(kept.joined(separator: [UInt8(ascii: "&")])), as: UTF8.self)
  }

  /// Returns the name of the forwarder whose signature of the request is valid at a time in seconds since 1970; nil if there
  /// is none.
  func signer(of request: HTTPRequest, now: Int64) throws(LibcryptoFailure) -> String? {
    var found: String?
    for forwarder in forwarders {
      guard case .hmac(let secrets, let signature) = forwarder.secret,
        let given = request.values(of: signature.header).first.flatMap({ [UInt8](hexadecimal: $0.utf8) }),
        let text = signature.signedText(of: request, now: now)
      else { continue }
      for secret in secrets {
        let digest = try HMAC.sha256(of: text.span, secret: secret.span)
        if digest.isEqualInConstantTime(to: given) { found = forwarder.name }
      }
    }
    return found
  }
}
