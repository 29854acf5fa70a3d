import ConversionClient
import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A client` {
  private static func answer(_ members: String) -> String { #"{\#(members),"status":"ok"}"# }

  @Test func `registers with the value 0 and stores the time of the first call`() async throws {
    let device = try Device(TestValues())
    try await device.client.register()
    device.clock.now += 60
    try await device.client.register()
    #expect(device.apple.accepted.map(\.fineValue) == [0])
    #expect(device.apple.accepted.first?.coarseValue == .low)
    #expect(device.store.values["skan_first_call_to_skadnetwork_timestamp"] == .integer(t0))
    #expect(device.store.values["skan_current_conversion_value"] == .integer(0))
  }

  @Test func `goes on after an illegal value as if there had been none`() async throws {
    for illegal in [#""conversion_value":64"#, #""conversion_value":-1"#, #""conversion_value":1.5"#] {
      let transport = TestTransport(Self.answer(illegal), Self.answer(#""conversion_value":3"#))
      let device = try Device(transport)
      #expect(await failure { try await device.client.update(event: "level") } == "illegalValue", "\(illegal)")
      let update = try await device.client.update(event: "level")
      #expect(update.outcome == .sent && update.fineValue == 3)
    }
  }

  @Test(arguments: [-1, 3]) func `refuses coarse values outside of 0 to 2`(_ coarse: Int) async throws {
    let device = try Device(TestTransport(Self.answer(#""conversion_value":1,"skan_updated_coarse_value":\#(coarse)"#)))
    #expect(await failure { try await device.client.update() } == "illegalValue")
    #expect(device.apple.accepted.count == 1)
  }

  @Test(arguments: [#""conversion_value":"""#, #""reason":"""#, #""conversion_value":null"#])
  func `returns also if the answer has no value`(_ members: String) async throws {
    let device = try Device(TestTransport(Self.answer(members)))
    #expect(try await device.client.update(event: "level").outcome == .noValue)
    #expect(device.apple.accepted.count == 1)
  }

  @Test func `says that all windows are over`() async throws {
    let device = try Device(TestValues(ConversionValues(window: 0, fineValue: 1)))
    try await device.client.register()
    device.clock.now = t0 + 3_024_000
    #expect(await failure { try await device.client.update() } == "windowsOver")
    #expect(await device.client.windowIndex == nil)
  }

  @Test func `counts windows from the first call`() async throws {
    let device = try Device(TestValues())
    #expect(await device.client.windowIndex == 0)
    try await device.client.register()
    let expected = [(0, 0), (172_799, 0), (172_800, 1), (604_799, 1), (604_800, 2), (3_023_999, 2)]
    for (age, window) in expected {
      device.clock.now = t0 + age
      #expect(await device.client.windowIndex == window, "\(age)")
    }
  }

  @Test func `updates and keeps revenue also before it is registered`() async throws {
    let device = try Device(TestValues(ConversionValues(window: 0, fineValue: 5)))
    try await device.client.addRevenue(2, currency: "USD")
    let update = try await device.client.update(event: "purchase")
    #expect(update.outcome == .sent)
    #expect(device.apple.accepted.map(\.fineValue) == [0, 5])
    #expect(device.store.values["p0_total_iap_revenue"] == .amounts(["USD": 2]))
  }

  @Test func `adds money in decimal`() async throws {
    let device = try Device(TestValues())
    let price = try #require(Decimal(string: "15.53"))
    for _ in 0..<3 { try await device.client.addRevenue(price, currency: "KRW") }
    for _ in 0..<10 { try await device.client.addRevenue(0.1, currency: "usd", isAdMonetization: true) }
    let details = await device.client.details()
    #expect(details["skan_total_revenue_by_currency"] == #"{"KRW":46.59}"#)
    #expect(details["skan_total_admon_revenue_by_currency"] == #"{"USD":1}"#)
    try await device.client.addRevenue(0, currency: "EUR")
    #expect(await device.client.details() == details)
  }

  @Test(arguments: [(Decimal.nan, "USD", "invalidAmount"), (1, "US", "invalidCurrency"), (1, "€", "invalidCurrency")])
  func `refuses amounts and currencies that no server takes`(_ amount: Decimal, _ code: String, _ name: String)
    async throws
  {
    let device = try Device(TestValues())
    #expect(await failure { try await device.client.addRevenue(amount, currency: code) } == name)
    let most = try #require(Decimal(string: "999999999999999"))
    try await device.client.addRevenue(most, currency: "USD")
    #expect(await failure { try await device.client.addRevenue(1, currency: "USD") } == "invalidAmount")
    #expect(device.store.values["skan_total_revenue_by_currency"] == .amounts(["USD": most]))
  }

  @Test func `takes back with a refund at most what was paid in the current window`() async throws {
    let device = try Device(TestValues())
    try await device.client.register()
    try await device.client.addRevenue(5, currency: "USD")
    try await device.client.addRevenue(-2, currency: "USD")
    #expect(device.store.values["p0_total_iap_revenue"] == .amounts(["USD": 3]))
    device.clock.now = t0 + 200_000
    // Window 0 is in a postback that was sent, so its 3 dollars stay.
    try await device.client.addRevenue(4, currency: "USD")
    try await device.client.addRevenue(-10, currency: "USD")
    try await device.client.addRevenue(-1, currency: "EUR")
    try await device.client.addRevenue(-1, currency: "USD", isAdMonetization: true)
    let details = await device.client.details()
    #expect(details["skan_total_revenue_by_currency"] == #"{"USD":3}"#)
    #expect(details["p0_total_iap_revenue"] == #"{"USD":3}"# && details["p1_total_iap_revenue"] == #"{"USD":0}"#)
    device.clock.now = t0 + 4_000_000
    try await device.client.addRevenue(-1, currency: "USD")
    #expect(await device.client.details()["skan_total_revenue_by_currency"] == #"{"USD":3}"#)
  }

  @Test func `takes back with a refund at most the total under the rules of SKAdNetwork 3`() async throws {
    let device = try Device(TestValues(), framework: .skAdNetwork3)
    try await device.client.addRevenue(5, currency: "USD")
    try await device.client.addRevenue(-7, currency: "USD")
    #expect(await device.client.details()["skan_total_revenue_by_currency"] == #"{"USD":0}"#)
  }

  @Test func `stores nothing if Apple's call failed`() async throws {
    let device = try Device(
      TestValues(ConversionValues(window: 0, fineValue: 7, coarseValue: .high, locksWindow: true))
    )
    device.apple.fails = true
    #expect(await failure { try await device.client.register() } == "apple")
    #expect(device.store.values.isEmpty)
    device.apple.fails = false
    try await device.client.register()
    let before = device.store.values
    device.apple.fails = true
    #expect(await failure { try await device.client.update(event: "purchase") } == "apple")
    #expect(device.store.values == before)
    device.apple.fails = false
    #expect(try await device.client.update(event: "purchase").outcome == .sent)
    #expect(device.store.values["skan_current_conversion_value"] == .integer(7))
  }

  @Test func `repeats an update whose state could not be stored`() async throws {
    let device = try Device(TestValues(ConversionValues(window: 0, fineValue: 7)))
    try await device.client.register()
    device.store.fails = true
    #expect(await failure { try await device.client.update() } == "storage")
    device.store.fails = false
    #expect(try await device.client.update().outcome == .sent)
  }

  @Test func `always gives Apple a coarse value in the first window, and calls nothing without one later`() async throws
  {
    let values = TestValues(ConversionValues(window: 0, fineValue: 4))
    let device = try Device(values)
    try await device.client.update()
    #expect(device.apple.accepted.last?.coarseValue == .low)
    device.clock.now = t0 + 200_000
    values.next(.values(ConversionValues(window: 1, fineValue: 4)))
    #expect(try await device.client.update().outcome == .noValue)
    #expect(device.apple.accepted.count == 2)
    values.next(.values(ConversionValues(window: 1, fineValue: 60, coarseValue: .low)))
    #expect(try await device.client.update().outcome == .sent)
    #expect(device.apple.accepted.last?.fineValue == 4, "the fine value changes only in the first window")
  }

  @Test func `has stored the values of an update when the update returns`() async throws {
    let device = try Device(TestValues(ConversionValues(window: 0, fineValue: 9, coarseValue: .medium)))
    try await device.client.update(event: "purchase")
    let details = await device.client.details()
    #expect(details["skan_current_conversion_value"] == "9" && details["p0_coarse"] == "1")
    #expect(details["prev_fine_value"] == "0" && details["p0_prev_coarse_value"] == "0")
    #expect(device.store.values["skan_current_conversion_value"] == .integer(9))
  }

  @Test func `stores values under the window of the answer`() async throws {
    let values = TestValues(ConversionValues(window: 0, fineValue: 9, coarseValue: .high, locksWindow: true))
    let device = try Device(values)
    try await device.client.register()
    device.clock.now = t0 + 172_799
    let clock = device.clock
    values.meanwhile { clock.now = t0 + 172_801 }
    #expect(try await device.client.update().window == 0)
    let details = await device.client.details()
    #expect(details["p0_coarse"] == "2" && details["p1_coarse"] == nil)
    #expect(details["p0_window_lock"] == nil && device.apple.accepted.last?.locksWindow == false)
  }

  @Test func `calls Apple only if something changed, and never in a locked window`() async throws {
    let values = TestValues(ConversionValues(window: 0, fineValue: 9, coarseValue: .high))
    let device = try Device(values)
    try await device.client.update()
    #expect(try await device.client.update().outcome == .unchanged)
    #expect(device.apple.accepted.count == 2)
    values.next(.values(ConversionValues(window: 0, fineValue: 9, coarseValue: .high, locksWindow: true)))
    #expect(try await device.client.update().locksWindow)
    values.next(.values(ConversionValues(window: 0, fineValue: 63, coarseValue: .high)))
    #expect(try await device.client.update().outcome == .windowLocked)
    #expect(device.apple.accepted.count == 3)
    device.clock.now = t0 + 172_800
    values.next(.values(ConversionValues(window: 1, coarseValue: .medium)))
    #expect(try await device.client.update().outcome == .sent)
  }

  @Test func `runs updates in the order of their calls`() async throws {
    let device = try Device(TestValues((1...20).map { .values(ConversionValues(window: 0, fineValue: $0)) }))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 1...20 { group.addTask { try await device.client.update() } }
      try await group.waitForAll()
    }
    #expect(device.apple.accepted.map(\.fineValue) == Array(0...20))
  }

  @Test func `refuses names of events that servers refuse`() async throws {
    let device = try Device(TestValues())
    for name in ["", String(repeating: "e", count: 33), "a\nb", "é"] {
      #expect(await failure { try await device.client.update(event: name) } == "invalidEvent")
    }
  }

  @Test func `waits for a wrong clock to be set right`() async throws {
    let device = try Device(TestValues(ConversionValues(window: 0, fineValue: 1)))
    try await device.client.register()
    device.clock.now = t0 - 1000
    #expect(await failure { try await device.client.update() } == "clockWrong")
    device.clock.now = t0 + 1
    #expect(try await device.client.update().outcome == .sent)
  }

  @Test func `lets the value of SKAdNetwork 3 only rise, until a day without updates`() async throws {
    let values = TestValues(ConversionValues(window: 0, fineValue: 5))
    let device = try Device(values, framework: .skAdNetwork3)
    try await device.client.update()
    values.next(.values(ConversionValues(window: 0, fineValue: 3)))
    #expect(try await device.client.update().outcome == .noValue)
    device.clock.now = t0 + 86_400
    values.next(.values(ConversionValues(window: 0, fineValue: 6)))
    #expect(try await device.client.update().outcome == .sent)
    #expect(device.apple.accepted.map(\.coarseValue) == [nil, nil, nil])
    #expect(device.store.values["skan_conversion_value"] == .integer(6))
    let details = await device.client.details()
    #expect(details["skan_first_call_timestamp"] == "\(t0)" && details["skan_last_call_timestamp"] == "\(t0 + 86_400)")
    device.clock.now = t0 + 2 * 86_400 + 1
    #expect(await failure { try await device.client.update() } == "windowsOver")
  }
}
