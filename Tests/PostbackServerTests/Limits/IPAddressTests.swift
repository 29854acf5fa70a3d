import TestSupport
import Testing

@testable import PostbackServer

@Suite struct `An IP address` {
  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("2001:DB8::0:1", "2001:db8::1"), ("::1", "::1"),
    ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
  ]) func `is parsed and printed`(_ text: String, _ printed: String) {
    #expect(IPAddress(text)?.description == printed)
  }

  @Test(arguments: ["", "192.0.2", "192.0.2.256", "192.0.2.1:80", "[::1]", "::1%lo", "example.com", "1", "192.0.2.1 "])
  func `is not parsed from any other text`(_ text: String) { #expect(IPAddress(text) == nil) }

  @Test func `is in a range if its first bits are those of the range`() throws {
    func contains(_ range: String, _ address: String) throws -> Bool {
      try #require(AddressRange(range)).contains(try #require(IPAddress(address)))
    }
    #expect(try contains("10.0.0.0/8", "10.255.1.2"))
    #expect(try !contains("10.0.0.0/8", "11.0.0.0"))
    #expect(try contains("0.0.0.0/0", "203.0.113.9"))
    #expect(try !contains("0.0.0.0/0", "2001:db8::1"))
    #expect(try contains("::/0", "203.0.113.9"))
    #expect(try contains("2001:db8::/33", "2001:db8:7fff::1"))
    #expect(try !contains("2001:db8::/33", "2001:db8:8000::1"))
    #expect(try contains("2001:db8::1", "2001:db8::1"))
    #expect(try !contains("127.0.0.1", "127.0.0.2"))
    #expect(try contains("127.0.0.1/32", "::ffff:127.0.0.1"))
  }

  @Test(arguments: ["10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/", "10.0.0.0/-1", "::/129", "2001:db8::1/64", "10/8", "/8"])
  func `range with an invalid length or bits after the prefix is refused`(_ text: String) {
    #expect(AddressRange(text) == nil)
  }

  @Test func `of IPv6 shares its rate limit with the first 64 bits`() throws {
    let (one, other) = (try #require(IPAddress("2001:db8::1")), try #require(IPAddress("2001:db8::ffff:0:0:2")))
    #expect(one.rateLimitPrefix == other.rateLimitPrefix)
    #expect(one.rateLimitPrefix != IPAddress("2001:db8:0:1::1")?.rateLimitPrefix)
    #expect(IPAddress("192.0.2.1")?.rateLimitPrefix != IPAddress("192.0.2.2")?.rateLimitPrefix)
  }
}

@Suite struct `A trusted proxy` {
  private let proxies = TrustedProxies(["10.0.0.0/8", "2001:db8::/32"].compactMap { AddressRange($0) })

  private func client(of peer: String, _ headers: String...) throws -> String {
    proxies.client(of: try #require(IPAddress(peer)), forwardedFor: headers).description
  }

  @Test func `names the client in X-Forwarded-For`() throws {
    #expect(try client(of: "10.0.0.1", "192.0.2.7") == "192.0.2.7")
    #expect(try client(of: "10.0.0.1", "198.51.100.1, 192.0.2.7") == "192.0.2.7")
    #expect(try client(of: "10.0.0.1", "198.51.100.1, 192.0.2.7, 10.9.9.9") == "192.0.2.7")
    #expect(try client(of: "10.0.0.1", "198.51.100.1", "192.0.2.7 ,\t10.9.9.9") == "192.0.2.7")
    #expect(try client(of: "2001:db8::1", "[2001:dead::1]:443") == "2001:dead::1")
    #expect(try client(of: "10.0.0.1", "192.0.2.7:55555") == "192.0.2.7")
  }

  @Test func `is itself the client if no other address is named`() throws {
    #expect(try client(of: "10.0.0.1", "10.0.0.3, 10.0.0.2") == "10.0.0.3")
    #expect(try client(of: "10.0.0.1") == "10.0.0.1")
  }

  @Test func `names no client by other text, or left of an address that is not trusted`() throws {
    #expect(try client(of: "10.0.0.1", "192.0.2.7, unknown") == "10.0.0.1")
    #expect(try client(of: "10.0.0.1", "192.0.2.7,,10.0.0.2") == "10.0.0.2")
    #expect(try client(of: "10.0.0.1", "evil, 192.0.2.7") == "192.0.2.7")
    #expect(try client(of: "203.0.113.5", "192.0.2.7") == "203.0.113.5")
  }
}
