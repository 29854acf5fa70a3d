@testable import ConversionModel
import Foundation
import Glibc
import JSON
import TestSupport
import Testing

private let device = "/.well-known/skadnetwork/report-attribution/"

@Suite struct `A hostile client` {
  private static let limits = #""requests_per_minute":0,"idle_seconds":30,"request_seconds":2"#

  private func site(_ limits: String = Self.limits) async throws -> ServerSite {
    try await ServerSite(configuration: "{\"limits\":{\(limits)}}")
  }

  /// Tells if other clients are served normally.
  private func expectServed(_ site: ServerSite) throws {
    #expect(try site.request("POST", device, body: "{}").status == 200)
  }

  @Test func `is refused before it sends the gigabyte that it declared`() async throws {
    let site = try await site()
    for path in [device, "/v1/postbacks", "/nowhere"] {
      let client = try site.client()
      client.send("POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 1073741824\r\n\r\n{")
      let status = try client.answer().status
      #expect(status == (path == device ? 413 : path == "/nowhere" ? 404 : 413))
    }
    try expectServed(site)
  }

  @Test func `is disconnected while it sends a gigabyte in chunks, and memory does not grow`() async throws {
    let site = try await site()
    let client = try site.client()
    client.send("POST \(device) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x20, count: 1 << 16) + Array("\r\n".utf8)
    var sent = 0
    while sent < 1 << 30, client.send(chunk) { sent += 1 << 16 }
    #expect(sent < 64 << 20)
    #expect(try site.metric(#"postback_http_refused_total{reason="413 Content Too Large"}"#) == 1)
    let resident = try site.metric("process_resident_memory_bytes")
    #expect(try #require(resident) < 300e6)
    try expectServed(site)
    #expect(try site.names("new").count == 1)
  }

  @Test func `does not keep others waiting with idle connections, however many`() async throws {
    let site = try await site("\(Self.limits),\"connections\":64")
    let idle = try (0..<300).map { try site.client(host: UInt8($0 % 5 + 2)) }
    for client in idle.prefix(20) { client.send("POST ") }
    let start = ContinuousClock.now
    try expectServed(site)
    #expect(.now - start < .seconds(2))
    let open = try site.metric("postback_http_connections")
    #expect(try #require(open) <= 64 + 64)
    #expect(try site.metric(#"postback_http_refused_total{reason="idle"}"#) ?? 0 > 100)
    // A client in the middle of a request keeps its connection.
    let busy = try site.client()
    busy.send("POST \(device) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{")
    try await site.wait("its request has begun") { try site.metric("postback_http_requests_in_flight") == 2 }
    let more = try (0..<200).map { try site.client(host: UInt8($0 % 5 + 2)) }
    try expectServed(site)
    busy.send("}")
    #expect(try busy.answer().status == 200)
    _ = (idle, more)
  }

  @Test func `may send a small body in chunks`() async throws {
    let site = try await site()
    let client = try site.client()
    client.send(
      "POST \(device) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n"
    )
    #expect(try client.answer().status == 200)
    #expect(try site.envelopes()[0]["body"] == .object([.init(key: "a", value: .number("1"))]))
  }

  @Test(arguments: [
    "Content-Length: 2\r\nContent-Length: 3", "Content-Length: 2\r\nContent-Length: 2",
    "Content-Length: 2\r\nTransfer-Encoding: chunked", "Content-Length: x", "Content-Length: -2", "Content-Length: 2,2",
    "Content-Length: 99999999999999999999999",
  ]) func `that declares the length of its body twice is refused`(_ headers: String) async throws {
    let site = try await site()
    let client = try site.client()
    client.send("POST \(device) HTTP/1.1\r\nHost: x\r\n\(headers)\r\n\r\n{}")
    let status = try client.answer().status
    #expect([400, 413].contains(status))
    #expect(try site.names("new").isEmpty)
    try expectServed(site)
  }

  @Test(arguments: ["HTTP/1.0", "HTTP/1.1"])
  func `that does not declare the length of its body is refused`(_ version: String) async throws {
    let site = try await site()
    let client = try site.client()
    client.send("POST \(device) \(version)\r\nHost: x\r\n\r\n{}")
    let answer = try client.answer()
    #expect(answer.status == 411 && answer.text.contains("Content-Length"))
    #expect(try site.names("new").isEmpty)
    try expectServed(site)
  }

  @Test func `has its postback stored without a byte order mark`() async throws {
    let site = try await site()
    #expect(try site.request("POST", "http://a.example\(device)", body: "\u{FEFF}{\"a\":1}").status == 200)
    #expect(try site.envelopes()[0]["body"] == .object([.init(key: "a", value: .number("1"))]))
  }

  @Test func `has its postback stored if it pipelines invalid bytes after it`() async throws {
    let site = try await site()
    let client = try site.client()
    let good = "POST \(device) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
    client.send(good + good + "\u{0}\u{1}rubbish\r\n\r\n")
    #expect(try client.answer().status == 200)
    #expect(try client.answer().status == 200)
    // Then a refusal, or nothing more.
    #expect((try? client.answer().status).map { $0 >= 400 } ?? true)
    #expect(try site.envelopes().count == 2)
    try expectServed(site)
  }

  @Test(arguments: [
    "\(String(repeating: "x", count: 100_000))", "GET / HTTP/9.9\r\n\r\n", "GET\r\n\r\n",
    "\r\n\r\n\r\n\u{16}\u{3}\u{1}",
    "GET /healthz HTTP/1.1\r\n\r\n", "GET /\(String(repeating: "a", count: 50_000)) HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: 50_000))\r\n\r\n",
    "GET / HTTP/1.1\r\n" + (0..<20_000).map { "a\($0): b\r\n" }.joined() + "\r\n",
  ]) func `that does not speak HTTP, or sends too large a head, is refused`(_ text: String) async throws {
    let site = try await site()
    let client = try site.client()
    client.send(text)
    client.finishSending()
    #expect((try? client.answer().status).map { $0 >= 400 } ?? true)
    try expectServed(site)
  }

  @Test(arguments: [
    "GET /healthz HTTP/1.1\r\nHost: x\r\nX: ", "POST \(device) HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n", "",
  ])
  func `is disconnected with 408 if it sends too slowly`(_ start: String) async throws {
    let site = try await site()
    let client = try site.client()
    client.send(start)
    var turns = 0
    // One byte each 0.1 s keeps it from being idle.
    while client.send("x"), turns < 300 {
      turns += 1
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(turns < 300)
    if !start.isEmpty { #expect(try site.metric(#"postback_http_refused_total{reason="408 Request Timeout"}"#) == 1) }
    try expectServed(site)
    #expect(try site.names("new").count == 1)
  }

  @Test func `is disconnected if it sends nothing`() async throws {
    let site = try await site()
    let client = try site.client()
    #expect(client.isClosed())
    let other = try site.client()
    #expect(try other.request("GET", "/healthz").status == 200)
    #expect(other.isClosed())
  }

  @Test func `leaves no file behind if it sends less than it declared`() async throws {
    let site = try await site()
    let client = try site.client()
    client.send("POST \(device) HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{}")
    client.finishSending()
    #expect((try? client.answer().status).map { $0 >= 400 } ?? true)
    try expectServed(site)
    #expect(try site.names("new").count == 1)
    try await site.wait("the request is over") { try site.metric("postback_http_unanswered_total") ?? 0 > 0 }
  }

  @Test func `does not lock out others with too many connections`() async throws {
    let site = try await site(#""requests_per_minute":0,"connections":600,"connections_per_address":100"#)
    let clients = try (0..<500).map { _ in try site.client() }
    let health = Array("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
    let served = clients.count { client in client.send(health) && (try? client.answer().status) == 200 }
    // Two threads may take the last one at once.
    #expect((100...102).contains(served))
    // Who leaves makes room for the next.
    for client in clients { client.finishSending() }
    try await site.wait("there is room again") {
      (try? site.request("POST", device, body: "{}").status) == 200
    }
    let refused = try site.metric(#"postback_http_refused_total{reason="connections"}"#)
    #expect(try #require(refused) >= 398)
  }

  @Test func `is told when to retry if it sends requests too often`() async throws {
    let site = try await site(#""requests_per_minute":1,"request_burst":5"#)
    let statuses = try (0..<20).map { _ in try site.request("POST", device, body: "{}") }
    #expect(statuses.prefix(5).allSatisfy { $0.status == 200 })
    let refused = statuses.filter { $0.status == 429 }
    #expect(refused.count == 15 && refused.allSatisfy { $0.headers["retry-after"] == "10" })
    #expect(try site.request("GET", "/healthz").status == 200)
    #expect(try site.envelopes().count == statuses.count { $0.status == 200 })
  }

  @Test(arguments: [
    "/../../etc/passwd", "/.well-known/../healthz", "/%2e%2e/%2e%2e/etc/passwd",
    "/.well-known/skadnetwork/report-attribution/../../../x",
    "/.well-known/skadnetwork//report-attribution", "http://localhost/../healthz", "/healthz#x",
  ]) func `that walks through paths finds nothing`(_ path: String) async throws {
    let site = try await site()
    #expect(try site.request("GET", path).status == 404)
    #expect(try site.request("POST", path, body: "{}").status == 404)
    #expect(try site.names("new").isEmpty)
  }
}

@Suite struct `A server behind a proxy` {
  private static let configuration = """
    {"trusted_proxies":["127.0.0.1"],"limits":{"requests_per_minute":1,"request_burst":2,"connections_per_address":3}}
    """

  @Test func `takes the client's address from the proxy`() async throws {
    let site = try await ServerSite(configuration: Self.configuration)
    for _ in 0..<2 {
      let named = ["X-Forwarded-For: 198.51.100.1, 192.0.2.7"]
      #expect(try site.request("POST", device, named, body: "{}").status == 200)
    }
    // Each client has its own rate; what stands left of it is anybody's invention.
    #expect(try site.request("POST", device, ["X-Forwarded-For: 5.5.5.5, 192.0.2.7"], body: "{}").status == 429)
    #expect(try site.request("POST", device, ["X-Forwarded-For: 2001:db8::1"], body: "{}").status == 200)
    let addresses = try site.envelopes().map { $0["remote_address"] }
    #expect(addresses == ["192.0.2.7", "192.0.2.7", "2001:db8::1"].map { .string($0) })
  }

  @Test func `does not limit the connections of the proxy`() async throws {
    let site = try await ServerSite(configuration: Self.configuration)
    let clients = try (0..<30).map { _ in try site.client() }
    for client in clients { #expect(try client.request("GET", "/healthz").status == 200) }
  }

  @Test func `ignores client addresses that others than the proxy send`() async throws {
    let site = try await ServerSite()
    #expect(try site.request("POST", device, ["X-Forwarded-For: 192.0.2.7"], body: "{}").status == 200)
    #expect(try site.envelopes()[0]["remote_address"] == .string("127.0.0.1"))
  }
}
