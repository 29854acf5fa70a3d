import Foundation
import Glibc
import HTTPClient
import Synchronization
import Testing

/// A server that gives each connection the same bytes, and closes it after a time, or when it has read another request.
private final class BytesServer {
  let port: Int
  let requests = RequestCount()
  private let descriptor: Int32

  final class RequestCount: Sendable {
    let number = Mutex(0)
  }

  init(_ bytes: String, closingAfter seconds: Double, readsAnother: Bool = false) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    try #require(isBound)
    (self.descriptor, port) = (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    Thread.detachNewThread { [requests] in
      while case let connection = accept(descriptor, nil, nil), connection >= 0 {
        var request = [UInt8](repeating: 0, count: 4096)
        func read() {
          if unsafe recv(connection, &request, request.count, 0) > 0 { requests.number.withLock { $0 += 1 } }
        }
        read()
        _ = unsafe Glibc.send(connection, bytes, bytes.utf8.count, Int32(MSG_NOSIGNAL))
        if readsAnother { read() }
        Thread.sleep(forTimeInterval: seconds)
        close(connection)
      }
      close(descriptor)
    }
  }

  /// Ends the thread, which closes the descriptor itself: it would accept for whoever had the same number next.
  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

@Suite struct `A response with a broken body` {
  private func response(to bytes: String, closingAfter seconds: Double, needsBody: Bool) throws -> IncomingResponse {
    let server = try BytesServer(bytes, closingAfter: seconds)
    return try response(of: server, to: CurlTransport(), needsBody: needsBody)
  }

  private func response(
    of server: BytesServer,
    to transport: CurlTransport,
    isPost: Bool = true,
    needsBody: Bool = false
  ) throws -> IncomingResponse {
    try transport.begin(
      OutgoingRequest(
        number: 1,
        url: "http://127.0.0.1:\(server.port)/",
        isPost: isPost,
        headers: [],
        body: [],
        timeout: 500,
        needsBody: needsBody,
        allows: { _ in true }
      )
    )
    while true {
      if let response = try transport.responses(within: 1000).first { return response }
    }
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok", 0, 200),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", 2, 200),
    ("HTTP/1.1 400 Bad Request\r\nContent-Length: 100\r\n\r\nok", 0, 400),
    ("HTTP/1.1 103 Early Hints\r\n\r\n", 2, 0),
    ("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n", 2, 0),
  ])
  func `counts by a complete head, unless the body is needed`(_ bytes: String, _ seconds: Double, _ status: Int) throws
  {
    #expect(try response(to: bytes, closingAfter: seconds, needsBody: false).status == status)
    #expect(try response(to: bytes, closingAfter: seconds, needsBody: true).status == 0)
  }

  @Test(arguments: [false, true])
  func `is not asked for again where a kept connection ends without it`(_ isPost: Bool) throws {
    let bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    let server = try BytesServer(bytes, closingAfter: 0, readsAnother: true)
    let transport = try CurlTransport()
    #expect(try response(of: server, to: transport, isPost: isPost).status == 200)
    let second = try response(of: server, to: transport, isPost: isPost)
    #expect(second.status == 0 && second.text == "the server closed the connection before it answered")
    #expect(server.requests.number.withLock { $0 } == 2)
  }

  @Test func `has what was read of the body`() throws {
    let bytes = "HTTP/1.1 400 Bad Request\r\nContent-Length: 100\r\n\r\nno such app"
    #expect(try response(to: bytes, closingAfter: 0, needsBody: false).text == "no such app")
  }
}
