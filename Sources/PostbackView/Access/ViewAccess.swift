internal import Base
internal import Glibc
internal import JSON
internal import PostbackServer
package import Signatures
internal import SKAdNetwork
internal import Synchronization

/// The doorkeeper of the live page: the hosts that it may be called by, the tokens, and the sessions of browsers.
///
/// A token is in the address that a person opens. It is exchanged for the cookie of a session at once, so that it stays in no
/// history of a proxy's log beyond this one request. Tokens and sessions are kept as SHA-256 digests alone.
package final class ViewAccess: Sendable {
  /// The decision on a request.
  enum Verdict {
    /// The request is of a session.
    case session(ViewSession)
    /// The request has a token: the answer is a page that sets the cookie and opens the address without the token.
    case entrance(cookie: String, place: String)
    /// The request is refused.
    case refused(HTTPResponse)
  }

  private struct Session {
    let role: ViewRole
    /// The digest of the token that it was begun with.
    let token: [UInt8]
    let ends: ContinuousClock.Instant
  }

  private struct State {
    var sessions: [[UInt8]: Session] = [:]
    var order: [[UInt8]] = []
    /// The digest of the token that is good for one session, until it is used.
    var once: ViewToken?
    var tokens: [ViewToken]
  }

  private let hosts: Mutex<Set<String>>
  private let isSecure: Bool
  private let state: Mutex<State>
  /// The limit on wrong tokens of an address. A session that has begun does not depend on it.
  private let attempts = ClientRateLimit(perMinute: 10, burst: 20)

  /// The name of the cookie.
  static let cookieName = "postback_view"
  /// The name of the parameter with a token.
  static let tokenParameter = "token"
  /// The time for which a session lasts.
  private static let lifetime = Duration.seconds(12 * 3600)
  /// The number of sessions that are kept; the oldest ends for a further one.
  private static let mostSessions = 1000
  /// The number of sessions of one token; its oldest ends for a further one, so that its user ends none of others.
  private static let mostOfToken = 50

  /// Creates a doorkeeper.
  ///
  /// - Parameters:
  ///   - hosts: The values of the header `Host` that are accepted, in lowercase letters; any if there are none.
  ///   - tokens: The tokens of users, each good for any number of sessions.
  ///   - isSecure: True if browsers reach the page by TLS alone.
  package init(hosts: Set<String>, tokens: [ViewToken], isSecure: Bool) {
    self.hosts = Mutex(hosts)
    self.isSecure = isSecure
    state = Mutex(State(tokens: tokens))
  }

  /// Replaces the tokens of users. Sessions of roles that no token has any more end.
  package func use(_ tokens: [ViewToken]) {
    state.withLock { state in
      guard tokens != state.tokens else { return }
      state.tokens = tokens
      (state.sessions, state.order) = ([:], [])
    }
  }

  /// Replaces the accepted hosts.
  package func accept(hosts: Set<String>) { self.hosts.withLock { $0 = hosts } }

  /// Makes a token that is good for one session, in place of the one before.
  package func makeTokenForOnce(_ role: ViewRole = .read) throws(LibcryptoFailure) -> String {
    let token = Self.randomText()
    let once = ViewToken(digest: try Self.digest(of: token), role: role)
    state.withLock { $0.once = once }
    return token
  }

  // MARK: - Requests

  /// Decides on a request.
  func verdict(on request: HTTPRequest) -> Verdict {
    let host = request.values(of: "Host")
    guard host.count == 1, let name = host.first, isAccepted(host: name) else {
      return .refused(.view(403, "The page is not called by this name. Open the address that was given to you."))
    }
    let pairs = QueryParameter.pairs(in: Array(request.query.utf8)[...])
    if let given = pairs.first(where: { $0.name == Self.tokenParameter })?.value {
      // A preview of a link asks with HEAD, and must not spend the token.
      guard request.method == "GET", !request.path.hasPrefix(ViewPath.data) else {
        return .refused(.wrongToken(request))
      }
      guard attempts.allows(request.client) else { return .refused(.tooManyTokens(request)) }
      guard let token = token(given), let cookie = begin(token, Self.cookieName(on: name)) else {
        return .refused(.wrongToken(request))
      }
      attempts.giveBack(request.client)
      return .entrance(cookie: cookie, place: Self.place(request))
    }
    for cookie in request.values(of: "Cookie").flatMap({ $0.split(separator: ";") }) {
      let parts = cookie.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
      guard parts.count == 2, parts[0] == Self.cookieName(on: name), let session = session(parts[1]) else {
        continue
      }
      return .session(session)
    }
    return .refused(.closed(request, "There is no session."))
  }

  /// The name of the cookie for a host: browsers send cookies to all ports of a name, so each port has a cookie of its own.
  private static func cookieName(on host: String) -> String {
    let port = host.split(separator: ":").last.flatMap { host.contains(":") ? UInt16($0) : nil }
    return cookieName + (port.map { "_\($0)" } ?? "")
  }

  private func isAccepted(host: String) -> Bool {
    let name = host.lowercased()
    return hosts.withLock { $0.isEmpty || $0.contains(name) }
  }

  /// Returns a token that is known, and spends the one that is good for one session.
  private func token(_ text: String) -> ViewToken? {
    guard (16...256).contains(text.utf8.count), let digest = try? Self.digest(of: text) else { return nil }
    return state.withLock { state in
      var found: ViewToken?
      // Every token is compared, so that the time does not reveal a near match.
      for known in state.tokens where known.digest.isEqualInConstantTime(to: digest) { found = known }
      if let once = state.once, once.digest.isEqualInConstantTime(to: digest) {
        state.once = nil
        found = once
      }
      return found
    }
  }

  /// Returns a session that has not ended.
  private func session(_ text: String) -> ViewSession? {
    guard text.utf8.count == 64, let digest = try? Self.digest(of: text) else { return nil }
    return state.withLock { state in
      guard let session = state.sessions[digest] else { return nil }
      if session.ends > .now { return ViewSession(role: session.role, id: digest, user: session.token) }
      state.sessions[digest] = nil
      state.order.removeAll { $0 == digest }
      return nil
    }
  }

  /// Begins a session. Returns the cookie; nil if libcrypto fails.
  private func begin(_ token: ViewToken, _ cookie: String) -> String? {
    let text = Self.randomText()
    guard let digest = try? Self.digest(of: text) else { return nil }
    state.withLock { state in
      let own = state.order.filter { state.sessions[$0]?.token == token.digest }
      let last = own.count >= Self.mostOfToken ? own[0] : state.order.count >= Self.mostSessions ? state.order[0] : nil
      if let last {
        state.sessions[last] = nil
        state.order.removeAll { $0 == last }
      }
      state.sessions[digest] = Session(role: token.role, token: token.digest, ends: .now + Self.lifetime)
      state.order.append(digest)
    }
    return "\(cookie)=\(text); Path=/; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
  }

  /// The address of a request without the token, as a path of this server.
  private static func place(_ request: HTTPRequest) -> String {
    let kept = request.query.split(separator: "&").filter { pair in
      QueryParameter.pairs(in: Array(pair.utf8)[...]).first?.name != tokenParameter
    }
    let path = ViewPath.pages.contains(request.path) ? request.path : "/"
    return kept.isEmpty ? path : "\(path)?\(kept.joined(separator: "&"))"
  }

  // MARK: - Secrets

  /// Returns a random text of 64 hexadecimal digits.
  private static func randomText() -> String {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return String(hexadecimal: bytes.span)
  }

  /// Returns the SHA-256 of a text.
  package static func digest(of text: String) throws(LibcryptoFailure) -> [UInt8] {
    var hash = try SHA256()
    let bytes = try hash.digest(of: Array(text.utf8).span).bytes
    return bytes.indices.map { bytes[$0] }
  }
}

