import ConversionModel
import Testing

@testable import PostbackView

@Suite struct `A quotient` {
  @Test(arguments: [
    (1, 3, "0.333333"), (2, 3, "0.666667"), (1, 8, "0.125"), (0, 5, "0"), (5, 5, "1"), (1, 2_000_000, "0.000001"),
  ]) func `is rounded to six digits`(_ dividend: Int, _ divisor: Int, _ text: String) {
    #expect(Amount.ratio(Int128(dividend), Int128(divisor))?.description == text)
  }

  @Test func `is none by 0 and below, and where it would not be exact`() {
    #expect(Amount.ratio(1, 0) == nil)
    #expect(Amount.ratio(1, -1) == nil)
    #expect(Amount.ratio(Int128.max, 1) == nil)
  }
}

@Suite struct `A column of amounts` {
  @Test func `keeps amounts of any size, and nulls`() throws {
    var column = AmountColumn()
    let amounts: [Amount?] = [
      nil, .zero, try Amount(parsing: "0.000001"), Amount(units: Int128.max), Amount(units: -5),
    ]
    for amount in amounts { column.append(amount) }
    #expect(amounts.indices.map { column[$0] } == amounts)
  }
}
