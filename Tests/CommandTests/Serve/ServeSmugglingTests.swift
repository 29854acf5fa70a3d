@testable import ConversionModel
import TestSupport
import Testing

private let device = "/.well-known/skadnetwork/report-attribution/"

@Suite struct `An ambiguous request head` {
  /// The request that an attacker tries to smuggle in: a postback that seems to come from somebody else.
  private static let smuggled =
    "POST \(device) HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.6\r\nContent-Length: 12\r\n\r\n{\"evil\":true}"

  /// Sends a head with a body that is itself a request. Expects the connection to end with nothing stored; returns the answer.
  private func status(of head: String, body: String = smuggled) async throws -> Int {
    let site = try await ServerSite(configuration: #"{"trusted_proxies":["127.0.0.1"]}"#)
    let client = try site.client()
    client.send(head.replacing("LENGTH", with: "\(body.utf8.count)") + body)
    let status = try client.answer().status
    #expect(client.isClosed())
    #expect(try site.names("new").isEmpty)
    #expect(try site.request("POST", device, body: "{}").status == 200)
    return status
  }

  @Test(arguments: [
    "Content-Length : LENGTH", "Content-Length\t: LENGTH", "Content-Length \t : LENGTH", "Transfer-Encoding : chunked",
    "Transfer-Encoding\t: chunked", " Content-Length: LENGTH", "\tContent-Length: LENGTH", "Content Length: LENGTH",
    ": LENGTH", "Content-Length", "Content\u{1}Length: LENGTH", "Content-Längth: LENGTH", "(x): 1", "a@b: 1",
  ]) func `by an invalid header name is refused, and its body is never executed`(_ header: String) async throws {
    #expect(try await status(of: "POST \(device) HTTP/1.1\r\nHost: x\r\n\(header)\r\n\r\n") == 400)
    #expect(try await status(of: "POST \(device) HTTP/1.1\r\n\(header)\r\nHost: x\r\n\r\n") == 400)
  }

  @Test(arguments: [
    "Content-Length:\r\n LENGTH", "Content-Length:\r\n\tLENGTH", "Content-Length: \r\n LENGTH", "X: a\r\n b",
    "Transfer-Encoding:\r\n chunked", "Transfer-Encoding: chun\r\n ked", "Transfer-Encoding: \r\n\tchunked",
    "X: a\r\n Content-Length: LENGTH", "X: a\r\n b\r\n c", "X: a\r\n ", "X:\r\n b",
  ]) func `by a folded line is refused, and its body is never executed`(_ header: String) async throws {
    #expect(try await status(of: "POST \(device) HTTP/1.1\r\nHost: x\r\n\(header)\r\n\r\n") == 400)
    #expect(try await status(of: "POST \(device) HTTP/1.1\r\n\(header)\r\nHost: x\r\n\r\n") == 400)
  }

  @Test(arguments: [
    "X: a\u{0}b", "X: a\u{0}", "X: \u{0}", "X: a\u{0}\u{0}", "X\u{0}: a", "X: a\u{1}b", "X: a\u{7F}b", "X: a\u{1B}[0m",
    "X: a\rContent-Length: LENGTH", "X: a\r", "X: a\nContent-Length: LENGTH", "X: a\n\r\nContent-Length: LENGTH",
    "X: a\n\n", "\rContent-Length: LENGTH", "X: a\r\r\nContent-Length: LENGTH", "Content-Length: 0\u{0}7",
  ]) func `by a control character is refused, and its body is never executed`(_ header: String) async throws {
    #expect(try await status(of: "POST \(device) HTTP/1.1\r\nHost: x\r\n\(header)\r\n\r\n") == 400)
    #expect(try await status(of: "POST \(device) HTTP/1.1\r\n\(header)\r\nHost: x\r\n\r\n") == 400)
  }

  @Test(arguments: [
    "POST \(device)\u{0}x HTTP/1.1\r\nHost: x\r\n\r\n", "POST\u{0}x \(device) HTTP/1.1\r\nHost: x\r\n\r\n",
    "POST \(device)\u{1} HTTP/1.1\r\nHost: x\r\n\r\n", "POST \(device) HTTP/1.1\nHost: x\r\n\r\n",
    "POST \(device) HTTP/1.1\rHost: x\r\n\r\n", "POST \(device) HTTP/1.1\r\nHost: x\n\n",
    "POST \(device) HTTP/1.1\r\n\r\n", "POST \(device) HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n",
    "POST \(device) HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n", "POST \(device) HTTP/1.1\r\nHost: a b\r\n\r\n",
    "POST \(device) HTTP/1.1\r\nHost: a/b\r\n\r\n", "POST \(device) HTTP/1.1\r\nHost: a,b@c\r\n\r\n",
    "POST \(device) HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
  ]) func `by its first line or its host is refused, and its body is never executed`(_ head: String) async throws {
    #expect(try await status(of: head) == 400)
  }

  @Test(arguments: [
    "Content-Length: LENGTH\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: LENGTH",
    "Content-Length: 0\r\nContent-Length: LENGTH", "Content-Length: LENGTH\r\nContent-Length: LENGTH",
    "Content-Length: +5", "Content-Length: -5", "Content-Length: 5,5", "Content-Length: 0x5", "Content-Length: 5 5",
    "Content-Length: 5;", "Content-Length:", "Content-Length: \"5\"", "Content-Length: 5.0",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
  ]) func `by the length of its body is refused, and its body is never executed`(_ header: String) async throws {
    #expect(try await status(of: "POST \(device) HTTP/1.1\r\nHost: x\r\n\(header)\r\n\r\n") == 400)
  }

  @Test(arguments: [
    "xchunked", "chunked, gzip", "gzip, chunked", "identity", "chunked;q=1", "\u{B}chunked", "chunked ",
  ])
  func `with an unknown transfer coding is refused, and its body is never taken for a request`(_ coding: String)
    async throws
  {
    let status = try await status(of: "POST \(device) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \(coding)\r\n\r\n")
    #expect(status == 501 || status == 400)
  }

  @Test(arguments: [
    "+2\r\n{}\r\n0\r\n\r\n", " 2\r\n{}\r\n0\r\n\r\n", "0x2\r\n{}\r\n0\r\n\r\n", "g\r\n{}\r\n0\r\n\r\n",
    "-2\r\n{}\r\n0\r\n\r\n",
    "2\r\n{}x0\r\n\r\n", "\r\n2\r\n{}\r\n0\r\n\r\n", "11111111111111111\r\n{}\r\n0\r\n\r\n", "2 2\r\n{}\r\n0\r\n\r\n",
  ]) func `by invalid chunks is refused, and the bytes after it are never executed`(_ chunks: String) async throws {
    let head = "POST \(device) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    let status = try await status(of: head, body: chunks + Self.smuggled)
    #expect(status == (chunks.hasPrefix("11111") ? 413 : 400))
  }

  @Test(arguments: [
    "2\r\n{}\r\n0\r\n\r\n", "02;a=b\r\n{}\r\n0\r\n\r\n", "2\n{}\n0\n\n", "2;a\n{}\r\n0\r\n\r\n",
    "2\r\n{}\r\n0\r\nX: a\r\n b\r\n\r\n",
  ]) func `after a body in chunks is never executed`(_ chunks: String) async throws {
    let site = try await ServerSite()
    let client = try site.client()
    let head = "POST \(device) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    client.send(head + chunks + Self.smuggled)
    let answer = try client.answer()
    #expect([200, 400].contains(answer.status) && answer.headers["connection"]?.lowercased() == "close")
    #expect(client.isClosed())
    #expect(try site.names("new").count == (answer.status == 200 ? 1 : 0))
  }
}

@Suite struct `An unambiguous request head` {
  @Test(arguments: [
    "", "X:\r\n", "X: \r\n", "X:a\r\n", "X: \t a\t \r\n", "X: a:b\r\n", "!#$%&'*+-.^_`|~09aZ: 1\r\n", "X: ä\r\n",
    "Cookie: a=b; c=d\r\nCookie: e\r\n", "Expect: x\r\n", "X: a\r\nX: a\r\n", "Connection: keep-alive\r\n",
    (0..<60).map { "X-\($0): \(String(repeating: "v", count: 100))\r\n" }.joined(),
    "X: \(String(repeating: "v", count: 7000))\r\n",
  ]) func `is accepted in any pieces, any number of times`(_ headers: String) async throws {
    let site = try await ServerSite()
    let request =
      "POST \(device)?a=b&c HTTP/1.1\r\n\(headers)Host: [::1]:80\r\nContent-Length: 2\r\n\r\n{}"
    let client = try site.client()
    client.send(request + request)
    #expect(try client.answer().status == 200 && client.answer().status == 200)
    let bytes = Array(("\r\n" + request).utf8)
    let step = max(bytes.count / 60, 1)
    for start in stride(from: 0, to: bytes.count, by: step) {
      client.send(Array(bytes[start..<min(start + step, bytes.count)]))
      if step == 1 || start / step % 4 == 0 { try await Task.sleep(for: .milliseconds(2)) }
    }
    #expect(try client.answer().status == 200)
    #expect(try site.envelopes().count == 3)
  }

  @Test func `may lack the host in HTTP/1.0`() async throws {
    let site = try await ServerSite()
    let client = try site.client()
    client.send("POST \(device) HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}")
    #expect(try client.answer().status == 200)
    #expect(client.isClosed())
  }
}
