import Foundation
import TestSupport
import Testing

@testable import ConversionClient

@Suite struct `The storage of a client` {
  @Test func `continues from the state of the published clients`() async throws {
    // What they store: numbers, also as texts, and sums in 32-bit floating point.
    let list: [String: Any] = [
      "skan_current_conversion_value": NSNumber(value: 3), "prev_fine_value": "2",
      "skan_first_call_to_skadnetwork_timestamp": NSNumber(value: Double(t0)),
      "skan_last_call_to_skadnetwork_timestamp": NSNumber(value: t0 + 5),
      "skan_total_revenue_by_currency": ["USD": NSNumber(value: Float(15.53) + Float(15.53) + Float(15.53))],
      "p0_total_iap_revenue": ["USD": NSNumber(value: 15.529999732971191)], "p0_coarse": NSNumber(value: 1),
      "p1_coarse": NSNumber(value: 9), "p0_total_admon_revenue": #"{"EUR":0.5}"#,
    ]
    let device = try Device(TestValues(), store: MemoryStore(list.compactMapValues(StoredValue.init(propertyList:))))
    try await device.client.register()
    #expect(device.apple.accepted.isEmpty)
    #expect(
      await device.client.details() == [
        "skan_current_conversion_value": "3", "prev_fine_value": "2", "p0_coarse": "1",
        "skan_first_call_to_skadnetwork_timestamp": "\(t0)",
        "skan_last_call_to_skadnetwork_timestamp": "\(t0 + 5)", "skan_total_revenue_by_currency": #"{"USD":46.59}"#,
        "p0_total_iap_revenue": #"{"USD":15.53}"#, "p0_total_admon_revenue": #"{"EUR":0.5}"#,
      ]
    )
  }

  @Test func `continues from the state of a client of SKAdNetwork 3`() async throws {
    let store = MemoryStore([
      "skan_conversion_value": .integer(4), "skan_first_call_to_skadnetwork_timestamp": .integer(t0),
    ])
    let device = try Device(TestValues(ConversionValues(window: 0, fineValue: 6)), store: store)
    #expect(try await device.client.update().fineValue == 6)
    #expect(
      store.values["prev_fine_value"] == .integer(4) && store.values["skan_current_conversion_value"] == .integer(6)
    )
  }

  @Test func `reads the property lists that it writes`() throws {
    let exact = try #require(Decimal(string: "123456789012345.678901"))
    let values: [StoredValue] = [
      .integer(63), .integer(1_790_000_000), .text("tag"),
      .amounts(["USD": try #require(Decimal(string: "46.59")), "JPY": 1200, "KRW": exact]),
    ]
    for value in values { #expect(StoredValue(propertyList: value.propertyList) == value) }
    let amounts = try #require(values[3].propertyList as? [String: Any])
    #expect((amounts["USD"] as? Double) == 46.59, "an amount stays a number, as published clients read it")
    #expect(StoredValue(propertyList: Data()) == nil)
  }

  @Test func `keeps its state in user defaults`() throws {
    let name = "postback-\(UUID().uuidString)"
    let store = UserDefaultsStore(suite: name)
    defer { UserDefaults(suiteName: name)?.removePersistentDomain(forName: name) }
    store.save(["a": .integer(1), "b": .amounts(["USD": 1.5]), "c": .text("x")])
    store.save(["c": StoredValue?.none])
    #expect(store.load(["a", "b", "c"]) == ["a": .integer(1), "b": .amounts(["USD": 1.5])])
  }

  @Test func `keeps its state in a file through restarts`() async throws {
    let folder = try TemporaryFolder()
    let file = URL(fileURLWithPath: folder.path("state.json"))
    let clock = TestClock()
    func client() throws -> ConversionClient {
      let values = TestValues(ConversionValues(window: 0, fineValue: 12, coarseValue: .high))
      return try ConversionClient(values: values, postbacks: TestPostbacks(), store: FileStore(file), clock: clock)
    }
    for _ in 0..<3 {
      let price = try #require(Decimal(string: "0.1"))
      try await client().addRevenue(price, currency: "USD")
      try await client().update(event: "purchase")
    }
    let details = try await client().details()
    #expect(
      details["skan_total_revenue_by_currency"] == #"{"USD":0.3}"# && details["skan_current_conversion_value"] == "12"
    )
    try folder.makeFile("state.json", holding: Array("{".utf8))
    #expect(await failure { _ = try client() } == "storage")
  }
}
