internal import Glibc

/// A host and a port to listen on, such as `127.0.0.1:8080`, `[::1]:8080`, or `:8080` for every IPv4 address.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// A host name or an IP address; empty for every IPv4 address.
  package let host: String
  /// The port; 0 for any free port.
  package let port: UInt16

  /// Creates an address of a host and a port.
  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Parses a host, a colon and a port; nil if the text has another form.
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

  /// The address as the configuration writes it: an IPv6 host is in brackets.
  package var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

/// A listening TCP socket, which is closed with its last reference.
package final class ListeningSocket: Sendable {
  let descriptor: Int32
  /// The address in use; if the port was 0, with the one that the system chose.
  package let address: ListenAddress
  /// Indicates that the socket came from the service manager, which keeps it for the next process. Clients that wait to
  /// be accepted when this process ends are served by the next one.
  package let isShared: Bool
  /// The port in use.
  package var port: UInt16 { address.port }

  /// Indicates that only this machine reaches the socket.
  package var isLoopback: Bool { Self.boundAddress(of: descriptor).host.isLoopback }

  /// The error of an address on which no socket can listen.
  package struct Failure: Error, CustomStringConvertible {
    /// The reason, as a sentence with the address.
    package let description: String
  }

  /// Binds to an address and listens on it.
  package init(_ address: ListenAddress) throws(Failure) {
    func failure(_ reason: String) -> Failure {
      Failure(description: "The server cannot listen on \(address): \(reason).")
    }
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    // Without a host, every IPv4 address is used, because IPv6 is not available on every machine.
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
    guard unsafe bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0, listen(descriptor, 4096) == 0
    else {
      let code = errno
      close(descriptor)
      throw failure(unsafe String(cString: strerror(code)))
    }
    self.descriptor = descriptor
    self.address = ListenAddress(host: host, port: Self.boundAddress(of: descriptor).port)
    isShared = false
  }

  /// Takes over a socket that listens already, from the service manager, which passes `count` sockets.
  package init(passed descriptor: Int32, of count: Int) throws(Failure) {
    guard count == 1 else {
      throw Failure(
        description: "The service manager passes \(count) sockets. Give the socket unit one ListenStream=."
      )
    }
    guard Self.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue),
      Self.option(SO_ACCEPTCONN, of: descriptor) == 1,
      [AF_INET, AF_INET6].contains(Self.option(SO_DOMAIN, of: descriptor) ?? AF_UNSPEC)
    else {
      throw Failure(
        description: """
          The file descriptor \(descriptor) from the service manager is not a listening TCP socket. Give the socket unit \
          ListenStream= with an address and a port.
          """
      )
    }
    let flags = fcntl(descriptor, F_GETFL)
    guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    else {
      throw Failure(
        description: "The socket from the service manager cannot be used: \(unsafe String(cString: strerror(errno)))."
      )
    }
    self.descriptor = descriptor
    let (host, port) = Self.boundAddress(of: descriptor)
    address = ListenAddress(host: host.description, port: port)
    isShared = true
  }

  deinit { close(descriptor) }

  private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }

  private static func boundAddress(of descriptor: Int32) -> (host: IPAddress, port: UInt16) {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard unsafe getsockname(descriptor, address, &length) == 0 else { return (IPAddress(v4: 0), 0) }
        let found = unsafe SocketAddress(address)
        return (found.address, found.port)
      }
    }
  }
}
