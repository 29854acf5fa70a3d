import Testing

@testable import Statistics

@Suite struct `Distributions` {
  @Test(arguments: [
    (81, 263, 0.255289, 0.366210), (15, 148, 0.062386, 0.160487), (0, 20, 0, 0.161125), (1, 29, 0.006113, 0.171755),
  ])
  func `Wilson's interval has the published bounds`(_ k: Int, _ n: Int, _ low: Double, _ high: Double) throws {
    let interval = try #require(WilsonRate(k, of: n).interval)
    #expect(abs(interval.low - low) < 5e-7)
    #expect(abs(interval.high - high) < 5e-7)
  }

  @Test func `a rate without trials is null, and one of all or nothing ends at its edge`() {
    #expect(WilsonRate(0, of: 0).rate == nil)
    #expect(WilsonRate(0, of: 0).interval == nil)
    #expect(WilsonRate(7, of: 7).interval?.high == 1)
    #expect(WilsonRate(0, of: 7).interval?.low == 0)
  }

  @Test func `Student's quantile has the tables' values`() {
    #expect(abs(Quantile.student(0.975, degrees: 24) - 2.06390) < 5e-6)
    #expect(abs(Quantile.student(0.975, degrees: 1) - 12.70620) < 5e-6)
    #expect(abs(Quantile.normal(0.975) - 1.959964) < 5e-7)
    #expect(Quantile.student(1, degrees: 3).isNaN)
    #expect(Quantile.student(0.5, degrees: 0).isNaN)
  }

  @Test func `the beta-binomial intervals with Jeffreys' prior are the published ones`() {
    // 25 values of which 6 are events, 25 nulls; and 50 values without an event, 10 nulls.
    let some = BetaBinomial(trials: 25, alpha: 6.5, beta: 19.5)
    #expect(abs(some.mean - 6.25) < 1e-9)
    #expect(some.interval(level: 0.95) == (1, 13))
    let none = BetaBinomial(trials: 10, alpha: 0.5, beta: 50.5)
    #expect(abs(none.mean - 0.0980) < 5e-5)
    #expect(none.interval(level: 0.95) == (0, 1))
    #expect(BetaBinomial(trials: 0, alpha: 1, beta: 1).interval(level: 0.95) == (0, 0))
  }
}
