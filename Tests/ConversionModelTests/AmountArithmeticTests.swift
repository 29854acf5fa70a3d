import TestSupport
import Testing

@testable import ConversionModel

@Suite struct AmountArithmeticTests {
  @Test(arguments: [
    ("1", 1, "3", 1, "0.333333"), ("2", 1, "3", 1, "0.666667"), ("1", 1, "8", 1, "0.125"), ("0", 5, "3", 1, "0"),
    // Ties go to the even digit.
    ("0.000001", 1, "2", 1, "0"), ("0.000003", 1, "2", 1, "0.000002"), ("0.000005", 1, "2", 1, "0.000002"),
    ("30", 50, "25", 1, "60"), ("30", 50, "100", 25, "0.6"),
    // 10²¹ × 10⁷ / (10²¹ × 10⁷ × 3) needs more than 128 bits on its way.
    ("999999999999999.999999", 10_000_000, "999999999999999.999999", 30_000_000, "0.333333"),
    ("999999999999999.999999", 9_223_372_036_854_775_807, "9", 9_223_372_036_854_775_807, "111111111111111.111111"),
  ])
  func `a quotient is exact, and rounded half to even`(
    _ dividend: String,
    _ factor: Int,
    _ divisor: String,
    _ scale: Int,
    _ quotient: String
  ) throws {
    let (one, other) = (try Amount(parsing: dividend), try Amount(parsing: divisor))
    #expect(Amount.quotient(one, times: factor, by: other, per: scale)?.description == quotient)
    let isZero = quotient == "0"
    #expect(
      Amount.quotient(-one, times: factor, by: other, per: scale)?.description == (isZero ? "0" : "-\(quotient)")
    )
    #expect(Amount.quotient(one, times: -factor, by: -other, per: scale)?.description == quotient)
  }

  @Test func `a quotient by 0, or one that is too large, is null`() throws {
    #expect(Amount.quotient(Amount(1), by: .zero) == nil)
    #expect(Amount.quotient(.zero, by: .zero) == nil)
    #expect(Amount.quotient(Amount(1), by: Amount(1), per: 0) == nil)
    let least = try Amount(parsing: "0.000001")
    #expect(Amount.quotient(Amount(999_999_999_999_999), by: least)?.description == "999999999999999000000")
    #expect(Amount.quotient(Amount(1_000_000_000_000_000), by: least) == nil)
    #expect(Amount.quotient(Amount(.max), times: .max, by: least) == nil)
    #expect(Amount.quotient(Amount(1), by: Amount(.max), per: 1000) == .zero)
    #expect(Amount.quotient(Amount(1), by: Amount(.max), per: .max) == nil)
  }

  @Test func `small quotients are those of integers`() {
    var random = SplitMix(seed: 7)
    for _ in 0..<10_000 {
      let (dividend, divisor) = (Int.random(in: 0...99_999, using: &random), Int.random(in: 1...999, using: &random))
      let (whole, rest) = (dividend * 1_000_000).quotientAndRemainder(dividingBy: divisor)
      let isUp = 2 * rest > divisor || 2 * rest == divisor && !whole.isMultiple(of: 2)
      let millionths = Amount.quotient(Amount(dividend), by: Amount(divisor)).map { $0.units / 10 }
      #expect(millionths == Int128(whole + (isUp ? 1 : 0)))
    }
  }

  @Test func `differences and opposites are exact`() throws {
    let (one, other) = (try Amount(parsing: "0.1"), try Amount(parsing: "0.3"))
    #expect((one - other).description == "-0.2")
    #expect((-(one - other)).description == "0.2")
    #expect(-Amount.zero == .zero)
  }

  @Test(arguments: [
    (0.1, "0.1"), (-2.0, "-2"), (0.0000005, "0"), (0.0000015, "0.000002"), (1.0 / 3, "0.333333"),
    (999_999_999_999_999, "999999999999999"),
  ])
  func `a statistic is rounded to six digits`(_ number: Double, _ text: String) {
    #expect(Amount(estimate: number)?.description == text)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e24, -1e24])
  func `a statistic that is no amount is null`(_ number: Double) {
    #expect(Amount(estimate: number) == nil)
  }
}
