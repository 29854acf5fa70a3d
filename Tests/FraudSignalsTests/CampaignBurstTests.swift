import TestSupport
import Testing

@testable import FraudSignals

/// The hours of a campaign that has about two postbacks an hour, for 40 days.
@Suite struct `Bursts of a campaign` {
  private static let profile = [Double](repeating: 1.0 / 24, count: 24)

  private func hours(_ move: (Int32) -> Int32?) -> [Int32: Int32] {
    var (hours, random) = ([Int32: Int32](), SplitMix(seed: 3))
    for hour: Int32 in 0..<960 {
      let count = Int32.random(in: 0...4, using: &random)
      if count > 0, let moved = move(hour) { hours[moved, default: 0] += count }
    }
    return hours
  }

  @Test func `are none if an outage delayed them by two days, and they came in three hours`() throws {
    let hours = hours { (400..<448).contains($0) ? 448 + $0 % 3 : $0 }
    #expect((30...50).contains(try #require(hours[449])))
    #expect(try #require(CampaignBursts.largest(hours, Self.profile)).pValue * 960 > 0.05)
  }

  @Test(arguments: [300, 520]) func `are found in other hours before and after an outage`(_ hour: Int32) throws {
    var hours = hours { (400..<448).contains($0) ? nil : $0 }
    hours[hour] = 40
    let burst = try #require(CampaignBursts.largest(hours, Self.profile))
    #expect(burst.hour == hour && burst.count == 40 && burst.pValue < 1e-9)
  }
}
