internal import ConversionModel
internal import PostbackCopies
internal import Tables

/// The differences between forwarders' copies and devices' own copies of the same postbacks, and the revenue that values
/// mean.
struct ValueChanges: Sendable {
  fileprivate struct Meaning: DrawnKey {
    let place: Place
    let value: MeantValue

    func add(to hash: inout StableHash) {
      place.add(to: &hash)
      hash.add(value.order)
    }
  }

  fileprivate struct Revenue: Equatable {
    let currency: String
    let amount: Amount
  }

  /// The revenue of a meaning; nil if rows of several models differ in it.
  fileprivate struct Known: DrawnSum {
    var isNoted = false
    var revenue: Revenue?

    static func += (left: inout Self, right: Self) {
      if !left.isNoted { left = right } else if right.isNoted, left.revenue != right.revenue { left.revenue = nil }
    }

    var records: Int { 0 }
  }

  fileprivate struct ChangeKey: DrawnKey {
    let forwarder: String
    let name: SignalName
    let change: ValueChange
    /// The place of a value that the device may not have sent so; nil for other changes.
    let place: Place?

    func add(to hash: inout StableHash) {
      hash.add(forwarder)
      place?.add(to: &hash)
      for number in [change.field.rawValue, Int(change.from), Int(change.to)] { hash.add(number) }
    }
  }

  /// The values of a device and of a forwarder in one postback, with the test that the difference is for.
  fileprivate struct Pair: DrawnKey {
    let forwarder: String
    let place: Place
    let from, to: MeantValue
    let name: SignalName?

    /// Indicates that the forwarder's value is higher, or of the other kind. A 0 for a missing value is no difference.
    var isHigher: Bool {
      switch name {
      case nil: false
      case .loweredValues: from.kind != to.kind
      default: true
      }
    }

    var order: [String] { [forwarder, name?.rawValue ?? "", "\(from.order)", "\(to.order)"] + place.order }

    func add(to hash: inout StableHash) {
      hash.add(forwarder)
      place.add(to: &hash)
      for number in [from.order, to.order] { hash.add(number) }
    }
  }

  private var changes = DrawnTable<ChangeKey, Int, 200_000>()
  private var pairs = DrawnTable<Pair, Int, 200_000>()
  private var revenue = DrawnTable<Meaning, Known, 200_000>()
  /// The postbacks of forwarders that are left out, because copies of devices cannot show what the device sent.
  private var unwitnessed: [String: Int] = [:]
  /// The revenue of all values of the models, in the places with compared values.
  private var modelled: [Place: [MeantValue: Revenue]] = [:]

  /// Notes the revenue that a value means.
  mutating func note(_ value: MeantValue, in place: Place, _ currency: String, _ amount: Amount) {
    let known = Known(isNoted: true, revenue: Revenue(currency: currency, amount: amount))
    revenue.add(Meaning(place: place, value: value), known)
    if place.model != nil { revenue.add(Meaning(place: place.anyModel, value: value), known) }
  }

  /// Notes the revenue of compared values that no row has which counts, such as one that a forwarder raised. Models with windows
  /// of one type of conversion alone are left out, since a pair does not tell its type.
  mutating func note(_ models: [ConversionModel]) {
    func name(_ app: String, _ model: String, _ version: Int64) -> [String] { [app, model, "\(version)"] }
    let models = Dictionary(
      models.map { (name("\($0.appID)", $0.label.modelID, Int64($0.label.version)), $0) }
    ) { $1 }
    for pair in pairs.entries.keys {
      guard let id = pair.place.model, let model = models[name(pair.place.app, id, pair.place.version)],
        let currency = model.currency,
        model.windows.allSatisfy({ $0.conversionType == nil })
      else { continue }
      if modelled[pair.place] == nil {
        let amounts = model.amounts(window: Int(pair.place.window))
        modelled[pair.place] = amounts.mapValues { Revenue(currency: currency, amount: $0) }
      }
      for value in [pair.from, pair.to] where revenue.entries[Meaning(place: pair.place, value: value)] == nil {
        guard let amount = modelled[pair.place]?[value]?.amount else { continue }
        note(value, in: pair.place, currency, amount)
      }
    }
  }

