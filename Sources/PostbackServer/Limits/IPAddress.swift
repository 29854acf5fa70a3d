internal import Glibc

/// An IP address. An IPv4 address is kept in its IPv6-mapped form (`::ffff:192.0.2.1`).
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  private let high: UInt64
  private let low: UInt64

  private static let mappedPrefix: UInt64 = 0xFFFF_0000_0000

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates an IPv4 address from its 32 bits, with the first number in the highest byte.
  init(v4 address: UInt32) { self.init(high: 0, low: Self.mappedPrefix | UInt64(address)) }

  /// Parses an IPv4 or IPv6 address; nil if the text is not one.
  package init?(_ text: String) {
    var v4 = in_addr()
    if unsafe inet_pton(AF_INET, text, &v4) == 1 {
      self.init(v4: UInt32(bigEndian: v4.s_addr))
      return
    }
    var v6 = in6_addr()
    guard unsafe inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
    self = Self(v6)
  }

  init(_ address: in6_addr) {
    self = unsafe withUnsafeBytes(of: address) { bytes in
      func word(_ start: Int) -> UInt64 {
        unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
      }
      return IPAddress(high: word(0), low: word(8))
    }
  }

  /// Indicates that the address is an IPv4 address.
  var isV4: Bool { high == 0 && low >> 32 == Self.mappedPrefix >> 32 }

  /// Indicates that the address is one of this machine alone: of 127.0.0.0/8, or ::1.
  var isLoopback: Bool { isV4 ? low >> 24 & 255 == 127 : high == 0 && low == 1 }

  /// The address under which limits count one customer of an Internet provider: the IPv4 address itself, or the first
  /// 64 bits of an IPv6 address, because a customer usually gets at least a /64.
  var rateLimitPrefix: IPAddress { isV4 ? self : IPAddress(high: high, low: 0) }

  /// Returns the address with all bits after the first `length` of 128 set to zero.
  func prefix(_ length: Int) -> IPAddress {
    func mask(_ bits: Int) -> UInt64 { bits <= 0 ? 0 : UInt64.max << UInt64(64 - min(bits, 64)) }
    return IPAddress(high: high & mask(length), low: low & mask(length - 64))
  }

  /// The usual text form; an IPv4 address in dotted decimals.
  package var description: String {
    if isV4 {
      return "\(low >> 24 & 255).\(low >> 16 & 255).\(low >> 8 & 255).\(low & 255)"
    }
    var address = in6_addr()
    unsafe withUnsafeMutableBytes(of: &address) { bytes in
      unsafe bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
      unsafe bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard unsafe inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil else { return "::" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// A range of addresses with a common prefix, such as `10.0.0.0/8`, or a single address, such as `::1`.
package struct AddressRange: Hashable, Sendable {
  private let start: IPAddress
  private let length: Int

  /// Parses a range (RFC 4632); nil if the text is not one, or has bits set after the prefix.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let start = IPAddress(String(parts[0])) else { return nil }
    let (whole, unused) = start.isV4 && !parts[0].contains(":") ? (32, 96) : (128, 0)
    guard let length = parts.count > 1 ? Int(parts[1]) : whole, (0...whole).contains(length) else { return nil }
    self.start = start
    self.length = length + unused
    guard start.prefix(self.length) == start else { return nil }
  }

  /// Indicates that an address is in the range.
  package func contains(_ address: IPAddress) -> Bool { address.prefix(length) == start }
}

/// The IP address and the port of a socket.
struct SocketAddress {
  let address: IPAddress
  let port: UInt16

  /// Reads a `sockaddr` of IPv4 or IPv6; any other family gives the address `::` and port 0.
  init(_ address: UnsafeRawPointer) {
    switch unsafe Int32(address.loadUnaligned(as: sockaddr.self).sa_family) {
    case AF_INET:
      let v4 = unsafe address.loadUnaligned(as: sockaddr_in.self)
      self.address = IPAddress(v4: UInt32(bigEndian: v4.sin_addr.s_addr))
      port = UInt16(bigEndian: v4.sin_port)
    case AF_INET6:
      let v6 = unsafe address.loadUnaligned(as: sockaddr_in6.self)
      self.address = IPAddress(v6.sin6_addr)
      port = UInt16(bigEndian: v6.sin6_port)
    default:
      self.address = IPAddress(high: 0, low: 0)
      port = 0
    }
  }
}

/// The proxies whose `X-Forwarded-For` header is trusted.
package struct TrustedProxies: Sendable {
  private let ranges: [AddressRange]

  /// Creates a set of proxies with addresses in these ranges; no proxy is trusted by default.
  package init(_ ranges: [AddressRange] = []) { self.ranges = ranges }

  /// Indicates that an address belongs to a trusted proxy.
  func contains(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }

  /// Returns the address of the client that sent a request through the connection of `peer`. `X-Forwarded-For` is read
  /// from the right: the client is the first address that is not a trusted proxy, or else the left-most one. Entries to
  /// the left of it, or of an entry that is not an address, are ignored, because anybody can have written them.
  package func client(of peer: IPAddress, forwardedFor headers: [String]) -> IPAddress {
    var client = peer
    for entry in headers.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }).reversed() {
      guard contains(client), let address = Self.address(entry) else { break }
      client = address
    }
    return client
  }

  /// Parses an address with or without a port; nil if the entry is neither.
  private static func address(_ entry: Substring) -> IPAddress? {
    let text = entry.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()
    let word = String(text)
    if let address = IPAddress(word) { return address }
    if word.hasPrefix("["), let end = word.firstIndex(of: "]") {
      return IPAddress(String(word[word.index(after: word.startIndex)..<end]))
    }
    return word.lastIndex(of: ":").flatMap { IPAddress(String(word[..<$0])) }
  }
}
