import Base
import ConversionModel
import TestSupport
import Testing

@Suite struct CurrencyRatesTests {
  private static let text = """
    date,currency,rate
    2026-03-06,EUR,1
    2026-03-06,USD,1.0867
    2026-03-06,JPY,163.24
    2026-03-09,EUR,1
    2026-03-09,USD,1.1
    """

  private func rates(_ text: String = text) throws -> CurrencyRates {
    try CurrencyRates(parsing: Array(text.utf8), file: "r.csv")
  }

  private func day(_ text: String) throws -> Timestamp { try #require(Timestamp(text + "T23:59:59Z")) }

  private func problems(_ text: String) -> [String] {
    do {
      _ = try rates(text)
      return []
    } catch let error as ModelErrors {
      return error.problems.map { "\($0.line ?? 0)" }
    } catch {
      return ["\(error)"]
    }
  }

  @Test(
    arguments: [
      ("9.99", "EUR", "USD", "2026-03-09", "10.989"), ("10.867", "USD", "EUR", "2026-03-06", "10"),
      ("1", "USD", "EUR", "2026-03-06", "0.920217"), ("100", "JPY", "USD", "2026-03-06", "0.665707"),
      // A day without rates takes those before; one where a currency is missing, too.
      ("1", "EUR", "USD", "2026-03-08", "1.0867"), ("1", "EUR", "USD", "2026-03-16", "1.1"),
      ("1", "EUR", "JPY", "2026-03-09", "163.24"),
      ("7", "XXX", "XXX", "1970-01-01", "7"), ("0", "EUR", "USD", "2026-03-09", "0"),
    ]
  )
  func `an amount is converted at the rates of the day`(
    _ amount: String,
    _ source: String,
    _ target: String,
    _ date: String,
    _ expected: String
  ) throws {
    let converted = try rates().convert(Amount(parsing: amount), from: source, to: target, on: day(date))
    #expect(converted.description == expected)
  }

  @Test(arguments: [
    ("EUR", "GBP", "2026-03-09", "GBP"), ("GBP", "EUR", "2026-03-09", "GBP"),
    ("EUR", "USD", "2026-03-05", "EUR"), ("EUR", "USD", "2026-03-17", "EUR"), ("USD", "JPY", "2026-03-14", "JPY"),
  ])
  func `a missing rate is named with its date`(
    _ source: String,
    _ target: String,
    _ date: String,
    _ missing: String
  ) throws {
    let failure = try #require(throws: CurrencyConversionError.self) {
      try rates().convert(Amount(1), from: source, to: target, on: day(date))
    }
    #expect(failure.description.contains("no rate of \(missing) on \(date)"))
  }

  @Test(arguments: [
    ("0.0000005", "0"), ("0.0000015", "0.000002"), ("0.0000025", "0.000002"), ("0.00000251", "0.000003"),
    ("0.0000035", "0.000004"),
  ])
  func `halves are rounded to even`(_ rate: String, _ expected: String) throws {
    let rates = try rates("date,currency,rate\n2026-03-06,EUR,1\n2026-03-06,XXX,\(rate)")
    #expect(try rates.convert(Amount(1), from: "EUR", to: "XXX", on: day("2026-03-06")).description == expected)
  }

  @Test func `extreme amounts and rates do not trap`() throws {
    let rates = try rates(
      """
      date,currency,rate
      1970-01-01,EUR,1
      1970-01-01,BIG,999999999999.999999999
      1970-01-01,TIN,0.000000000001
      """
    )
    let most = try Amount(parsing: "999999999999999.999999")
    let time = Timestamp(milliseconds: 0)
    #expect(throws: CurrencyConversionError.self) { try rates.convert(most, from: "TIN", to: "BIG", on: time) }
    #expect(try rates.convert(most, from: "BIG", to: "TIN", on: time) == .zero)
    #expect(try rates.convert(most, from: "BIG", to: "EUR", on: time).description == "1000")
    var sum = most
    for _ in 0..<40 { sum += sum }
    #expect(throws: CurrencyConversionError.self) { try rates.convert(sum, from: "EUR", to: "BIG", on: time) }
    #expect(try rates.convert(Amount(-3), from: "EUR", to: "BIG", on: time).description == "-3000000000000")
    for time in [Int64.min, .max] {
      #expect(throws: CurrencyConversionError.self) {
        try rates.convert(most, from: "EUR", to: "BIG", on: Timestamp(milliseconds: time))
      }
    }
  }

  @Test func `converting there and back changes only the rounding`() throws {
    var random = SplitMix(seed: 1)
    for _ in 0..<2000 {
      let rate = decimal(Int.random(in: 1_000_000...1_000_000_000, using: &random))
      let rates = try rates("date,currency,rate\n2026-03-06,EUR,1\n2026-03-06,XXX,\(rate)")
      let micros = Int.random(in: 0...1_000_000_000_000, using: &random)
      let amount = try Amount(parsing: decimal(micros))
      let there = try rates.convert(amount, from: "EUR", to: "XXX", on: day("2026-03-06"))
      let back = try rates.convert(there, from: "XXX", to: "EUR", on: day("2026-03-06"))
      let (least, most) = (try Amount(parsing: decimal(max(micros - 1, 0))), try Amount(parsing: decimal(micros + 1)))
      #expect(back >= least && back <= most)
    }
  }

  @Test(
    arguments: [
      ("", ["0"]), ("currency,date,rate", ["1"]), ("date,currency,rate", []), ("\u{FEFF}date,currency,rate\r\n", []),
      ("\"date\",\"currency\",\"rate\"\r\n2026-03-06,\"EUR\",1\r\n", []),
      ("date,currency,rate\n\n2026-03-06,EUR,1\n\n", []),
      ("date,currency,rate\n2026-03-06,EUR,1\n2026-03-06,EUR,1", ["3"]),
      ("date,currency,rate\n2026-03-06,EUR,2", ["0"]), ("date,currency,rate\n2026-03-06,EUR", ["2"]),
      ("date,currency,rate\n2026-03-06,EUR,1\n2026-02-30,EUR,1\n2026-03-06,eur,1\n2026-03-06,USD,0", ["3", "4", "5"]),
      (
        "date,currency,rate\n2026-03-06,EUR,1\n2026-03-06,USD,1e12\n2026-03-06,GBP,-1\n2026-03-06,JPY,1e-13",
        ["3", "4", "5"]
      ),
      (
        "date,currency,rate\n\"2026-03-06\n\",EUR,1\n2026-03-06,\"E\"UR,1\n2026-03-06,E\"R,1\n\"2026",
        ["2", "4", "5", "6"]
      ),
    ] as [(String, [String])]
  )
  func `an invalid record is named by its line`(_ text: String, _ lines: [String]) {
    #expect(problems(text).sorted() == lines)
  }

  @Test func `a missing file, and one that is not UTF-8, are reported`() throws {
    #expect(throws: ModelErrors.self) { try CurrencyRates(loading: "/nonexistent/rates.csv") }
    #expect(throws: ModelErrors.self) { try CurrencyRates(parsing: [0xFF], file: "r.csv") }
  }
}
