internal import PostbackCopies
internal import Statistics

/// The unsigned fields that devices' own copies have, and what forwarders sent where the device's copy has none.
///
/// A receiver of the copies of an app's devices may lose a field. So a field that none of an app's copies has, of at least 30, tells
/// nothing about what a forwarder sent, and no more does one that none has in a window and a family of versions.
struct DeviceFields: Sendable {
  /// The app, the family of versions and the window.
  typealias Place = ValueChanges.Place

  /// The copies of devices that may have a field, with those that have it.
  struct Copies: DrawnSum {
    /// The rates in the order of `DeviceFields.all`.
    fileprivate(set) var rates = InlineArray<3, Rate>(repeating: Rate())

    var records: Int { 0 }

    static func += (left: inout Self, right: Self) {
      for place in left.rates.indices { left.rates[place] += right.rates[place] }
    }
  }

  /// A field that a forwarder sent, and the device did not.
  struct Addition: DrawnKey {
    let forwarder: String
    let field: UnsignedField
    let place: Place

    /// The test that it is for.
    var name: SignalName { DeviceFields.test(of: field) }

    func add(to hash: inout StableHash) {
      hash.add(forwarder)
      hash.add(field.rawValue)
      place.add(to: &hash)
    }
  }

  /// The fields that tests compare.
  static let all: [UnsignedField] = [.conversionValue, .coarseConversionValue, .countryCode]

  /// The test of a field that the device did not send.
  static func test(of field: UnsignedField) -> SignalName { field == .countryCode ? .changedCountries : .addedValues }

  private var copies = DrawnTable<Place, Copies, 50_000>()
  private(set) var additions = DrawnTable<Addition, SignalRates.Entry, 50_000>()

  /// Notes the fields of a device's own copy.
  mutating func add(_ device: UnsignedValues, in place: Place) {
    var found = Copies()
    for (index, field) in Self.all.enumerated()
    where Self.mayHave(field, place) && device[field] != UnsignedValues.unreadable {
      found.rates[index].add(device[field] >= 0)
    }
    for key in [place.anyModel, place.ofApp] { copies.add(key, found) }
  }

  /// Counts a field that a forwarder sent, and the device did not.
  mutating func add(_ field: UnsignedField, by forwarder: String, in place: Place, on day: Int32) {
    additions.add(Addition(forwarder: forwarder, field: field, place: place.anyModel)) {
      $0.series.add(DaySeries.Cell(day: day, count: 1, total: 1))
    }
  }

  mutating func merge(_ later: Self) {
    copies.merge(later.copies)
    additions.merge(later.additions)
  }

  /// Tells if copies of devices can show that a device sent no such field.
  func areWitnesses(of field: UnsignedField, in place: Place) -> Bool {
    guard Self.mayHave(field, place), let index = Self.all.firstIndex(of: field) else { return true }
    return [place.anyModel, place.ofApp].allSatisfy { key in
      guard let rate = copies.entries[key]?.rates[index] else { return true }
      return rate.count > 0 || rate.total < SignalRates.leastRecords
    }
  }

  /// The apps whose devices' copies never have a field, with the number of forwarders' copies that have it there.
  func unwitnessed(_ field: UnsignedField) -> [(app: String, count: Int)] {
    var counts: [String: Int] = [:]
    for (key, entry) in additions.entries where key.field == field && !areWitnesses(of: field, in: key.place) {
      counts[key.place.app, default: 0] += entry.series.rate.total
    }
    return counts.map { ($0.key, $0.value) }.sorted { ($1.count, $0.app) < ($0.count, $1.app) }
  }

  /// Tells if Apple may send a field. Where it does not, a copy without the field has lost none.
  private static func mayHave(_ field: UnsignedField, _ place: Place) -> Bool {
    field == .coarseConversionValue ? place.family > 0 : place.window == 0
  }
}

// MARK: - Bytes

extension DeviceFields: Compact {
  func encode(_ writer: inout CompactWriter) {
    copies.encode(&writer)
    additions.encode(&writer)
  }

  init(_ reader: inout CompactReader) { (copies, additions) = reader.values() }
}

extension DeviceFields.Copies {
  func encode(_ writer: inout CompactWriter) { writer.append(rates[0], rates[1], rates[2]) }
  init(_ reader: inout CompactReader) { (rates[0], rates[1], rates[2]) = reader.values() }
}

extension DeviceFields.Addition {
  func encode(_ writer: inout CompactWriter) { writer.append(forwarder, field, place) }
  init(_ reader: inout CompactReader) { (forwarder, field, place) = reader.values() }
}
