import Foundation
import Glibc
import HTTPClient
import Testing

/// A server that gives each connection the same bytes, and closes it after a time.
private final class BytesServer {
  let port: Int
  private let descriptor: Int32

  init(_ bytes: String, closingAfter seconds: Double) throws {
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
    Thread.detachNewThread {
      while case let connection = accept(descriptor, nil, nil), connection >= 0 {
        var request = [UInt8](repeating: 0, count: 4096)
        _ = unsafe recv(connection, &request, request.count, 0)
        _ = unsafe Glibc.send(connection, bytes, bytes.utf8.count, Int32(MSG_NOSIGNAL))
        Thread.sleep(forTimeInterval: seconds)
        close(connection)
      }
    }
  }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }
}

@Suite struct `A response with a broken body` {
  private func response(to bytes: String, closingAfter seconds: Double, needsBody: Bool) throws -> IncomingResponse {
    let server = try BytesServer(bytes, closingAfter: seconds)
    let transport = try CurlTransport()
    try transport.begin(
      OutgoingRequest(
        number: 1,
        url: "http://127.0.0.1:\(server.port)/",
        isPost: true,
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

  @Test func `has what was read of the body`() throws {
    let bytes = "HTTP/1.1 400 Bad Request\r\nContent-Length: 100\r\n\r\nno such app"
    #expect(try response(to: bytes, closingAfter: 0, needsBody: false).text == "no such app")
  }
}
