internal import Glibc

/// The address of a Unix socket: a path, or `@` and the name of an abstract socket (unix(7)).
struct UnixAddress {
  private var address = sockaddr_un()
  private let length: socklen_t

  /// Creates an address; nil if the name is of neither form, or too long.
  init?(_ name: String) {
    var bytes = Array(name.utf8)
    let isAbstract = bytes.first == UInt8(ascii: "@")
    guard isAbstract || bytes.first == UInt8(ascii: "/"), bytes.count > 1 else { return nil }
    if isAbstract { bytes[0] = 0 } else { bytes.append(0) }
    guard bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    length = socklen_t((MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0) + bytes.count)
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
  }

  /// Sends one datagram to the address; returns true if it was sent whole.
  @discardableResult
  func send(_ bytes: [UInt8], over descriptor: Int32) -> Bool {
    unsafe withSocketAddress { address, length in
      unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length) == bytes.count
    }
  }

  /// Binds a socket to the address; returns false if that fails.
  func bind(_ descriptor: Int32) -> Bool {
    unsafe withSocketAddress { address, length in unsafe Glibc.bind(descriptor, address, length) == 0 }
  }

  private func withSocketAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
    unsafe withUnsafePointer(to: address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
    }
  }
}
