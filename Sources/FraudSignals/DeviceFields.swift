internal import PostbackCopies
internal import Statistics

/// The unsigned fields that devices' own copies have, and what forwarders sent where the device's copy has none.
///
/// A receiver of the copies of an app's devices may lose a field. So a field that none of an app's copies has, of at least 30, tells
/// nothing about what a forwarder sent, and no more does one that none has in a window and a family of versions, or one that fewer have in
/// some days, while the forwarders' copies of the same postbacks have it as often as before (`LostDays`). It may also write 0 for none.
struct DeviceFields: Sendable {
  /// The app, the family of versions and the window.
  typealias Place = ValueChanges.Place

  /// The copies of devices that may have a field.
  struct Field: Compact {
    /// Those that have it.
    var rate = Rate()
    /// The same by day, of postbacks that a forwarder sent, and those of these that have it in any copy.
    var device = DaySeries()
    var sent = DaySeries()

    static func += (left: inout Self, right: Self) {
      left.rate += right.rate
      left.device += right.device
      left.sent += right.sent
    }
  }

  /// The copies of devices, by the fields that they may have.
  struct Copies: DrawnSum {
    /// The fields in the order of `DeviceFields.all`.
    fileprivate(set) var fields = InlineArray<3, Field>(repeating: Field())
    /// The copies without a fine value or with 0, of postbacks that a forwarder sent without one, and those of these with 0.
    var zeros = Rate()

    var records: Int { 0 }

