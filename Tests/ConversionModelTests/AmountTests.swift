@testable import ConversionModel
import Testing

@Suite struct AmountTests {
  @Test(arguments: [
    ("0", "0"), ("0.0", "0"), ("0e999999999999999999999", "0"), ("0.000e-5", "0"),
    ("5", "5"), ("5.000000000000", "5"), ("9.99", "9.99"), ("0.005", "0.005"), ("0.000001", "0.000001"), ("100", "100"),
    ("1e3", "1000"), ("1E+3", "1000"), ("12.5e-1", "1.25"), ("1200e-2", "12"), ("0.0000001e1", "0.000001"),
    ("999999999999999.999999", "999999999999999.999999"), ("1e14", "100000000000000"),
  ])
  func `an amount is parsed exactly`(_ text: String, _ expected: String) throws {
    #expect(try Amount(parsing: text).description == expected)
  }

  @Test(arguments: [
    "0", "5", "9.99", "0.0000005", "-0.0000005", "123456789012345678901.2345678", "-9999999999999999999999999999",
  ])
  func `an amount is read as it was written`(_ text: String) {
    #expect(Amount(written: text.utf8.span)?.description == text)
  }

  @Test(arguments: [
    "", "-", "+5", "1e3", "1,5", "1.2.3", "0.00000001", "1 ", "NaN", "999999999999999999999999999999999999999",
    "-99999999999999999999999999999999999999",
  ])
  func `no other text is an amount that was written`(_ text: String) {
    #expect(Amount(written: text.utf8.span) == nil)
  }

  @Test(arguments: [
    ("", AmountDefect.notANumber), (".5", .notANumber), ("5.", .notANumber), ("05", .notANumber), ("+5", .notANumber),
    ("1e", .notANumber), ("1e+", .notANumber), ("1 ", .notANumber), ("NaN", .notANumber), ("0x1", .notANumber),
    ("١", .notANumber), ("1,5", .notANumber), ("1.2.3", .notANumber),
    ("-1", .negative), ("-0.5", .negative),
    ("1e15", .tooLarge), ("1000000000000000", .tooLarge), ("1e99999999999999999999", .tooLarge),
    ("99999999999999999999999999999999999999999999999", .tooLarge),
    ("0.0000001", .tooPrecise), ("1e-7", .tooPrecise), ("1e-99999999999999999999", .tooPrecise),
    ("0.3333333333333333333333333333333333333333333333", .tooPrecise),
  ])
  func `text that is not an exact amount is refused`(_ text: String, _ defect: AmountDefect) {
    #expect(throws: defect) { try Amount(parsing: text) }
  }

  @Test func `one tenth and two tenths are exactly three tenths`() throws {
    #expect(try Amount(parsing: "0.1") + Amount(parsing: "0.2") == Amount(parsing: "0.3"))
    var sum = Amount.zero
    for _ in 0..<100_000 { sum += try Amount(parsing: "0.00001") }
    #expect(sum == Amount(1))
  }

  @Test(arguments: [
    ("0.01", "5", "2.505"), ("9.99", "9.99", "9.99"), ("0", "0.000001", "0.0000005"), ("1", "2", "1.5"),
    ("999999999999999.999998", "999999999999999.999999", "999999999999999.9999985"),
  ])
  func `the middle of two amounts is exact`(_ one: String, _ other: String, _ middle: String) throws {
    let (one, other) = (try Amount(parsing: one), try Amount(parsing: other))
    #expect(Amount.midpoint(one, other).description == middle)
    #expect(Amount.midpoint(other, one) == .midpoint(one, other))
  }

  @Test func `amounts are ordered by size, not by text`() throws {
    #expect(try Amount(parsing: "9.99") < Amount(parsing: "10"))
    #expect(try Amount(parsing: "1.50") == Amount(parsing: "15e-1"))
  }

  @Test func `sums beyond the largest amount are written in full`() throws {
    var sum = try Amount(parsing: "999999999999999.999999")
    for _ in 0..<20 { sum += sum }
    #expect(sum.description == "1048575999999999999998.951424")
    #expect(Amount(-3).description == "-3")
  }
}

@Suite struct AmountRoundingTests {
  @Test(
    arguments: [
      ("0", "0"), ("9.99", "9.99"), ("19.979999999999997", "19.98"), ("0.30000000000000004", "0.3"),
      ("0.0000005", "0"), ("0.0000015", "0.000002"), ("0.0000025", "0.000002"), ("0.00000050000001", "0.000001"),
      ("1e-7", "0"), ("9e-7", "0.000001"), ("1e-99999999999999999999", "0"), ("12345e-2", "123.45"),
      ("99999999999999.999999", "99999999999999.999999"), ("99999999999999.9999999", "100000000000000"),
    ]
  )
  func `a long decimal is rounded to six digits`(_ text: String, _ amount: String) throws {
    #expect(try Amount(rounding: text).description == amount)
  }

  @Test(
    arguments: [
      ("-1", .negative), ("1e15", .tooLarge), ("1e99999999999999999999", .tooLarge), ("", .notANumber),
      ("1.", .notANumber), ("0x1", .notANumber), ("1000000000000000.0000001", .tooLarge),
      ("0.1234567890123456789012", .tooPrecise),
    ] as [(String, AmountDefect)]
  )
  func `text that is not an amount is refused`(_ text: String, _ defect: AmountDefect) {
    #expect(throws: defect) { try Amount(rounding: text) }
  }
}
