import ConversionClient
import Foundation
import Testing

@Suite struct `A client with a server` {
  private static let ok =
    #"{"conversion_value":1,"skan_updated_coarse_value":0,"postback_sequence_index":0,"status":"ok"}"#

  @Test func `sends the parameters of the published clients, encoded`() async throws {
    let transport = TestTransport(Self.ok)
    let device = try Device(transport)
    try await device.client.register()
    let amount = try #require(Decimal(string: "9.99"))
    try await device.client.addRevenue(amount, currency: "USD")
    try await device.client.update(event: "a+b c")
    let line = try #require(transport.requests.first)
    #expect(line.hasPrefix("https://values.example.com/api/v2/conversion_value?a=key&i=com.example.game&n=a%2Bb%20c&"))
    for parameter in [
      "p=iOS", "skan_current_conversion_value=0", "skan_first_call_to_skadnetwork_timestamp=\(t0)",
      "skan_last_call_to_skadnetwork_timestamp=\(t0)", "skan_total_revenue_by_currency=%7B%22USD%22%3A9.99%7D",
      "skan_total_admon_revenue_by_currency=%7B%7D", "p0_total_iap_revenue=%7B%22USD%22%3A9.99%7D", "p0_coarse=0",
    ] { #expect(line.contains("&" + parameter), "\(parameter) in \(line)") }
    #expect(!line.contains("event_counts"))
  }

  @Test func `sends the names of version 1`() async throws {
    let transport = TestTransport(#"{"conversion_value":2,"status":"ok"}"#)
    let device = try Device(transport, version: .v1, framework: .skAdNetwork3)
    #expect(try await device.client.update().fineValue == 2)
    #expect(
      transport.requests == [
        "https://values.example.com/api/v1/conversion_value?a=key&conversion_value=0"
          + "&first_call_to_skadnetwork_timestamp=\(t0)&i=com.example.game"
          + "&last_call_to_skadnetwork_timestamp=\(t0)&n=__SESSION__&p=iOS"
          + "&total_admon_revenue_by_currency=%7B%7D&total_revenue_by_currency=%7B%7D"
      ]
    )
  }

  @Test func `repeats a request that got no answer, with the same text`() async throws {
    let transport = TestTransport([nil, (503, ""), (200, Self.ok)])
    let device = try Device(transport)
    try await device.client.addRevenue(1, currency: "USD")
    #expect(try await device.client.update(event: "purchase").fineValue == 1)
    #expect(Set(transport.requests).count == 1 && transport.requests.count == 3)
    #expect(device.store.values["skan_total_revenue_by_currency"] == .amounts(["USD": 1]))
  }

  @Test func `gives up after three failures, and never repeats a request that was refused`() async throws {
    let silent = TestTransport([nil])
    var device = try Device(silent)
    #expect(await failure { try await device.client.update() } == "network")
    #expect(silent.requests.count == 3)
    let refusing = TestTransport([(404, "")])
    device = try Device(refusing)
    #expect(await failure { try await device.client.update() } == "httpStatus")
    #expect(refusing.requests.count == 1)
  }

  @Test func `reports the server's reason`() async throws {
    let device = try Device(TestTransport(#"{"status":"error","reason":"Invalid measurement period: 1"}"#))
    await #expect { try await device.client.update() } throws: { error in
      guard case ConversionClientError.refused("Invalid measurement period: 1") = error else { return false }
      return true
    }
  }

  @Test(arguments: ["", "[]", "<html>", #"{"conversion_value":"#, "\u{0}"])
  func `refuses texts that are no answer`(_ body: String) async throws {
    let device = try Device(TestTransport(body))
    #expect(await failure { try await device.client.update() } == "malformedAnswer")
  }

  @Test func `reads numbers in strings, and the lock in its published forms`() async throws {
    for lock in ["true", "1", #""true""#] {
      let body =
        #"{"conversion_value":"7","skan_updated_coarse_value":"2","postback_sequence_index":"0","#
        + #""skan_updated_lock_window_value":\#(lock),"status":"ok"}"#
      let device = try Device(TestTransport(body))
      let update = try await device.client.update()
      #expect(update.fineValue == 7 && update.coarseValue == .high && update.locksWindow)
    }
  }

  @Test func `ends a cancelled update without a call of Apple`() async throws {
    let device = try Device(TestTransport([nil]))
    try await device.client.register()
    let task = Task { try await device.client.update() }
    task.cancel()
    let name = await failure { _ = try await task.value }
    #expect(name == "cancelled" || name == "network")
    #expect(device.apple.accepted.count == 1)
  }
}
