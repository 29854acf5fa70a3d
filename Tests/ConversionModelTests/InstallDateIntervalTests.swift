import Base
import ConversionModel
import Testing

@Suite struct InstallDateIntervalTests {
  private static let received = Timestamp(milliseconds: 1_793_527_200_000)

  struct Row: Sendable {
    var family = PostbackFamily.skadnetwork4
    var window = 0
    var isZero = false
    var locksWindow = false
    var systemLocksWindow = false
    var measurementHours = 24
    let hours: ClosedRange<Int64>
    /// The hours from the estimate to the receipt; nil if it is the middle of the interval.
    var estimate: Int64?
  }

  @Test(arguments: [
    Row(window: 0, hours: 72...96), Row(window: 0, locksWindow: true, hours: 24...96),
    Row(window: 1, hours: 192...312), Row(window: 1, locksWindow: true, hours: 72...312),
    Row(window: 2, hours: 864...984), Row(window: 2, locksWindow: true, hours: 192...984),
    Row(window: 0, systemLocksWindow: true, hours: 72...96, estimate: 84),
    Row(window: 1, systemLocksWindow: true, hours: 192...312, estimate: 252),
    Row(window: 2, systemLocksWindow: true, hours: 864...984, estimate: 924),
    Row(window: 0, locksWindow: true, systemLocksWindow: true, hours: 24...96, estimate: 60),
    Row(family: .adAttributionKit, window: 0, hours: 72...96, estimate: 84),
    Row(family: .adAttributionKit, window: 0, systemLocksWindow: true, hours: 24...96, estimate: 84),
    Row(family: .adAttributionKit, window: 0, locksWindow: true, hours: 24...96, estimate: 60),
    Row(family: .adAttributionKit, window: 0, locksWindow: true, systemLocksWindow: true, hours: 24...96, estimate: 60),
    Row(family: .adAttributionKit, window: 1, hours: 192...312, estimate: 252),
    Row(family: .adAttributionKit, window: 1, systemLocksWindow: true, hours: 72...312, estimate: 252),
    Row(family: .adAttributionKit, window: 1, locksWindow: true, hours: 72...312, estimate: 192),
    Row(
      family: .adAttributionKit,
      window: 1,
      locksWindow: true,
      systemLocksWindow: true,
      hours: 72...312,
      estimate: 192
    ),
    Row(family: .adAttributionKit, window: 2, hours: 864...984, estimate: 924),
    Row(family: .adAttributionKit, window: 2, systemLocksWindow: true, hours: 192...984, estimate: 924),
    Row(family: .adAttributionKit, window: 2, locksWindow: true, hours: 192...984, estimate: 588),
    Row(
      family: .adAttributionKit,
      window: 2,
      locksWindow: true,
      systemLocksWindow: true,
      hours: 192...984,
      estimate: 588
    ),
    Row(family: .skadnetwork3OrEarlier, isZero: true, systemLocksWindow: true, hours: 24...48, estimate: 36),
    Row(family: .skadnetwork3OrEarlier, isZero: true, hours: 24...48),
    Row(family: .skadnetwork3OrEarlier, isZero: true, locksWindow: true, measurementHours: 100, hours: 24...48),
    Row(family: .skadnetwork3OrEarlier, hours: 24...72),
    Row(family: .skadnetwork3OrEarlier, window: 7, measurementHours: 100, hours: 24...148),
    Row(family: .skadnetwork3OrEarlier, measurementHours: .max, hours: 24...1488),
    Row(family: .skadnetwork3OrEarlier, measurementHours: .min, hours: 24...48),
  ])
  func `version, window and time of receipt give an interval`(_ row: Row) {
    let interval = interval(row, receivedAt: Self.received)
    func before(_ hours: Int64) -> Int64 { Self.received.milliseconds - hours * 3_600_000 }
    #expect(interval.earliest?.milliseconds == before(row.hours.upperBound))
    #expect(interval.latest?.milliseconds == before(row.hours.lowerBound))
    let middle = (before(row.hours.lowerBound) + before(row.hours.upperBound)) / 2
    #expect(interval.estimated?.milliseconds == row.estimate.map(before) ?? middle)
  }

  @Test(arguments: PostbackFamily.allCases, [Int.min, -1, 0, 1, 2, 3, .max])
  func `without a time of receipt the interval is unknown`(_ family: PostbackFamily, _ window: Int) {
    #expect(interval(Row(family: family, window: window, hours: 0...0), receivedAt: nil) == .unbounded)
    #expect(InstallDateInterval.unbounded.estimated == nil)
  }

  @Test(arguments: [Int.min, -1, 3, .max])
  func `a window that does not exist has no interval`(_ window: Int) {
    #expect(interval(Row(window: window, hours: 0...0), receivedAt: Self.received) == .unbounded)
  }

  @Test func `extreme times do not trap`() {
    for milliseconds in [Int64.min, 0, .max] {
      let interval = interval(Row(window: 2, hours: 0...0), receivedAt: Timestamp(milliseconds: milliseconds))
      #expect(interval.earliest ?? Self.received <= interval.estimated ?? Self.received)
    }
  }

  private func interval(_ row: Row, receivedAt: Timestamp?) -> InstallDateInterval {
    InstallDateInterval(
      receivedAt: receivedAt,
      family: row.family,
      window: row.window,
      conversionValueIsZero: row.isZero,
      locksWindow: row.locksWindow,
      systemLocksWindow: row.systemLocksWindow,
      measurementHours: row.measurementHours
    )
  }
}
