import SKAdNetwork
import Statistics
import Testing

@testable import FraudSignals
@testable import PostbackCopies

/// What copies of devices cannot show, because what receives them changes it.
@Suite struct `A receiver of devices' copies` {
  /// Twenty days with as many postbacks each, of which as many have a field before and from the tenth day on.
  private func series(_ before: Int32, _ after: Int32) -> DaySeries {
    var series = DaySeries()
    for day in 20_000..<20_020 as Range<Int32> {
      series.add(DaySeries.Cell(day: day, count: day < 20_010 ? before : after, total: 30))
    }
    return series
  }

  @Test func `loses a field if fewer have it than before, and as many of the forwarders'`() throws {
    #expect(LostDays(device: series(20, 0), sent: series(20, 20))?.first == 20_010)
    #expect(LostDays(device: series(20, 10), sent: series(21, 19))?.first == 20_010)
    // A forwarder adds the field, there is less of it, and one chance in many.
    #expect(LostDays(device: series(10, 10), sent: series(10, 20)) == nil)
    #expect(LostDays(device: series(10, 9), sent: series(10, 30)) == nil)
    #expect(LostDays(device: series(20, 10), sent: series(20, 11)) == nil)
    #expect(LostDays(device: series(10, 9), sent: series(10, 10)) == nil)
  }

  private func values(fine: Int64?) -> UnsignedValues {
    var values = UnsignedValues()
    if let fine { values[.conversionValue] = fine }
    return values
  }

  @Test(arguments: [true, false])
  func `writes 0 for none if no copies are without a value`(_ isFilled: Bool) throws {
    var counts = SignalCounts()
    let place = ValueChanges.Place(app: "1", family: 1, window: 0)
    for number in 0..<200 {
      let device = values(fine: number % 2 == 0 ? 5 : number % 4 == 1 || isFilled ? 0 : nil)
      let sent = values(fine: number % 2 == 0 ? 5 : nil)
      let copy = PostbackCopy(receivedAt: 0, channel: .networkForwarded, forwarder: "one", values: sent)
      let sender = try #require(PostbackSenders([copy]).senders.first)
      counts.deviceFields.add(device, beside: [sent], in: place, on: 20_000)
      counts.add(DeviceComparison(sender, with: device), by: "one", place, on: 20_000)
    }
    counts.complete()
    for name in [SignalName.loweredValues, .inventedNulls] {
      let entry = try #require(counts.rates.entries.first { $0.key.name == name }?.value)
      #expect(entry.series.rate == Rate(count: isFilled ? 0 : 50, total: isFilled ? 100 : 150))
      #expect(entry.leftOut == (isFilled ? 100 : 0))
      #expect(counts.changes.mostFrequent(name, by: "one")?.count == (isFilled ? nil : 50))
      let reasons = SignalOmissions(counts, []).partial().filter { $0.name == name }.map(\.reason)
      #expect(reasons.contains { $0.contains("100 of the app 1)") || $0.contains("100 of the app 1.") } == isFilled)
    }
  }
}
