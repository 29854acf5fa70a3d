internal import Base
internal import JSON
internal import Signatures

/// The settings of the live page for its users.
package struct ViewConfiguration: Sendable, Equatable {
  /// The address that the page's server listens on.
  package var listen: ListenAddress
  /// The names by which browsers call the page, as in the header `Host`, in lowercase letters.
  package var hosts: [String]
  /// Indicates that browsers reach the page by TLS, which a proxy ends.
  package var usesTLS: Bool
  /// The users. Those whose token is in a file are absent where secrets are not read.
  package var users: [ViewUser]

  /// The keys of the object, in the order of the schema.
  static let keys = ["listen", "hosts", "tls", "users"]
  static let userKeys = ["name", "role", "token_file", "token_sha256"]
  /// The words for `role`.
  package static let roles = ["read", "read_without_revenue"]
}

/// A user of the live page.
package struct ViewUser: Sendable, Equatable {
  /// The name, for people.
  package let name: String
  /// Indicates that amounts of money are shown.
  package let seesRevenue: Bool
  /// The SHA-256 of the token.
  package let tokenDigest: [UInt8]
}

extension ConfigurationReader {
  /// Reads the object `view`; nil if there is none.
  mutating func view(_ node: JSONNode) -> ViewConfiguration? {
    guard node.value != nil else { return nil }
    guard problems.isObject(node, keys: ViewConfiguration.keys, called: "The object \"view\"") else { return nil }
    let listen = problems.text(node["listen"], "a host and a port such as \"127.0.0.1:8090\"", isRequired: true) {
      ListenAddress($0)
    }
    let hosts = problems.list(node["hosts"]).compactMap { host in
      problems.text(host, "a name such as \"reports.example.com\", with the port if it is not that of https") { text in
        let isName = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#@\"'<>".utf8.contains($0) }
        return isName ? text.lowercased() : nil
      }
    }
    if node["hosts"].value != nil, node["hosts"].elements?.isEmpty == true {
      problems.note(node["hosts"], "The array must have at least one element.")
    }
    let usesTLS = problems.boolean(node["tls"]) ?? true
    var users: [ViewUser] = []
    var names: Set<String> = []
    for element in problems.list(node["users"]) {
      guard problems.isObject(element, keys: ViewConfiguration.userKeys, called: "A user") else { continue }
      let name = problems.text(element["name"], "a name of 1 to 64 bytes", isRequired: true) {
        (1...64).contains($0.utf8.count) ? $0 : nil
      }
      if let name, !names.insert(name).inserted { problems.note(element["name"], "Another user has this name.") }
      let role = problems.word(element["role"], of: ViewConfiguration.roles)
      guard (element["token_file"].value == nil) != (element["token_sha256"].value == nil) else {
        problems.note(element, "A user must have either token_file or token_sha256.")
        continue
      }
      let digest = tokenDigest(element)
      guard let name, let digest else { continue }
      if users.contains(where: { $0.tokenDigest == digest }) {
        problems.note(element, "Another user has the same token.")
      }
      users.append(ViewUser(name: name, seesRevenue: role != ViewConfiguration.roles[1], tokenDigest: digest))
    }
    guard let listen else { return nil }
    return ViewConfiguration(listen: listen, hosts: hosts, usesTLS: usesTLS, users: users)
  }

  /// Returns the digest of a user's token; nil if it is not read, or there is a problem.
  private mutating func tokenDigest(_ user: JSONNode) -> [UInt8]? {
    guard user["token_file"].value != nil else {
      return problems.text(user["token_sha256"], "64 hexadecimal digits") { text in
        text.utf8.count == 64 ? [UInt8](hexadecimal: text.utf8) : nil
      }
    }
    guard readsViewTokens, let token = secret(in: user["token_file"], isToken: true) else { return nil }
    guard var hash = try? SHA256(), let digest = try? hash.digest(of: token.span).bytes else { return nil }
    return digest.indices.map { digest[$0] }
  }
}
