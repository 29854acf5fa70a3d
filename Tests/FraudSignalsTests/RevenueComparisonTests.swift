import ConversionModel
import LookupTables
import Testing

@testable import FraudSignals
@testable import Statistics

/// The money that a forwarder adds beside what is usual. The value 1 means one unit of a currency, and 63 means 63.
@Suite struct `The revenue of a forwarder's values` {
  private let place = ValueChanges.Place(app: "1", family: 1, window: 0)

  private func amount(_ number: Int) -> Amount { Amount(number) }

  /// A comparison of 2000 postbacks, a quarter with revenue, of which `sent` changes some values.
  private func comparison(_ name: String, count: Int = 2000, _ sent: (Int, Int8) -> Int8) -> RevenueComparison {
    var comparison = RevenueComparison(forwarder: name, currency: "USD", largest: amount(63))
    for number in 0..<count {
      let from = Int8(number % 4 == 0 ? 1 + number / 4 % 20 : 0)
      let to = sent(number, from)
      let isGain = to > from
      comparison.add(
        from: amount(Int(from)),
        to: amount(Int(to)),
        isDifference: to != from,
        isGain: isGain,
        1
      )
      comparison.errors.add(
        from: MeantValue(kind: 2, value: from),
        to: MeantValue(kind: 2, value: to),
        in: place,
        isGain: isGain,
        1
      )
    }
    let values = (0...63).map { (MeantValue(kind: 2, value: $0), amount(Int($0))) }
    comparison.errors.expect { _ in Dictionary(uniqueKeysWithValues: values) }
    return comparison
  }

  /// Values that have nothing to do with the device's, in 3 % of the postbacks.
  private func errors(_ number: Int, _ value: Int8) -> Int8 {
    number % 33 == 7 ? Int8(number / 33 * 37 % 64) : value
  }

  private func pValue(_ all: [RevenueComparison]) throws -> Double {
    try #require(RevenueComparison.tests(all).first { $0.party.name == "one" }).pValue
  }

  @Test func `tolerates random errors of an only forwarder, and the same change again and again not`() throws {
    #expect(try pValue([comparison("one", errors)]) > 0.5)
    let raised = comparison("one") { number, value in number % 33 == 7 ? value + 10 : value }
    #expect(try pValue([raised]) < 0.001)
    let highest = comparison("one") { number, value in number % 20 == 7 ? 63 : value }
    #expect(try pValue([highest]) < 0.001)
  }

  @Test func `tolerates random errors beside others only if these are too few to show what is usual`() throws {
    let one = comparison("one", errors)
    #expect(try pValue([one, comparison("two", count: 40) { $1 }]) > 0.5)
    #expect(try pValue([one, comparison("two") { $1 }]) < 0.001)
  }

  @Test func `takes losses off the gains`() throws {
    let test = try #require(
      RevenueComparison.tests([comparison("one") { $0 == 0 ? 0 : $0 == 1 ? 63 : $1 }]).first
    )
    #expect(test.revenue?.gain == amount(62))
    #expect(test.own.count == 1)
  }
}
