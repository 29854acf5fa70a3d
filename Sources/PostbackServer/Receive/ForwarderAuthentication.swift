internal import Base
internal import JSON
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
    let isSigned = forwarders.contains { forwarder in
      guard case .hmac(_, let signature) = forwarder.secret else { return false }
      return !request.values(of: signature.header).isEmpty
    }
    return isSigned ? .signed : .nobody
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
