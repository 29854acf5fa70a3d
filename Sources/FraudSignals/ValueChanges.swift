internal import ConversionModel
internal import PostbackCopies
internal import Tables

/// The differences between forwarders' copies and devices' own copies of the same postbacks, and the revenue that values
/// mean.
struct ValueChanges: Sendable {
  /// What gives a value its meaning: the app, the versions, the window and the model.
  struct Place: Hashable, Sendable {
    let app: String
    let family, window: UInt8
    /// The model and its version; nil for any, if the row was not decoded.
    var model: String?
    var version: Int64 = 0

    fileprivate var anyModel: Place { Place(app: app, family: family, window: window) }
  }

  private struct Meaning: Hashable, Sendable {
    let place: Place
    let value: MeantValue
  }

  private struct Revenue: Equatable, Sendable {
    let currency: String
    let amount: Amount
  }

  private struct ChangeKey: Hashable, Sendable {
    let forwarder: String
    let name: SignalName
    let change: ValueChange
  }

  /// The values of a device and of a forwarder in one postback, with the test that the difference is for.
  private struct Pair: Hashable, Sendable {
    let forwarder: String
    let place: Place
    let from, to: MeantValue
    let name: SignalName?

    var order: [String] {
      [forwarder, place.app, place.model ?? "", name?.rawValue ?? ""]
        + [Int(place.family), Int(place.window), Int(place.version), from.order, to.order].map { String($0) }
    }
  }

  private var changes: [ChangeKey: Int] = [:]
  private var pairs: [Pair: Int] = [:]
  /// The revenue of each meaning; nil if rows of several models differ in it.
  private var revenue: [Meaning: Revenue?] = [:]

  private static let mostEntries = 200_000

  /// Notes the revenue that a value means.
  mutating func note(_ value: MeantValue, in place: Place, _ currency: String, _ amount: Amount) {
    note(Meaning(place: place, value: value), Revenue(currency: currency, amount: amount))
    if place.model != nil {
      note(Meaning(place: place.anyModel, value: value), Revenue(currency: currency, amount: amount))
    }
  }

  /// Tells if it is noted what a value means.
  func knows(_ value: MeantValue, in place: Place) -> Bool { revenue[Meaning(place: place, value: value)] != nil }

  private mutating func note(_ meaning: Meaning, _ found: Revenue?) {
    if let known = revenue[meaning] {
      if known != found { revenue[meaning] = .some(nil) }
    } else if revenue.count < Self.mostEntries {
      revenue[meaning] = .some(found)
    }
  }

  /// Counts a difference that a test is about.
  mutating func add(_ change: ValueChange, for name: SignalName, by forwarder: String) {
    add(ChangeKey(forwarder: forwarder, name: name, change: change), 1)
  }

  private mutating func add(_ key: ChangeKey, _ count: Int) {
    if changes[key] != nil || changes.count < Self.mostEntries { changes[key, default: 0] += count }
  }

  /// Counts the values of a compared postback. `name` is the test that a difference is for; nil if there is none.
  mutating func add(
    _ values: (from: MeantValue, to: MeantValue),
    in place: Place,
    for name: SignalName?,
    by forwarder: String
  ) {
    add(Pair(forwarder: forwarder, place: place, from: values.from, to: values.to, name: name), 1)
  }

  private mutating func add(_ pair: Pair, _ count: Int) {
    if pairs[pair] != nil || pairs.count < Self.mostEntries { pairs[pair, default: 0] += count }
  }

  mutating func merge(_ later: Self) {
    for (key, count) in later.changes { add(key, count) }
    for (pair, count) in later.pairs { add(pair, count) }
    for (meaning, value) in later.revenue { note(meaning, value) }
  }

  // MARK: - Results

  /// The most frequent change that a test is about, by a forwarder; nil if there is none.
  func mostFrequent(_ name: SignalName, by forwarder: String) -> SignalChange? {
    let own = changes.filter { $0.key.forwarder == forwarder && $0.key.name == name }
    let most = own.max {
      ($0.value, $1.key.change.from, $1.key.change.to, $1.key.change.field.rawValue)
        < ($1.value, $0.key.change.from, $0.key.change.to, $0.key.change.field.rawValue)
    }
    guard let (key, count) = most else { return nil }
    let (field, change) = (key.change.field, key.change)
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
    for (pair, count) in pairs where pair.forwarder == forwarder && pair.name.map(names.contains) == true {
      guard let (currency, from, to) = amounts(pair) else { continue }
      sums[currency, default: .zero] += (to - from) * count
    }
    return sums
  }

  /// The comparisons of revenue, by forwarder and currency.
  func comparisons() -> [RevenueComparison] {
    struct Key: Hashable { let forwarder, currency: String }
    var found: [Key: RevenueComparison] = [:]
    var unpriced: [String: Int] = [:]
    var largest: [String: Amount] = [:]
    for case let revenue? in revenue.values {
      largest[revenue.currency] = max(largest[revenue.currency] ?? .zero, revenue.amount)
    }
    // Squares are no exact sums: they are added up in the same order.
    for (pair, count) in pairs.sorted(by: { $0.key.order.lexicographicallyPrecedes($1.key.order) }) {
      guard let (currency, from, to) = amounts(pair) else {
        if pair.from != .none || pair.to != .none { unpriced[pair.forwarder, default: 0] += count }
        continue
      }
      let key = Key(forwarder: pair.forwarder, currency: currency)
      var comparison =
        found[key]
        ?? RevenueComparison(forwarder: pair.forwarder, currency: currency, largest: largest[currency] ?? .zero)
      comparison.add(from: from, to: to, isGain: pair.name == .raisedValues || pair.name == .addedValues, count)
      found[key] = comparison
    }
    return found.sorted { ($0.key.forwarder, $0.key.currency) < ($1.key.forwarder, $1.key.currency) }.map {
      key,
      comparison in
      var comparison = comparison
      comparison.unpriced = unpriced[key.forwarder] ?? 0
      return comparison
    }
  }

  /// What both values of a pair mean; nil if that is not known of one, or if both have none.
  private func amounts(_ pair: Pair) -> (currency: String, from: Amount, to: Amount)? {
    func meaning(_ value: MeantValue) -> Revenue? {
      if let found = revenue[Meaning(place: pair.place, value: value)] { return found }
      return revenue[Meaning(place: pair.place.anyModel, value: value)] ?? nil
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
