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
    let found = counts.rates.entries.filter { $0.value.series.rate.count > 0 }.map(\.key.name)
    #expect(Set(found) == difference.names)
    let total = counts.rates.entries.first { $0.key.name == .addedValues }?.value.series.rate.total ?? 0
    #expect(total == (difference.device == Self.values() ? 1 : 0))
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
