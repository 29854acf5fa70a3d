internal import JSON
internal import Signatures

/// Who may forward postbacks, and how each shows who it is.
package struct Forwarder: Sendable {
  /// How a forwarder shows who it is.
  package enum Secret: Sendable {
    /// `Authorization: Bearer TOKEN`.
    case bearer(token: [UInt8])
    /// HMAC-SHA256 of the body in hexadecimal digits, in a header of that name.
    case hmac(secret: [UInt8], header: String)
  }

  /// The name that envelopes and tables have.
  package let name: String
  /// How it shows who it is.
  package let secret: Secret

  /// A forwarder.
  package init(name: String, secret: Secret) {
    self.name = name
    self.secret = secret
  }

  /// The header for a signature where none is named.
  package static let defaultHeader = "X-Signature-SHA256"
}

/// Tells which forwarder a request comes from.
package struct ForwarderAuthentication: Sendable {
  private let forwarders: [Forwarder]

  /// What the head of a request shows.
  enum Claim: Equatable, Sendable {
    /// The forwarder with that name.
    case known(String)
    /// A signature that only the body can confirm.
    case signed
    /// Nobody.
    case nobody

    /// The forwarder that is known by now.
    var name: String? {
      if case .known(let name) = self { name } else { nil }
    }
  }

  /// These may forward; nobody unless given.
  package init(_ forwarders: [Forwarder] = []) { self.forwarders = forwarders }

  /// What the head of a request shows.
  func claim(_ request: HTTPRequest) -> Claim {
    let authorization = request.values(of: "Authorization").first.map { Array($0.utf8) } ?? []
    let scheme = Array("bearer ".utf8)
    var found = Claim.nobody
    if authorization.count > scheme.count, zip(authorization, scheme).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) {
      let token = Array(authorization.dropFirst(scheme.count))
      // All are compared, so that the time does not tell which one comes close.
      for case (let name, .bearer(let expected)) in forwarders.map({ ($0.name, $0.secret) })
      where expected.isEqualInConstantTime(to: token) { found = .known(name) }
    }
    if found.name != nil { return found }
    let isSigned = forwarders.contains { forwarder in
      guard case .hmac(_, let header) = forwarder.secret else { return false }
      return !request.values(of: header).isEmpty
    }
    return isSigned ? .signed : .nobody
  }

  /// The forwarder that signed the body of a request; nil where none did.
  func signer(of request: HTTPRequest) throws(LibcryptoFailure) -> String? {
    var found: String?
    for forwarder in forwarders {
      guard case .hmac(let secret, let header) = forwarder.secret, let text = request.values(of: header).first else {
        continue
      }
      let digest = try HMAC.sha256(of: request.body.span, secret: secret.span)
      if let shown = Self.bytes(ofHexadecimal: text), digest.isEqualInConstantTime(to: shown) { found = forwarder.name }
    }
    return found
  }

  private static func bytes(ofHexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.compactMap(\.hexadecimalValue)
    guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
