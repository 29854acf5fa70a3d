import Base
import ConversionModel
import Tables
import Testing

@testable import DailyReports

@Suite struct CompletenessTests {
  private static let day: Int64 = 20_518
  private static let windows = [
    ArrivalHours(least: 72, most: 96), ArrivalHours(least: 192, most: 312), ArrivalHours(least: 864, most: 984),
  ]

  private func time(_ hours: Double) -> Timestamp {
    Timestamp(milliseconds: Self.day * 86_400_000 + Int64(hours * 3_600_000))
  }

  private func completeness(_ arrival: ArrivalHours, hours: Double) -> Completeness {
    Completeness(ofInstall: Self.day, arrival, asOf: time(hours))
  }

  @Test(arguments: [(0, 120, 14 * 24), (1, 336, 23 * 24), (2, 1008, 51 * 24)] as [(Int, Double, Double)])
  func `an install day is open until the last timer, and final nine days after it`(
    _ window: Int,
    _ open: Double,
    _ final: Double
  ) {
    let arrival = Self.windows[window]
    let second = 1.0 / 3600
    #expect(completeness(arrival, hours: -5).status == .open)
    #expect(completeness(arrival, hours: open - second).status == .open)
    #expect(completeness(arrival, hours: open).status == .settling)
    #expect(completeness(arrival, hours: final - second).status == .settling)
    #expect(completeness(arrival, hours: final).status == .final)
    #expect(completeness(arrival, hours: 1e6).status == .final)
  }

  @Test func `the revenue of all windows is said to change until the last window is final`() throws {
    let days = (24 + Self.windows[2].most + Completeness.retryHours) / 24
    let column = try #require(Column.dailyCost.first { $0.name == .revenueAllWindows })
    #expect(column.description.contains("until window 2 is final, \(days) days"))
  }

  @Test func `an install at the end of the day is final after 13, and after 50 days`() {
    #expect(Self.windows[0].most + Completeness.retryHours == 13 * 24)
    #expect(Self.windows[2].most + Completeness.retryHours == 50 * 24)
  }

  @Test(arguments: [1, 2]) func `the last final install day of a window is the last one with this status`(_ window: Int)
    throws
  {
    let arrival = Self.windows[window]
    let hours = Double(24 + arrival.most + Completeness.retryHours)
    for (hours, last) in [(hours - 0.001, Self.day - 1), (hours, Self.day), (hours + 23.9, Self.day)] {
      let asOf = time(hours)
      #expect(Completeness.lastFinalInstallDay(window: window, asOf: asOf) == last)
      #expect(Completeness(ofInstall: last, arrival, asOf: asOf).status == .final)
      #expect(Completeness(ofInstall: last + 1, arrival, asOf: asOf).status != .final)
    }
    #expect(Completeness.lastFinalInstallDay(window: window, asOf: nil) == nil)
  }

  @Test func `a day of receipt is open until it ends`() {
    #expect(Completeness(ofReceipt: Self.day, asOf: time(23.99)).status == .open)
    #expect(Completeness(ofReceipt: Self.day, asOf: time(24)).status == .final)
    #expect(Completeness(ofReceipt: Self.day, asOf: time(12)).expectedShare == nil)
  }

  /// Timers of 24 hours make the square of a uniform: a triangle between the least hour and 48 hours later.
  @Test(arguments: [
    (0, "0"), (72, "0"), (78, "0.03125"), (84, "0.125"), (96, "0.5"), (108, "0.875"), (114, "0.96875"), (120, "1"),
    (4000, "1"),
  ])
  func `the first window's share is that of a triangle`(_ hours: Double, _ share: String) {
    #expect(completeness(Self.windows[0], hours: hours).expectedShare?.description == share)
  }

  /// Between the first full day and the last timer, the share of timers of 120 hours grows by a day in five.
  @Test(arguments: [
    (192, "0"), (204, "0.025"), (216, "0.1"), (228, "0.2"), (312, "0.9"), (324, "0.975"), (336, "1"),
  ])
  func `the second window's share is a ramp`(_ hours: Double, _ share: String) {
    #expect(completeness(Self.windows[1], hours: hours).expectedShare?.description == share)
    // The third window has the same timer, 28 days later.
    #expect(completeness(Self.windows[2], hours: hours + 672).expectedShare?.description == share)
  }

  @Test func `the share is that of a simulated day`() throws {
    let arrival = ArrivalHours(least: 24, most: 72)
    for hours in stride(from: 25.0, to: 96, by: 7.3) {
      var sum = 0.0
      let steps = 20_000
      for step in 0..<steps {
        let install = (Double(step) + 0.5) / Double(steps) * 24
        sum += min(max((hours - install - 24) / 48, 0), 1)
      }
      let share = try #require(completeness(arrival, hours: hours).expectedShare)
      #expect(abs((Double(share.description) ?? .nan) - sum / Double(steps)) < 5e-6)
    }
  }

  @Test func `a row of several timers is complete with the latest`() {
    let (short, long) = (ArrivalHours(least: 24, most: 48), ArrivalHours(least: 24, most: 72))
    #expect(ArrivalHours.later(short, long) == long)
    #expect(ArrivalHours.later(long, short) == long)
  }
}
