import ConversionModel
import Testing

@testable import PostbackView

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
