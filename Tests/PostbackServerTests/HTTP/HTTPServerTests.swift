import Glibc
import Testing

@testable import PostbackServer

@Suite struct `A server` {
  @Test(arguments: [true, false]) func `leaves its socket open when it stops`(_ isQuiet: Bool) throws {
    let socket = try ListeningSocket(ListenAddress(host: "127.0.0.1", port: 0))
    let server = HTTPServer(socket, Router([]))
    try server.start()
    if isQuiet { server.quiesce() }
    server.stop()
    var kind: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    #expect(unsafe getsockopt(socket.descriptor, SOL_SOCKET, SO_TYPE, &kind, &length) == 0)
    #expect(kind == Int32(SOCK_STREAM.rawValue))
  }
}

@Suite struct `A listen address` {
  @Test(arguments: [
    ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:0", "::1", 0), (":80", "", 80),
    ("localhost:65535", "localhost", 65535),
  ]) func `is a host and a port`(_ text: String, _ host: String, _ port: UInt16) throws {
    let address = try #require(ListenAddress(text))
    #expect(address.host == host && address.port == port)
    #expect(address.description == text)
  }

  @Test(arguments: ["", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80", "a b:80"])
  func `is not parsed from any other text`(_ text: String) { #expect(ListenAddress(text) == nil) }
}

@Suite struct `An HTTP request` {
  private func request(_ target: String, _ headers: [HTTPRequest.Field] = []) -> HTTPRequest {
    HTTPRequest(method: "GET", target: target, headers: headers, client: IPAddress(v4: 1))
  }

  @Test(arguments: [
    ("/a", "/a", ""), ("/a?", "/a", ""), ("/a?b=%41?c", "/a", "b=%41?c"), ("", "", ""), ("?", "", ""),
    // The absolute form.
    ("http://a.example/b?c", "/b", "c"), ("HTTPS://a.example:443/b/", "/b/", ""), ("http://a.example?c", "/", "c"),
    ("http://a.example", "/", ""), ("ftp://a.example/b", "ftp://a.example/b", ""), ("/http://a/b", "/http://a/b", ""),
  ])
  func `has a path and a query as they were sent`(_ target: String, _ path: String, _ query: String) {
    #expect(request(target).path == path && request(target).query == query)
  }

  @Test func `finds its headers regardless of case`() {
    let fields = [HTTPRequest.Field("X-Forwarded-For", "a"), .init("x-forwarded-FOR", "b"), .init("X-Forwarded", "c")]
    #expect(request("/", fields).values(of: "X-FORWARDED-for") == ["a", "b"])
    #expect(request("/", [.init("[", "a")]).values(of: "{").isEmpty)
  }
}
