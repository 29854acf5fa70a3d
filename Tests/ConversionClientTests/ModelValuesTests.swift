import ConversionClient
import ConversionModel
import Foundation
import TestSupport
import Testing

@Suite struct `A client with a model` {
  private static func device(_ windows: String, currency: String = #","currency":"USD""#) throws -> Device {
    let text = #"{"app_id":1,"model_id":"m","version":1,"effective_from":null\#(currency),"windows":[\#(windows)]}"#
    return try Device(ModelValues(try Models(parsing: Array(text.utf8)), appID: 1))
  }

  @Test func `counts events on the device, beyond ranges`() async throws {
    let device = try Self.device(#"{"postback_sequence_index":0,"kind":"engagement","event":"level","counts":[1,3,5]}"#)
    var values: [Int] = []
    for _ in 1...6 { values.append(try await device.client.update(event: "level").fineValue) }
    #expect(values == [1, 1, 2, 2, 3, 3])
  }

  @Test func `does not count an event whose update failed`() async throws {
    let device = try Self.device(#"{"postback_sequence_index":0,"kind":"engagement","event":"level","counts":[1,2]}"#)
    try await device.client.register()
    device.apple.fails = true
    #expect(await failure { try await device.client.update(event: "level") } == "apple")
    device.apple.fails = false
    #expect(try await device.client.update(event: "level").fineValue == 1)
  }

  @Test func `adds up cumulative windows, and only those`() async throws {
    let tail = #""coarse":{"low":[],"high":[{"event":"buy","min_revenue":5,"max_revenue":null,"value":5}]}}"#
    for isCumulative in [true, false] {
      let device = try Self.device(
        #"{"postback_sequence_index":0,"kind":"revenue","event":"buy","thresholds":[1,5],"open_value":6},"#
          + #"{"postback_sequence_index":1,"cumulative":\#(isCumulative),\#(tail)"#
      )
      try await device.client.addRevenue(4, currency: "USD")
      #expect(try await device.client.update(event: "buy").fineValue == 1)
      device.clock.now = t0 + 200_000
      try await device.client.addRevenue(2, currency: "USD")
      #expect(try await device.client.update(event: "buy").coarseValue == (isCumulative ? .high : .low))
    }
  }

  @Test func `says that there is no rate or no model`() async throws {
    let window = #"{"postback_sequence_index":0,"kind":"revenue","event":"buy","thresholds":[1]}"#
    let device = try Self.device(window)
    try await device.client.addRevenue(4, currency: "EUR")
    #expect(await failure { try await device.client.update(event: "buy") } == "noRate")
    let other = try Device(ModelValues(.none, appID: 1))
    #expect(await failure { try await other.client.update(event: "buy") } == "noModel")
    let later = try Self.device(window)
    try await later.client.register()
    later.clock.now = t0 + 200_000
    #expect(await failure { try await later.client.update(event: "buy") } == "noModel")
  }
}
