internal import PostbackServer

/// The rule for the addresses that requests may go to: public ones, and those that a partner allows.
struct PublicAddress: Sendable {
  private let allowed: [AddressRange]

  /// The rule of a partner with these ranges in `allow_addresses`.
  init(allowing allowed: [AddressRange]) { self.allowed = allowed }

  /// Indicates that a connection to an IP address is allowed, which is written as text. False for any other text.
  func allows(_ text: String) -> Bool {
    guard let address = IPAddress(text) else { return false }
    if allowed.contains(where: { $0.contains(address) }) { return true }
    return !(text.contains(":") ? Self.reservedV6 : Self.reservedV4).contains { $0.contains(address) }
  }

  /// The ranges of IPv4 that are not public: those of IANA's registry of special-purpose addresses that are not globally
  /// reachable, the relays of 6to4, and multicast.
  private static let reservedV4 = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
  ].compactMap(AddressRange.init)

  /// The ranges of IPv6 that are not public: all but 2000::/3, with them every form of an IPv4 address within IPv6, which is
  /// a way around rules for IPv4; and in 2000::/3 protocol assignments with Teredo, the documentation, and 6to4.
  private static let reservedV6 = [
    "::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
  ].compactMap(AddressRange.init)
}
