import ConversionModel
import TestSupport
import Testing

@testable import NullValueModelling
@testable import Statistics

@Suite struct `The model of null conversion values` {
  @Test func `a stratum alone has the published estimate and interval`() throws {
    let stratum = NullStratum(counts: [19, 6], nulls: 25)
    let estimate = try NullModel.alone(stratum, amounts: [0, 5]).sum(over: 25)
    #expect(abs(estimate.mean - 30) < 1e-9)
    #expect(abs(estimate.variance - 219.2308) < 5e-5)
    let interval = estimate.interval()
    #expect(abs(interval.low - 7.6232) < 5e-5)
    #expect(abs(interval.high - 67.8263) < 5e-5)
  }

  @Test func `without null postbacks the interval is the point 0`() throws {
    let estimate = try NullModel.alone(NullStratum(counts: [19, 6], nulls: 0), amounts: [0, 5]).sum(over: 0)
    #expect(estimate.mean == 0)
    #expect(estimate.interval() == Interval(low: 0, high: 0))
  }

  @Test func `what cannot be modelled is refused with its reason`() {
    let amounts = [0.0, 5]
    func reason(_ body: () throws(NullModel.Refusal) -> Void) -> NullModel.Refusal? {
      do throws(NullModel.Refusal) { try body() } catch { return error }
      return nil
    }
    #expect(reason { () throws(NullModel.Refusal) in _ = try NullModel([], amounts: amounts) } == .noValues)
    let few = [NullStratum](repeating: NullStratum(counts: [3, 1], nulls: 2), count: 4)
    #expect(reason { () throws(NullModel.Refusal) in _ = try NullModel(few, amounts: amounts) } == .tooFew)
    let same = [NullStratum](repeating: NullStratum(counts: [9, 0], nulls: 2), count: 9)
    #expect(reason { () throws(NullModel.Refusal) in _ = try NullModel(same, amounts: amounts) } == .noVariation)
    for (counts, refusal) in [([0, 0], NullModel.Refusal.noValues), ([15, 4], .tooFew), ([40, 0], .noVariation)] {
      let stratum = NullStratum(counts: counts, nulls: 5)
      #expect(
        reason { () throws(NullModel.Refusal) in _ = try NullModel.alone(stratum, amounts: amounts) } == refusal
      )
    }
  }

  @Test func `a stratum without values borrows from a pool of eight strata, and not from one of seven`() throws {
    let empty = NullStratum(counts: [0, 0], nulls: 5)
    func pool(_ count: Int) throws -> NullModel {
      let strata = (0..<count).map { (number: Int) in NullStratum(counts: [20 + number, 3 + number % 3], nulls: 4) }
      return try NullModel(strata, amounts: [0, 5])
    }
    let estimate = try pool(8).prediction(empty).sum(over: empty.nulls)
    #expect(estimate.credibility == 0)
    #expect(estimate.mean > 0)
    #expect(throws: NullModel.Refusal.tooFew) { try pool(7).prediction(empty) }
  }

  @Test func `the error of the pool is common to all strata, so a total is wider than independent errors`() throws {
    let strata = (0..<12).map { (number: Int) in NullStratum(counts: [30 + 3 * number, 1 + number % 4], nulls: 10) }
    let model = try NullModel(strata, amounts: [0, 5])
    let estimates = try strata.map { try model.prediction($0).sum(over: $0.nulls) }
    let total = NullEstimate.total(estimates)
    #expect(abs(total.mean - estimates.reduce(0) { $0 + $1.mean }) < 1e-9)
    #expect(total.variance > estimates.reduce(0) { $0 + $1.variance })
  }

  @Test func `a sum over strata ends above with one more value of the greatest amount, and a stratum does not`() throws
  {
    let strata = (0..<10).map { NullStratum(counts: [99, 1, $0 == 0 ? 1 : 0], nulls: 50) }
    let model = try NullModel(strata, amounts: [0, 5, 100])
    func total(_ nulls: Int) throws -> NullEstimate {
      .total(try strata.map { try model.prediction($0).sum(over: nulls) })
    }
    // The expected numbers are those of an implementation with scipy.
    let interval = try total(50).interval()
    #expect(abs(interval.high - 546.1550) < 5e-5 && interval.low == 0)
    var alone = try total(50)
    alone.strata = 1
    #expect(abs(alone.interval().high - 387.5037) < 5e-5)
    // A part of the nulls, such as those of a day, has its part of that value.
    #expect(abs(try total(1).interval().high - 11.7941) < 5e-5)
  }

  @Test func `bounds are those of all nulls at the least and at the greatest amount`() {
    let (five, thirty) = (Amount(5), Amount(30))
    func bounds(_ nulls: Int, most: Amount?, _ minima: [Amount], _ maxima: [Amount?]) -> NullBounds {
      NullBounds(least: thirty, most: most, nulls: nulls, minima: minima, maxima: maxima)
    }
    #expect(bounds(4, most: Amount(40), [.zero, five], [.zero, five]).low == thirty)
    #expect(bounds(4, most: Amount(40), [.zero, five], [.zero, five]).high == Amount(60))
    #expect(bounds(4, most: Amount(40), [.zero, five], [.zero, nil]).high == nil)
    #expect(bounds(4, most: nil, [.zero], [.zero]).high == nil)
    #expect(bounds(0, most: thirty, [five], [five, nil]) == bounds(0, most: thirty, [], []))
  }

  @Test func `strata that differ, and do not vary in themselves, have too few values and not no variation`() {
    let strata = (0..<6).map { NullStratum(counts: $0 % 2 == 0 ? [9, 0] : [0, 9], nulls: 2) }
    #expect(throws: NullModel.Refusal.tooFew) { try NullModel(strata, amounts: [0, 5]) }
  }
}