    static func += (left: inout Self, right: Self) {
      for place in left.fields.indices { left.fields[place] += right.fields[place] }
      left.zeros += right.zeros
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

  /// A fine value of 0 of the device, in whose place a forwarder sent none, with the test that it is for.
  struct Zero: DrawnKey {
    let forwarder: String
    let name: SignalName
    let place: Place

    func add(to hash: inout StableHash) {
      hash.add(forwarder)
      place.add(to: &hash)
    }
  }

  /// A field of an app.
  private struct AppField: Hashable {
    let app: String
    let field: UnsignedField
  }

  /// The fields that tests compare.
  static let all: [UnsignedField] = [.conversionValue, .coarseConversionValue, .countryCode]

  /// The test of a field that the device did not send.
  static func test(of field: UnsignedField) -> SignalName { field == .countryCode ? .changedCountries : .addedValues }

  private var copies = DrawnTable<Place, Copies, 50_000>()
  private(set) var additions = DrawnTable<Addition, SignalRates.Entry, 50_000>()
  private(set) var zeros = DrawnTable<Zero, SignalRates.Entry, 50_000>()
  /// The first days on which copies of an app's devices lost fields.
  private var firstLostDays: [AppField: Int32] = [:]

  /// Notes the fields of a device's own copy, and those of the forwarders' copies of the same postback.
  mutating func add(_ device: UnsignedValues, beside sent: [UnsignedValues] = [], in place: Place, on day: Int32 = 0) {
    for key in [place.anyModel, place.ofApp] {
      copies.add(key, records: 0) { found in
        for (index, field) in Self.all.enumerated()
        where Self.mayHave(field, place) && device[field] != UnsignedValues.unreadable {
          let isThere = device[field] >= 0
          found.fields[index].rate.add(isThere)
          guard !sent.isEmpty else { continue }
          let isSent = isThere || sent.contains { $0[field] >= 0 }
          found.fields[index].device.add(DaySeries.Cell(day: day, count: isThere ? 1 : 0, total: 1))
          found.fields[index].sent.add(DaySeries.Cell(day: day, count: isSent ? 1 : 0, total: 1))
        }
        let (fine, absent) = (device[.conversionValue], UnsignedValues.absent)
        guard fine == 0 || fine == absent, sent.contains(where: { $0[.conversionValue] == absent }) else { return }
        found.zeros.add(fine == 0)
      }
    }
  }

  /// Counts a field that a forwarder sent, and the device did not.
  mutating func add(_ field: UnsignedField, by forwarder: String, in place: Place, on day: Int32) {
    additions.add(Addition(forwarder: forwarder, field: field, place: place.anyModel)) {
      $0.series.add(DaySeries.Cell(day: day, count: 1, total: 1))
    }
  }

  /// Counts a fine value of 0 of the device, in whose place a forwarder sent none.
  mutating func addZero(for name: SignalName, by forwarder: String, in place: Place, on day: Int32) {
    zeros.add(Zero(forwarder: forwarder, name: name, place: place.anyModel)) {
      $0.series.add(DaySeries.Cell(day: day, count: 1, total: 1))
    }
  }

  mutating func merge(_ later: Self) {
    copies.merge(later.copies)
    additions.merge(later.additions)
    zeros.merge(later.zeros)
  }

  /// Finds the days on which copies of devices lost fields, once all are counted. What is lost in one window or family of versions is
  /// taken for lost in all of the app: others may have too few postbacks to show it.
  mutating func findLostDays() {
    struct Part: Hashable { let field: UnsignedField, place: Place }
    let parts = additions.entries.keys.flatMap { addition in
      [addition.place.anyModel, addition.place.ofApp].map { Part(field: addition.field, place: $0) }
    }
    for part in Set(parts) {
      guard let index = Self.all.firstIndex(of: part.field), let found = copies.entries[part.place]?.fields[index],
        let lost = LostDays(device: found.device, sent: found.sent)
      else { continue }
      let key = AppField(app: part.place.app, field: part.field)
      firstLostDays[key] = min(firstLostDays[key] ?? .max, lost.first)
    }
  }

  /// Tells if what receives the copies of an app's devices writes a missing fine value as 0: a 0 is in nearly all copies without a
  /// value beside forwarders' that have none. Apple sends no fine value in many postbacks, so that a forwarder that drops zeros has
  /// others without.
  func writeNullAsZero(in place: Place) -> Bool {
    guard let zeros = copies.entries[place.ofApp]?.zeros else { return false }
    return zeros.total >= SignalRates.leastRecords && zeros.count * 20 >= zeros.total * 19
  }

  /// Tells if copies of devices can show that a device sent no such field.
  func areWitnesses(of field: UnsignedField, in place: Place) -> Bool {
    guard Self.mayHave(field, place), let index = Self.all.firstIndex(of: field) else { return true }
    guard firstLostDays[AppField(app: place.app, field: field)] == nil else { return false }
    return [place.anyModel, place.ofApp].allSatisfy { key in
      guard let rate = copies.entries[key]?.fields[index].rate else { return true }
      return rate.count > 0 || rate.total < SignalRates.leastRecords
    }
  }

  /// The apps whose devices' copies never have a field or lost it, with the number of forwarders' copies that have it there, and the day.
  func unwitnessed(_ field: UnsignedField) -> [(app: String, count: Int, since: Int32?)] {
    let found = additions.entries.filter { $0.key.field == field && !areWitnesses(of: field, in: $0.key.place) }
    return Self.byApp(found.map { ($0.key.place, $0.value) }).map { app, count in
      (app, count, firstLostDays[AppField(app: app, field: field)])
    }
  }

  /// The apps whose devices' copies have 0 for a missing fine value, with the number of forwarders' copies that have none there.
  var zeroFilled: [(app: String, count: Int)] {
    let found = zeros.entries.filter { $0.key.name == .loweredValues && writeNullAsZero(in: $0.key.place) }
    return Self.byApp(found.map { ($0.key.place, $0.value) })
  }

  /// The numbers of copies by app, the largest first.
  private static func byApp(_ entries: [(Place, SignalRates.Entry)]) -> [(app: String, count: Int)] {
    var counts: [String: Int] = [:]
    for (place, entry) in entries { counts[place.app, default: 0] += entry.series.rate.total }
    return counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
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
    zeros.encode(&writer)
  }

  init(_ reader: inout CompactReader) { (copies, additions, zeros) = reader.values() }
}

extension DeviceFields.Copies {
  func encode(_ writer: inout CompactWriter) { writer.append(fields[0], fields[1], fields[2], zeros) }
  init(_ reader: inout CompactReader) { (fields[0], fields[1], fields[2], zeros) = reader.values() }
}

extension DeviceFields.Field {
  func encode(_ writer: inout CompactWriter) { writer.append(rate, device, sent) }
  init(_ reader: inout CompactReader) { (rate, device, sent) = reader.values() }
}

extension DeviceFields.Zero {
  func encode(_ writer: inout CompactWriter) { writer.append(forwarder, name, place) }
  init(_ reader: inout CompactReader) { (forwarder, name, place) = reader.values() }
}

extension DeviceFields.Addition {
  func encode(_ writer: inout CompactWriter) { writer.append(forwarder, field, place) }
  init(_ reader: inout CompactReader) { (forwarder, field, place) = reader.values() }
}
