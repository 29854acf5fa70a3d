import PostbackServer
import Testing

@testable import PostbackView

@Suite struct `The doorkeeper of the live page` {
  private let access = ViewAccess(hosts: ["127.0.0.1:80"], tokens: [], isSecure: false)

  private func request(
    _ target: String,
    host: String? = "127.0.0.1:80",
    cookie: String? = nil,
    method: String = "GET",
    from address: String = "127.0.0.1"
  ) -> HTTPRequest {
    var headers = host.map { [HTTPRequest.Field("Host", $0)] } ?? []
    if let cookie { headers.append(.init("Cookie", cookie)) }
    guard let client = IPAddress(address) else { preconditionFailure("the address is one") }
    return HTTPRequest(method: method, target: target, headers: headers, client: client)
  }

  /// Opens an address with a token, and returns the cookie as a browser sends it.
  private func cookie(_ token: String, _ access: ViewAccess) throws -> String {
    guard case .entrance(let cookie, _) = access.verdict(on: request("/?token=\(token)")) else {
      throw Refused()
    }
    return String(cookie.prefix { $0 != ";" })
  }

  private struct Refused: Error {}

  private func role(_ verdict: ViewAccess.Verdict) -> ViewRole? {
    if case .session(let session) = verdict { session.role } else { nil }
  }

  private func status(_ verdict: ViewAccess.Verdict) -> Int? {
    if case .refused(let response) = verdict { response.status } else { nil }
  }

  @Test func `ends no session of others for many of one token`() throws {
    let tokens = try ["anna", "agency"].map { name in
      ViewToken(
        digest: try ViewAccess.digest(of: "\(name)-token-of-16-bytes"),
        role: name == "anna" ? .read : .readWithoutRevenue
      )
    }
    let access = ViewAccess(hosts: [], tokens: tokens, isSecure: false)
    let anna = try cookie("anna-token-of-16-bytes", access)
    let first = try cookie("agency-token-of-16-bytes", access)
    for _ in 0..<1100 { _ = try cookie("agency-token-of-16-bytes", access) }
    #expect(role(access.verdict(on: request("/", cookie: anna))) == .read)
    #expect(status(access.verdict(on: request("/", cookie: first))) == 401)
  }

  @Test func `has a cookie for each port, and takes a token out of the address however it is written`() throws {
    let token = "anna-token-of-16-bytes"
    let tokens = [ViewToken(digest: try ViewAccess.digest(of: token), role: .read)]
    let access = ViewAccess(hosts: [], tokens: tokens, isSecure: false)
    #expect(try cookie(token, access).hasPrefix("postback_view_80="))
    let verdict = access.verdict(on: request("/rejects?%74oken=\(token)&code=a", host: "postbacks.example.com"))
    guard case .entrance(let cookie, let place) = verdict else { throw Refused() }
    #expect(cookie.hasPrefix("postback_view=") && place == "/rejects?code=a")
  }

  @Test func `looks at few wrong tokens of an address, and lets sessions and other addresses go on`() throws {
    let token = "anna-token-of-16-bytes"
    let tokens = [ViewToken(digest: try ViewAccess.digest(of: token), role: .read)]
    let access = ViewAccess(hosts: [], tokens: tokens, isSecure: false)
    // Correct tokens do not count.
    let cookies = try (0..<40).map { _ in try cookie(token, access) }
    let wrong = (0..<25).map { status(access.verdict(on: request("/?token=a-wrong-token-of-bytes-\($0)"))) }
    #expect(wrong == Array(repeating: 401, count: 20) + Array(repeating: 429, count: 5))
    #expect(status(access.verdict(on: request("/?token=\(token)"))) == 429)
    #expect(role(access.verdict(on: request("/", cookie: cookies[39]))) == .read)
    guard case .entrance = access.verdict(on: request("/?token=\(token)", from: "192.0.2.1")) else { throw Refused() }
  }

