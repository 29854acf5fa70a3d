import ConversionClient
import Foundation
import Testing

/// Re-engagements that overlap, of an app with `EligibleForAdAttributionKitOverlappingConversions`.
///
/// Source: Apple, "Identifying conversion values with conversion tags": the address with which the app is opened has a tag; an
/// update with the tag changes its conversion alone, and one without changes the most recent conversion.
@Suite struct `Overlapping re-engagements` {
  private static func opening(_ tag: String?) throws -> URL {
    let value = tag.map { "=\($0)" } ?? ""
    return try #require(URL(string: "app:x?AdAttributionKitReengagementOpen\(value)"))
  }

  /// A source whose value is 10 times the number of the answers, so that each update tells new values.
  private static func device(overlaps: Bool = true, store: MemoryStore = MemoryStore()) throws -> Device {
    let answers = (1...6).map { TestValues.Answer.values(ConversionValues(window: 0, fineValue: $0 * 10)) }
    return try Device(
      TestValues(answers, knowsReengagements: true),
      overlapsReengagements: overlaps,
      store: store
    )
  }

  private func told(_ device: Device, after count: Int) -> [String] {
    device.apple.accepted.dropFirst(count)
      .map { "\($0.conversionType) \($0.conversionTag ?? "-") \($0.fineValue)" }
  }

  @Test func `are each updated by their tags`() async throws {
    let device = try Self.device()
    try await device.client.register()
    try await device.client.reengage(opening: Self.opening("one"))
    try await device.client.reengage(opening: Self.opening("two"))
    try await device.client.update(event: "purchase")
    #expect(told(device, after: 3) == ["install - 10", "reengagement two 20", "reengagement one 30"])
  }

  @Test func `end with the next one unless the app says that they overlap`() async throws {
    let device = try Self.device(overlaps: false)
    try await device.client.register()
    try await device.client.reengage(opening: Self.opening("one"))
    try await device.client.reengage(opening: Self.opening("two"))
    try await device.client.update(event: "purchase")
    #expect(told(device, after: 3) == ["install - 10", "reengagement two 20"])
  }

  @Test func `end with one without a tag, since an update without a tag is of the most recent conversion`() async throws
  {
    let device = try Self.device()
    try await device.client.register()
    try await device.client.reengage(opening: Self.opening("one"))
    try await device.client.reengage(opening: Self.opening(nil))
    try await device.client.update(event: "purchase")
    #expect(told(device, after: 3) == ["install - 10", "reengagement - 20"])
    // A tag that comes again begins its windows again.
    try await device.client.reengage(opening: Self.opening("two"))
    try await device.client.reengage(opening: Self.opening("two"))
    try await device.client.update(event: "purchase")
    #expect(told(device, after: 7) == ["install - 30", "reengagement two 40"])
  }

  @Test func `of which only the latest is overwritten by an update of the install`() async throws {
    let values: [ConversionValues?] = [ConversionValues(window: 0, fineValue: 3), nil, nil]
    let device = try Device(
      TestValues(values.map { .values($0) }, knowsReengagements: true),
      overlapsReengagements: true
    )
    try await device.client.register()
    try await device.client.reengage(opening: Self.opening("one"))
    try await device.client.reengage(opening: Self.opening("two"))
    try await device.client.update(event: "purchase")
    #expect(told(device, after: 3) == ["install - 3", "reengagement two 0"])
  }

  @Test func `are stored, have their own windows and revenue, and end with them`() async throws {
    let store = MemoryStore()
    let first = try Self.device(store: store)
    try await first.client.register()
    try await first.client.reengage(opening: Self.opening("one"))
    try await first.client.addRevenue(1, currency: "USD")
    first.clock.now = t0 + 3_000_000
    try await first.client.reengage(opening: Self.opening("two"))
    try await first.client.addRevenue(2, currency: "USD")
    #expect(store.values["reengagement_conversion_tag"] == .text("two"))
    #expect(store.values["reengagement_1_conversion_tag"] == .text("one"))
    #expect(store.values["reengagement_skan_total_revenue_by_currency"] == .amounts(["USD": 2]))
    #expect(store.values["reengagement_1_skan_total_revenue_by_currency"] == .amounts(["USD": 3]))
    let second = try Self.device(store: store)
    second.clock.now = t0 + 3_024_000
    try await second.client.update(event: "purchase")
    #expect(told(second, after: 0) == ["reengagement two 10"])
    try await second.client.reengage(opening: Self.opening("three"))
    #expect(store.values["reengagement_conversion_tag"] == .text("three"))
    #expect(store.values["reengagement_1_conversion_tag"] == .text("two"))
    #expect(store.values["reengagement_2_conversion_tag"] == nil)
  }
}
