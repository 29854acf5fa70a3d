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
    // An IPv4 address within IPv6 is a way around rules for IPv4.
    return !text.lowercased().hasPrefix("::ffff:") && !Self.reserved.contains { $0.contains(address) }
  }

  /// The ranges that are not public (RFC 6890), and those of IPv6 that hold IPv4 addresses.
  private static let reserved = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4",
    "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/32", "2002::/16", "fc00::/7", "fe80::/10",
    "fec0::/10", "ff00::/8",
  ].compactMap(AddressRange.init)
}
