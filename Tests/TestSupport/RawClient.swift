import Foundation
import Glibc

/// A connection to a server on this machine that can send any bytes.
public final class RawClient {
  /// The parts of an answer that tests examine.
  public struct Answer: Equatable {
    /// The status.
    public let status: Int
    /// The headers by their names in lower case.
    public let headers: [String: String]
    /// The body.
    public let body: [UInt8]

    /// The body as text.
    public var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// A failure of a server or of the connection to it.
  public struct Failure: Error {
    /// The description of the failure.
    public let text: String

    /// A failure.
    public init(text: String) { self.text = text }
  }

  /// The socket.
  public let descriptor: Int32
  private var unread: [UInt8] = []

  /// The limit of every wait, so that a failing test ends.
  private static let patience = 30

  /// Connects to a port of this machine from the address 127.0.0.`host`. The system keeps about `receiveBytes` bytes that
  /// are not read, if that is given.
  public init(port: Int, host: UInt8 = 1, receiveBytes: Int32? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(text: "no socket: \(errno)") }
    var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    if var receiveBytes {
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBytes, socklen_t(MemoryLayout<Int32>.size))
    }
    func call(_ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, port: Int, host: UInt8) -> Int32 {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = (UInt32(0x7F00_0000) | UInt32(host)).bigEndian
      return unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    if host != 1 { _ = unsafe call({ unsafe bind($0, $1, $2) }, port: 0, host: host) }
    let code = unsafe call({ unsafe connect($0, $1, $2) }, port: port, host: 1)
    guard code == 0 else {
      // `deinit` closes the socket: another file may have its number after that.
      throw Failure(text: "no connection: \(unsafe String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  /// Sends bytes; false if the other end no longer accepts them.
  @discardableResult
  public func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.send(
          descriptor,
          buffer.baseAddress.map { unsafe $0 + sent },
          bytes.count - sent,
          Int32(MSG_NOSIGNAL)
        )
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Sends a text; false if the other end no longer accepts it.
  @discardableResult
  public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Closes the sending direction.
  public func finishSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Sends a complete request and returns its answer.
  public func request(
    _ method: String,
    _ target: String,
    _ headers: [String] = [],
    body: [UInt8]? = nil
  ) throws -> Answer {
    let length = body.map { ["Content-Length: \($0.count)"] } ?? []
    let head = (["\(method) \(target) HTTP/1.1", "Host: localhost"] + headers + length).joined(separator: "\r\n")
    send(Array("\(head)\r\n\r\n".utf8) + (body ?? []))
    return try answer(hasBody: method != "HEAD")
  }

  /// Reads the next answer.
  public func answer(hasBody: Bool = true) throws -> Answer {
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let range = Data(unread).range(of: Data(end)) {
        let lines = String(decoding: unread[..<range.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        unread.removeFirst(range.upperBound)
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
          let parts = line.split(separator: ":", maxSplits: 1)
          headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        guard let status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") else {
          throw Failure(text: "no status: \(lines[0])")
        }
        let length = hasBody ? headers["content-length"].flatMap { Int($0) } ?? 0 : 0
        while unread.count < length { try readMore() }
        defer { unread.removeFirst(length) }
        return Answer(status: status, headers: headers, body: Array(unread[..<length]))
      }
      try readMore()
    }
  }

  /// True if the other end has closed the connection and there is nothing more to read.
  public func isClosed() -> Bool {
    do {
      try readMore()
      return false
    } catch {
      return true
    }
  }

  private func readMore() throws {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { throw Failure(text: count == 0 ? "closed" : "nothing comes: \(errno)") }
    unread += bytes[..<count]
  }
}
