import Testing

@testable import FraudSignals
@testable import LookupTables
@testable import Statistics

/// The reasons of tests that could not be made.
@Suite struct `Tests that were not made` {
  /// The reason for which a test was not made, with as many records of a forwarder in some tests.
  private func reason(_ name: SignalName, _ records: [SignalName: Int32]) throws -> String {
    var counts = SignalCounts()
    for (name, count) in records {
      let key = SignalRates.Key(name: name, party: SignalParty(kind: .forwarder, name: "one"))
      counts.rates.add(key, DaySeries.Cell(day: 20_000, count: 0, total: count))
    }
    return try #require(SignalOmissions(counts, []).all().first { $0.name == name }).reason
  }

  @Test func `say what devices' copies do not have, and not that there are none`() throws {
    let compared: [SignalName: Int32] = [.deviceCopiesDisagree: 300, .raisedValues: 290, .addedValues: 10]
    #expect(try reason(.addedValues, compared).contains("this copy has no conversion value"))
    #expect(try reason(.changedCountries, compared).contains("has a country"))
    #expect(try reason(.raisedValues, compared).contains("no record"))
    let undecided = try reason(.addedValues, [.deviceCopiesDisagree: 300, .raisedValues: 20, .addedValues: 9])
    #expect(undecided.contains("direct_copies_since") && !undecided.contains("no conversion value"))
    #expect(try reason(.addedValues, [.deviceCopiesDisagree: 29]).contains("NSAdvertisingAttributionReportEndpoint"))
  }
}