  /// Counts a difference that a test is about.
  mutating func add(_ change: ValueChange, for name: SignalName, by forwarder: String, in place: Place) {
    let isDoubtful = change.from == UnsignedValues.absent || change.isZeroToNone
    let key = ChangeKey(forwarder: forwarder, name: name, change: change, place: isDoubtful ? place.anyModel : nil)
    changes.add(key, 1)
  }

  /// Counts the values of a compared postback. `name` is the test that a difference is for; nil if there is none.
  mutating func add(
    _ values: (from: MeantValue, to: MeantValue),
    in place: Place,
    for name: SignalName?,
    by forwarder: String
  ) {
    pairs.add(Pair(forwarder: forwarder, place: place, from: values.from, to: values.to, name: name), 1)
  }

  /// Leaves out, once all records are counted, values that devices did not send, and zeros, where their copies are no witnesses of that.
  mutating func leaveOut(_ fields: DeviceFields) {
    changes.removeAll { key, _ in
      guard let place = key.place else { return false }
      if key.change.isZeroToNone { return fields.writeNullAsZero(in: place) }
      return !fields.areWitnesses(of: key.change.field, in: place)
    }
    pairs.removeAll { pair, count in
      switch pair.name {
      case .addedValues:
        let field: UnsignedField = pair.to.fine == nil ? .coarseConversionValue : .conversionValue
        guard pair.from == .none, !fields.areWitnesses(of: field, in: pair.place) else { return false }
      case .loweredValues:
        guard pair.from.fine == 0, pair.to.fine == nil, fields.writeNullAsZero(in: pair.place) else { return false }
      default: return false
      }
      unwitnessed[pair.forwarder, default: 0] += count
      return true
    }
  }

  mutating func merge(_ later: Self) {
    changes.merge(later.changes)
    pairs.merge(later.pairs)
    revenue.merge(later.revenue)
  }

  // MARK: - Results

  /// The most frequent change that a test is about, by a forwarder; nil if there is none.
  func mostFrequent(_ name: SignalName, by forwarder: String) -> SignalChange? {
    var own: [ValueChange: Int] = [:]
    for (key, count) in changes.entries where key.forwarder == forwarder && key.name == name {
      own[key.change, default: 0] += count
    }
    let most = own.max {
      ($0.value, $1.key.from, $1.key.to, $1.key.field.rawValue)
        < ($1.value, $0.key.from, $0.key.to, $0.key.field.rawValue)
    }
    guard let (change, count) = most else { return nil }
    let field = change.field
    return SignalChange(
      field: field.name.rawValue,
      from: UnsignedValues.text(change.from, of: field),
      to: UnsignedValues.text(change.to, of: field),
      count: count
    )
  }

  /// The sum by which a forwarder's values mean more revenue than the devices' in the differences of some tests, by
  /// currency.
  func revenueEffect(_ names: Set<SignalName>, by forwarder: String) -> [String: Amount] {
    var sums: [String: Amount] = [:]
    for (pair, count) in pairs.entries where pair.forwarder == forwarder && pair.name.map(names.contains) == true {
      guard let (currency, from, to) = amounts(pair) else { continue }
      sums[currency, default: .zero] += (to - from) * count
    }
    return sums
  }