extension HTTPResponse {
  /// The refusal of a token.
  fileprivate static func wrongToken(_ request: HTTPRequest) -> HTTPResponse {
    closed(request, "The token is not valid, or it was used before.")
  }

  /// The refusal to look at one more token.
  fileprivate static func tooManyTokens(_ request: HTTPRequest) -> HTTPResponse {
    let reason = "Too many tokens from the address \(request.client) were wrong."
    return closed(request, reason, 429, "Try again in a minute.").retry(afterSeconds: 60)
  }

  /// The refusal of a request without a session: a page for people, or JSON for the page's script.
  fileprivate static func closed(
    _ request: HTTPRequest,
    _ reason: String,
    _ status: Int = 401,
    _ advice: String = "Open the address that postback view printed, or the one with your token."
  ) -> HTTPResponse {
    if request.path.hasPrefix(ViewPath.data) { return .view(status, "\(reason) \(advice)") }
    let text = """
      <!doctype html><html lang="en"><head><meta charset="utf-8"><title>No session</title></head>
      <body><main><h1>No session</h1><p>\(reason) \(advice)</p></main></body></html>

      """
    return HTTPResponse(status, headers: [.init("Content-Type", "text/html; charset=utf-8")], body: Array(text.utf8))
  }

  /// An answer in JSON with the reason for a refusal.
  static func view(_ status: Int, _ reason: String) -> HTTPResponse {
    HTTPResponse(status, json: .object([.init("error", .string(reason))]))
  }
}
