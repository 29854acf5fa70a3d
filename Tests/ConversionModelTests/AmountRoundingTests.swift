import ConversionModel
import Testing

@Suite struct AmountRoundingTests {
  @Test(
    arguments: [
      ("0", "0"), ("9.99", "9.99"), ("19.979999999999997", "19.98"), ("0.30000000000000004", "0.3"),
      ("0.0000005", "0"), ("0.0000015", "0.000002"), ("0.0000025", "0.000002"), ("0.00000050000001", "0.000001"),
      ("1e-7", "0"), ("9e-7", "0.000001"), ("1e-99999999999999999999", "0"), ("12345e-2", "123.45"),
      ("99999999999999.999999", "99999999999999.999999"), ("99999999999999.9999999", "100000000000000"),
    ]
  )
  func `an amount is the nearest with six digits`(_ text: String, _ amount: String) throws {
    #expect(try Amount(rounding: text).description == amount)
  }

  @Test(
    arguments: [
      ("-1", .negative), ("1e15", .tooLarge), ("1e99999999999999999999", .tooLarge), ("", .notANumber),
      ("1.", .notANumber), ("0x1", .notANumber), ("1000000000000000.0000001", .tooLarge),
      ("0.1234567890123456789012", .tooPrecise),
    ] as [(String, AmountDefect)]
  )
  func `what is no amount is refused`(_ text: String, _ defect: AmountDefect) {
    #expect(throws: defect) { try Amount(rounding: text) }
  }
}
