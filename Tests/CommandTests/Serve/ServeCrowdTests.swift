@testable import Signatures
import TestSupport
import Testing

private let device = "/.well-known/skadnetwork/report-attribution/"
private let forwarded = "/v1/postbacks"

@Suite struct `Many concurrent bodies` {
  private static let configuration = """
    {"forwarders":[{"name":"hmac","hmac_secret_file":"FOLDER/secret"},{"name":"bear","bearer_token_file":"FOLDER/token"}],
     "limits":{"requests_per_minute":0,"stall_seconds":STALL}}
    """
  private static let files = ["secret": "secret-secret-secret\n", "token": "0123456789abcdef-token\n"]
  private static let bearer = ["Authorization: Bearer 0123456789abcdef-token"]
  /// The longest body that a forwarder may send.
  private static let longest = 8 << 20

  private func site(stallSeconds: Int = 30) async throws -> ServerSite {
    let configuration = Self.configuration.replacing("STALL", with: "\(stallSeconds)")
    return try await ServerSite(configuration: configuration, files: Self.files)
  }

  /// Sends a body with an invalid signature up to its last byte, or until the server refuses it.
  private func stall(_ client: RawClient) {
    let head =
      "POST \(forwarded) HTTP/1.1\r\nHost: x\r\nX-Signature-SHA256: 00\r\nContent-Length: \(Self.longest)\r\n\r\n"
    client.send(Array(head.utf8) + [UInt8](repeating: 0x20, count: Self.longest - 1))
  }

  @Test func `that stall do not lock out devices and other forwarders`() async throws {
    let site = try await site()
    let attackers = try (0..<8).map { _ in try site.client() }
    for attacker in attackers { stall(attacker) }
    let resident = try site.metric("process_resident_memory_bytes")
    #expect(try #require(resident) < 120e6)
    for _ in 0..<20 { #expect(try site.request("POST", device, body: #"{"n":1}"#).status == 200) }
    let lines = String(repeating: #"{"n":1}"# + "\n", count: 20_000)
    #expect(try site.request("POST", forwarded, Self.bearer, body: lines).status == 200)
    // Somebody else who signs, from another address: refused for the signature, not for want of room.
    let other = try site.client(host: 2)
    let body = [UInt8](repeating: 0x20, count: 1 << 20)
    #expect(try other.request("POST", forwarded, ["X-Signature-SHA256: 00"], body: body).status == 401)
    // Of the eight one has its body in memory, the others are told to come back.
    for attacker in attackers { attacker.send(" ") }
    let statuses = try attackers.map { try $0.answer().status }.sorted()
    #expect(statuses == [401] + [Int](repeating: 503, count: 7))
    let again = try site.client()
    #expect(try again.request("POST", forwarded, ["X-Signature-SHA256: 00"], body: body).status == 401)
  }

  @Test func `of devices leave room for others`() async throws {
    let site = try await site()
    let head = "POST \(device) HTTP/1.1\r\nHost: x\r\nContent-Length: 40000\r\n\r\n"
    let attackers = try (0..<200).map { _ in try site.client(host: 2) }
    for attacker in attackers { attacker.send(Array(head.utf8) + [UInt8](repeating: 0x20, count: 39_999)) }
    #expect(try site.request("POST", device, body: "{}").status == 200)
    for attacker in attackers { attacker.send("x") }
    // One address has a sixteenth of what is for devices: 1 MiB.
    let taken = try attackers.count { try $0.answer().status == 200 }
    #expect(taken >= 16 && taken < 200)
  }

  @Test func `are disconnected when they stall`() async throws {
    let site = try await site(stallSeconds: 1)
    let attacker = try site.client()
    stall(attacker)
    #expect(try attacker.answer().status == 408)
    #expect(attacker.isClosed())
    let small = try site.client()
    small.send("POST \(device) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{")
    try await Task.sleep(for: .seconds(3))
    small.send("}")
    #expect(try small.answer().status == 200)
  }
}
