import ConversionClient
import Foundation
import Testing

@Suite struct `A re-engagement` {
  private static func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  @Test func `begins when AdAttributionKit opens the app`() async throws {
    let device = try Device(TestValues(knowsReengagements: true))
    #expect(try await device.client.reengage(opening: Self.url("https://example.com/shoes?id=3")) == false)
    let opening = try Self.url("https://example.com/shoes?id=3&AdAttributionKitReengagementOpen=tag%201")
    #expect(try await device.client.reengage(opening: opening))
    #expect(device.apple.accepted.map(\.conversionType) == [.reengagement])
    #expect(device.apple.accepted.first?.conversionTag == "tag 1")
    #expect(device.store.values["reengagement_conversion_tag"] == .text("tag 1"))
  }

  @Test func `keeps its value when the install's value changes`() async throws {
    let values = TestValues(
      [
        .values(ConversionValues(window: 0, fineValue: 3)), .values(ConversionValues(window: 0, fineValue: 40)),
        .values(ConversionValues(window: 0, fineValue: 4)), .values(ConversionValues(window: 0, fineValue: 40)),
      ],
      knowsReengagements: true
    )
    let device = try Device(values)
    try await device.client.register()
    try await device.client.reengage(opening: Self.url("app:x?AdAttributionKitReengagementOpen"))
    try await device.client.update(event: "purchase")
    try await device.client.update(event: "purchase")
    let told = device.apple.accepted.dropFirst(2).map { "\($0.conversionType) \($0.fineValue)" }
    #expect(told == ["install 3", "reengagement 40", "install 4", "reengagement 40"])
    #expect(await device.client.details()["skan_current_conversion_value"] == "4")
  }

  @Test func `keeps its value also if it has no new one when the install's value changes`() async throws {
    let answers: [ConversionValues?] = [
      ConversionValues(window: 0, fineValue: 3), ConversionValues(window: 0, fineValue: 40, coarseValue: .high),
      ConversionValues(window: 0, fineValue: 4), nil,
    ]
    let device = try Device(TestValues(answers.map { .values($0) }, knowsReengagements: true))
    try await device.client.register()
    try await device.client.reengage(opening: Self.url("app:x?AdAttributionKitReengagementOpen=t"))
    try await device.client.update(event: "purchase")
    try await device.client.update(event: "purchase")
    #expect(device.apple.accepted.map(\.fineValue) == [0, 0, 3, 40, 4, 40])
    let last = try #require(device.apple.accepted.last)
    #expect(last.conversionType == .reengagement && last.coarseValue == .high && last.conversionTag == "t")
  }

  @Test(arguments: [false, true])
  func `changes nothing of the install either if its own update fails`(_ isAppleFailing: Bool) async throws {
    let install = TestValues.Answer.values(ConversionValues(window: 0, fineValue: 3))
    let reengagement = TestValues.Answer.values(ConversionValues(window: 0, fineValue: 40))
    let values = TestValues([install, isAppleFailing ? reengagement : .failure(.noModel)], knowsReengagements: true)
    let device = try Device(values)
    try await device.client.register()
    try await device.client.reengage(opening: Self.url("app:x?AdAttributionKitReengagementOpen=t"))
    let before = device.store.values
    device.apple.failing = isAppleFailing ? .reengagement : nil
    let error = await failure { try await device.client.update(event: "purchase") }
    #expect(error == (isAppleFailing ? "apple" : "noModel"))
    #expect(device.store.values == before)
    // The same event again is counted once.
    device.apple.failing = nil
    values.next(install)
    let update = try await device.client.update(event: "purchase")
    #expect(update.outcome == .sent && update.fineValue == 3)
    #expect(device.store.values["p0_event_counts"] == .text(#"{"purchase":1}"#))
    #expect(device.store.values["reengagement_p0_event_counts"] == .text(#"{"purchase":1}"#))
  }

  @Test func `goes on after the windows of the install`() async throws {
    let device = try Device(
      TestValues([.values(ConversionValues(window: 0, fineValue: 3))], knowsReengagements: true)
    )
    try await device.client.register()
    device.clock.now = t0 + 4_000_000
    try await device.client.reengage(opening: Self.url("app:x?AdAttributionKitReengagementOpen=t"))
    try await device.client.addRevenue(5, currency: "USD")
    let update = try await device.client.update()
    #expect(update.conversionType == .reengagement && update.fineValue == 3)
    #expect(device.store.values["reengagement_p0_total_iap_revenue"] == .amounts(["USD": 5]))
    #expect(device.store.values["p0_total_iap_revenue"] == nil)
  }

  @Test func `needs a source that knows re-engagements`() async throws {
    let device = try Device(TestValues())
    let opening = try Self.url("app:x?AdAttributionKitReengagementOpen=t")
    #expect(await failure { try await device.client.reengage(opening: opening) } == "reengagementNotSupported")
    #expect(device.apple.accepted.isEmpty)
  }
}
