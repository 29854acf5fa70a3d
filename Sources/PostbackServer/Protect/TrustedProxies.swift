/// The proxies whose `X-Forwarded-For` header is trusted.
package struct TrustedProxies: Sendable {
  private let ranges: [AddressRange]

  /// Creates a set of proxies with addresses in these ranges; no proxy is trusted by default.
  package init(_ ranges: [AddressRange] = []) { self.ranges = ranges }

  /// Indicates that an address belongs to a trusted proxy.
  func contains(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }

  /// Returns the address of the client that sent a request through the connection of `peer`. `X-Forwarded-For` is read
  /// from the right: the client is the first address that is not a trusted proxy, or else the left-most one. Entries to
  /// the left of it, or of an entry that is no address, are ignored, because anybody can have written them.
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