  @Test func `lets nobody in without a session`() {
    #expect(status(access.verdict(on: request("/"))) == 401)
    #expect(status(access.verdict(on: request("/api/overview"))) == 401)
    #expect(
      status(access.verdict(on: request("/", cookie: "postback_view=\(String(repeating: "0", count: 64))"))) == 401
    )
    #expect(status(access.verdict(on: request("/?token="))) == 401)
  }

  @Test func `takes a token for once only once`() throws {
    let token = try access.makeTokenForOnce()
    let cookie = try cookie(token, access)
    #expect(role(access.verdict(on: request("/api/overview", cookie: cookie))) == .read)
    #expect(role(access.verdict(on: request("/", cookie: "other=1; \(cookie)"))) == .read)
    #expect(status(access.verdict(on: request("/?token=\(token)"))) == 401)
  }

  @Test func `does not spend a token on a preview of the link, nor at the address of data`() throws {
    let token = try access.makeTokenForOnce()
    #expect(status(access.verdict(on: request("/?token=\(token)", method: "HEAD"))) == 401)
    #expect(status(access.verdict(on: request("/api/overview?token=\(token)"))) == 401)
    _ = try cookie(token, access)
  }

  @Test(arguments: ["evil.example", "127.0.0.1:81", "127.0.0.1", "", "127.0.0.1:80.evil.example"])
  func `refuses a page that is called by another name, as DNS rebinding does`(_ host: String) throws {
    let token = try access.makeTokenForOnce()
    let cookie = try cookie(token, access)
    #expect(status(access.verdict(on: request("/", host: host, cookie: cookie))) == 403)
    #expect(status(access.verdict(on: request("/", host: nil, cookie: cookie))) == 403)
  }

  @Test func `sets a cookie that scripts and other sites do not see`() throws {
    let token = try access.makeTokenForOnce()
    guard case .entrance(let cookie, let place) = access.verdict(on: request("/rejects?token=\(token)&code=a%3C"))
    else {
      throw Refused()
    }
    #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
    #expect(place == "/rejects?code=a%3C")
  }

  @Test func `leads to no other site, whatever the address is`() throws {
    for path in ["//evil.example/", "/\\evil.example", "/%2f/evil.example"] {
      let token = try access.makeTokenForOnce()
      guard case .entrance(_, let place) = access.verdict(on: request("\(path)?token=\(token)&a=\"><script>")) else {
        throw Refused()
      }
      #expect(place.hasPrefix("/?"), "\(place)")
      let body = String(decoding: HTTPResponse.entrance(cookie: "", to: place).body, as: UTF8.self)
      #expect(!body.contains("<script>"))
    }
  }

  @Test func `gives each user the right of the token`() throws {
    let tokens = try [("first token of 16", ViewRole.read), ("second token of 16", .readWithoutRevenue)].map {
      ViewToken(digest: try ViewAccess.digest(of: $0), role: $1)
    }
    let access = ViewAccess(hosts: [], tokens: tokens, isSecure: true)
    for (token, expected) in [("first%20token%20of%2016", ViewRole.read), ("second+token+of+16", .readWithoutRevenue)] {
      // A user's token is good for many browsers.
      for _ in 0..<2 {
        let cookie = try cookie(token, access)
        #expect(role(access.verdict(on: request("/", cookie: cookie))) == expected)
      }
    }
    let cookie = try cookie("first+token+of+16", access)
    access.use([tokens[1]])
    #expect(status(access.verdict(on: request("/", cookie: cookie))) == 401)
  }

  @Test func `ends the oldest session where there are too many`() throws {
    let access = ViewAccess(hosts: [], tokens: [], isSecure: true)
    let cookies = try (0...1000).map { _ in try cookie(try access.makeTokenForOnce(), access) }
    #expect(status(access.verdict(on: request("/", cookie: cookies[0]))) == 401)
    #expect(role(access.verdict(on: request("/", cookie: cookies[1]))) == .read)
  }
}
