internal import Base
internal import SKAdNetwork
internal import Signatures

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
