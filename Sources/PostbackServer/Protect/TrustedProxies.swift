/// The proxies whose word is taken for whom they forward.
package struct TrustedProxies: Sendable {
  private let ranges: [AddressRange]

  /// Proxies in these ranges; none unless given.
  package init(_ ranges: [AddressRange] = []) { self.ranges = ranges }

  /// Whether an address is a proxy's.
  func contains(_ address: IPAddress) -> Bool { ranges.contains { $0.contains(address) } }

  /// Who sent a request that came from `peer`: of what `X-Forwarded-For` names, from the right, the first that is no trusted
  /// proxy; where all are, the left-most. What stands left of that anybody can have written.
  package func client(of peer: IPAddress, forwardedFor headers: [String]) -> IPAddress {
    var client = peer
    for entry in headers.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }).reversed() {
      guard contains(client), let address = Self.address(entry) else { break }
      client = address
    }
    return client
  }

  /// An address, perhaps with a port.
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