  /// The comparisons of revenue, by forwarder and currency.
  func comparisons() -> [RevenueComparison] {
    struct Key: Hashable { let forwarder, currency: String }
    var found: [Key: RevenueComparison] = [:]
    var unpriced = unwitnessed
    var largest: [String: Amount] = [:]
    for case let revenue? in revenue.entries.values.map(\.revenue) {
      largest[revenue.currency] = max(largest[revenue.currency] ?? .zero, revenue.amount)
    }
    let known = knownRevenue
    // Squares are no exact sums: they are added up in the same order.
    for (pair, count) in pairs.entries.sorted(by: { $0.key.order.lexicographicallyPrecedes($1.key.order) }) {
      guard let (currency, from, to) = amounts(pair) else {
        if pair.from != .none || pair.to != .none { unpriced[pair.forwarder, default: 0] += count }
        continue
      }
      let key = Key(forwarder: pair.forwarder, currency: currency)
      var comparison =
        found[key]
        ?? RevenueComparison(forwarder: pair.forwarder, currency: currency, largest: largest[currency] ?? .zero)
      comparison.add(from: from, to: to, isDifference: pair.name != nil, isGain: pair.isHigher, count)
      comparison.errors.add(
        from: pair.from,
        to: pair.to,
        in: pair.place,
        isGain: pair.isHigher && to > from,
        count
      )
      found[key] = comparison
    }
    return found.sorted { ($0.key.forwarder, $0.key.currency) < ($1.key.forwarder, $1.key.currency) }.map {
      key,
      comparison in
      var comparison = comparison
      comparison.unpriced = unpriced[key.forwarder] ?? 0
      comparison.errors.expect { place in
        (known[place] ?? [:]).filter { $0.value.currency == key.currency }.mapValues(\.amount)
      }
      return comparison
    }
  }

  /// The revenue of all known values, by place.
  private var knownRevenue: [Place: [MeantValue: Revenue]] {
    var found = modelled
    for (meaning, known) in revenue.entries {
      if let revenue = known.revenue { found[meaning.place, default: [:]][meaning.value] = revenue }
    }
    return found
  }

  /// The revenue that both values of a pair mean; nil if it is not known of one, or if both have none.
  private func amounts(_ pair: Pair) -> (currency: String, from: Amount, to: Amount)? {
    func meaning(_ value: MeantValue) -> Revenue? {
      let known = revenue.entries
      if let found = known[Meaning(place: pair.place, value: value)] { return found.revenue }
      return known[Meaning(place: pair.place.anyModel, value: value)]?.revenue
    }
    switch (pair.from, pair.to) {
    case (.none, .none): return nil
    case (.none, let value): return meaning(value).map { ($0.currency, .zero, $0.amount) }
    case (let value, .none): return meaning(value).map { ($0.currency, $0.amount, .zero) }
    case (let one, let other):
      guard let from = meaning(one), let to = meaning(other), from.currency == to.currency else { return nil }
      return (from.currency, from.amount, to.amount)
    }
  }
}

// MARK: - Bytes

extension ValueChanges: Compact {
  func encode(_ writer: inout CompactWriter) {
    changes.encode(&writer)
    pairs.encode(&writer)
    revenue.encode(&writer)
  }

  init(_ reader: inout CompactReader) { (changes, pairs, revenue) = reader.values() }
}

extension ValueChanges.Meaning {
  func encode(_ writer: inout CompactWriter) { writer.append(place, value) }
  init(_ reader: inout CompactReader) { (place, value) = reader.values() }
}

extension ValueChanges.Known {
  func encode(_ writer: inout CompactWriter) {
    writer.append(isNoted, revenue?.currency, revenue?.amount ?? .zero)
  }

  init(_ reader: inout CompactReader) {
    let (currency, amount): (String?, Amount)
    (isNoted, currency, amount) = reader.values()
    revenue = currency.map { ValueChanges.Revenue(currency: $0, amount: amount) }
  }
}

extension ValueChanges.ChangeKey {
  func encode(_ writer: inout CompactWriter) {
    writer.append(forwarder, name, change.field, change.from, change.to, place != nil)
    place?.encode(&writer)
  }

  init(_ reader: inout CompactReader) {
    (forwarder, name) = reader.values()
    change = ValueChange(field: UnsignedField(&reader), from: Int64(&reader), to: Int64(&reader))
    place = Bool(&reader) ? ValueChanges.Place(&reader) : nil
  }
}

extension ValueChanges.Pair {
  func encode(_ writer: inout CompactWriter) { writer.append(forwarder, name?.rawValue, place, from, to) }

  init(_ reader: inout CompactReader) {
    let name: String?
    (forwarder, name, place, from, to) = reader.values()
    self.name = name.flatMap(SignalName.init)
  }
}

extension MeantValue: Compact {
  func encode(_ writer: inout CompactWriter) { writer.append(kind, value) }
  init(_ reader: inout CompactReader) { self.init(kind: UInt8(&reader), value: Int8(&reader)) }
}
