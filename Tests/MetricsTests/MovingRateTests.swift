import Testing

@testable import Metrics

@Suite struct `A moving rate` {
  private let start = ContinuousClock.now

  private func rates(_ seconds: some Sequence<Double>, _ count: (Double) -> Int64) -> MovingRate {
    var rates = MovingRate()
    for second in seconds { rates.add(count(second), at: start + .seconds(second)) }
    return rates
  }

  @Test func `is unknown before time has passed between two counts`() {
    #expect(MovingRate().perSecond(over: .seconds(60)) == nil)
    #expect(rates([0]) { _ in 5 }.perSecond(over: .seconds(60)) == nil)
    #expect(rates([0, 0]) { _ in 5 }.perSecond(over: .seconds(60)) == nil)
    #expect(rates([0, 2]) { Int64($0 * 10) }.perSecond(over: .seconds(60)) == 10)
  }

  @Test func `covers its time span, and nothing before it`() {
    // 100 a second for half an hour, then 10 a second for five minutes.
    let rates = rates(stride(from: 0, through: 2100, by: 1)) { second in
      Int64(min(second, 1800) * 100 + max(second - 1800, 0) * 10)
    }
    #expect(rates.perSecond(over: .seconds(60)) == 10)
    #expect(rates.perSecond(over: MovingRate.longest) == 70)
  }

  @Test func `falls to zero when the count stops growing`() {
    let rates = rates([0, 1, 2, 3, 63, 64]) { Int64(min($0, 3) * 100) }
    #expect(rates.perSecond(over: .seconds(60)) == 0)
  }

  @Test func `includes the last count, however often counts are added`() {
    let rates = rates(stride(from: 0, through: 100, by: 0.125)) { Int64($0 * 8) }
    #expect(rates.perSecond(over: .seconds(60)) == 8)
  }

  @Test func `keeps no more samples than it needs`() {
    var rates = rates(stride(from: 0, through: 10_000, by: 0.25)) { Int64($0) }
    #expect(rates.sampleCount <= 902)
    rates.add(10_000, at: start + .seconds(1_000_000))
    #expect(rates.sampleCount == 2)
    #expect(rates.perSecond(over: .seconds(60)) == 0)
  }
}
