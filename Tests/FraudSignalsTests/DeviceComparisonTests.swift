import LookupTables
import SKAdNetwork
import Testing

@testable import FraudSignals
@testable import PostbackCopies
@testable import Statistics

/// The differences of a forwarder's copy from the device's own one.
@Suite struct `A forwarder's copy beside the device's` {
  private static func values(fine: Int64? = nil, coarse: Int64? = nil, country: String? = nil) -> UnsignedValues {
    var values = UnsignedValues()
    if let fine { values[.conversionValue] = fine }
    if let coarse { values[.coarseConversionValue] = coarse }
    if let country { values[.countryCode] = UnsignedValues.country(Array(country.utf8)) }
    return values
  }

  private func comparison(_ device: UnsignedValues, _ sent: UnsignedValues) throws -> DeviceComparison {
    let senders = PostbackSenders([
      PostbackCopy(receivedAt: 0, channel: .networkForwarded, forwarder: "one", values: sent)
    ])
    return DeviceComparison(try #require(senders.senders.first), with: device)
  }

  /// A pair of values, and the tests that count a difference.
  struct Difference: Sendable {
    let device, sent: UnsignedValues
    let names: Set<SignalName>

    init(_ device: UnsignedValues, _ sent: UnsignedValues, _ names: Set<SignalName>) {
      (self.device, self.sent, self.names) = (device, sent, names)
    }
  }

  @Test(arguments: [
    // A coarse value of the device's fine one, beside it and in its place.
    Difference(values(fine: 20), values(fine: 20, coarse: 1), []),
    Difference(values(fine: 20), values(coarse: 1), [.loweredValues]),
    Difference(values(coarse: 1), values(fine: 20, coarse: 1), []),
    Difference(values(coarse: 1), values(fine: 20), [.loweredValues]),
    // A dropped coarse value that has no meaning beside a fine one.
    Difference(values(fine: 20, coarse: 1), values(fine: 20), []),
    Difference(values(), values(fine: 20, coarse: 1), [.addedValues]),
    Difference(values(), values(coarse: 0), [.addedValues]), Difference(values(), values(fine: 0), []),
    Difference(values(fine: 20), values(fine: 21, coarse: 1), [.raisedValues]),
    Difference(values(coarse: 1), values(coarse: 2), [.raisedValues]),
    Difference(values(coarse: 1), values(), [.loweredValues, .inventedNulls]),
  ])
  func `adds a value only where the device has none of either kind`(_ difference: Difference) throws {
    var counts = SignalCounts()
    let place = ValueChanges.Place(app: "1", family: 1, window: 0)
    counts.add(try comparison(difference.device, difference.sent), by: "one", place, on: 20_000)
    counts.complete()
    let found = counts.rates.entries.filter { $0.value.series.rate.count > 0 }.map(\.key.name)
    #expect(Set(found) == difference.names)
    let total = counts.rates.entries.first { $0.key.name == .addedValues }?.value.series.rate.total ?? 0
    #expect(total == (difference.device == Self.values() ? 1 : 0))
  }

  /// What a forwarder adds in postbacks whose devices' copies have nothing, beside other copies of the app's devices.
  private func counts(adding sent: UnsignedValues, copies: Int = 30, beside others: [(UInt8, UnsignedValues)] = [])
    throws
    -> SignalCounts
  {
    func place(_ window: UInt8) -> ValueChanges.Place { ValueChanges.Place(app: "1", family: 1, window: window) }
    var counts = SignalCounts()
    for (window, device) in others { counts.deviceFields.add(device, in: place(window)) }
    for _ in 0..<copies {
      counts.deviceFields.add(Self.values(), in: place(0))
      counts.add(try comparison(Self.values(), sent), by: "one", place(0), on: 20_000)
    }
    counts.complete()
    return counts
  }

  @Test(arguments: [SignalName.addedValues, .changedCountries])
  func `adds nothing to a field that no copy of the app's devices has`(_ name: SignalName) throws {
    let sent = name == .addedValues ? Self.values(coarse: 2) : Self.values(country: "FR")
    func entry(_ counts: SignalCounts) throws -> (rate: Rate, leftOut: Int) {
      let entry = try #require(counts.rates.entries.first { $0.key.name == name }?.value)
      return (entry.series.rate, entry.leftOut)
    }
    let lost = try counts(adding: sent)
    #expect(try entry(lost) == (Rate(), 30))
    #expect(lost.changes.mostFrequent(name, by: "one") == nil)
    let omissions = SignalOmissions(lost, []).partial().filter { $0.name == name }
    #expect(omissions.contains { $0.reason.contains("30 of the app 1.") })
    // One copy that has it shows that it is kept; so few may have none by chance; and so may another window alone.
    let kept = try counts(adding: sent, beside: [(0, sent)])
    #expect(try entry(kept) == (Rate(count: 30, total: 30), 0))
    #expect(kept.changes.mostFrequent(name, by: "one")?.count == 30)
    #expect(try entry(try counts(adding: sent, copies: 29)).rate == Rate(count: 29, total: 29))
    if name == .addedValues {
      #expect(try entry(try counts(adding: sent, beside: [(1, sent)])).leftOut == 30)
      #expect(try entry(try counts(adding: sent, copies: 29, beside: [(1, sent)])).leftOut == 0)
      #expect(try entry(try counts(adding: sent, copies: 29, beside: [(1, Self.values())])).leftOut == 29)
    }
  }

  @Test func `is about the tests that leave it out where the device's copy does not count`() throws {
    func names(_ device: UnsignedValues, _ sent: UnsignedValues) throws -> Set<SignalName> {
      Set(try comparison(device, sent).names)
    }
    let ofValues: Set<SignalName> = [.raisedValues, .loweredValues, .inventedNulls, .raisedRevenue]
    #expect(try names(Self.values(fine: 3), Self.values(fine: 3)) == ofValues)
    #expect(try names(Self.values(coarse: 1), Self.values(country: "FR")) == ofValues.union([.changedCountries]))
    #expect(try names(Self.values(), Self.values()) == [.addedValues])
    #expect(try names(Self.values(), Self.values(coarse: 0)) == [.addedValues, .raisedRevenue])
  }

  @Test func `changes no country by letters that are none, nor by UK for GB`() throws {
    for (device, sent) in [("GB", "UK"), (nil, "ZZ"), ("US", "EU"), ("XK", "XK")] {
      let found = try comparison(Self.values(country: device), Self.values(country: sent))
      #expect(found.country == nil, "\(sent)")
      #expect(found.hasReadableCountries == (device == sent || sent == "UK"))
    }
    #expect(try comparison(Self.values(country: "GB"), Self.values(country: "UA")).country != nil)
  }
}
