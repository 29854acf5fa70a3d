internal import Glibc

/// Where a server listens: a host and a port, such as `127.0.0.1:8080`, `[::1]:8080`, or `:8080` for every address.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name or an address; empty for every address.
  package let host: String
  /// The port; 0 for one that is free.
  package let port: UInt16

  init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Nil where the text is not a host, a colon, and a port.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard host.utf8.count <= 255, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    self.init(host: String(host), port: port)
  }

  /// As it is written.
  package var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

/// A socket that listens; closed with its last owner.
package final class ListeningSocket: Sendable {
  let descriptor: Int32
  /// The port that it got.
  package let port: UInt16

  /// Why nobody can listen there.
  package struct Failure: Error, CustomStringConvertible {
    /// What happened, and what to do.
    package let description: String
  }

  /// Listens at an address.
  package init(_ address: ListenAddress) throws(Failure) {
    func failure(_ reason: String) -> Failure { Failure(description: "cannot listen at \(address): \(reason)") }
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    // Every address, where none is named, is the IPv4 ones: whether IPv6 is there is another question on each machine.
    if address.host.isEmpty { unsafe hints.ai_family = AF_INET }
    var found: UnsafeMutablePointer<addrinfo>?
    let host = address.host.isEmpty ? "0.0.0.0" : address.host
    let code = unsafe getaddrinfo(host, "\(address.port)", &hints, &found)
    guard code == 0, let info = unsafe found else { throw failure(unsafe String(cString: gai_strerror(code))) }
    defer { unsafe freeaddrinfo(found) }
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = unsafe socket(info.pointee.ai_family, kind, 0)
    guard descriptor >= 0 else { throw failure(unsafe String(cString: strerror(errno))) }
    var yes: Int32 = 1
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard unsafe bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0, listen(descriptor, 1024) == 0
    else {
      let code = errno
      close(descriptor)
      throw failure(unsafe String(cString: strerror(code)))
    }
    self.descriptor = descriptor
    port = Self.port(of: descriptor)
  }

  deinit { close(descriptor) }

  private static func port(of descriptor: Int32) -> UInt16 {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard unsafe getsockname(descriptor, address, &length) == 0 else { return 0 }
        return unsafe SocketAddress(address).port
      }
    }
  }
}
