internal import ConversionModel

/// The differences between forwarders' copies and devices' own copies of the same postbacks, and the revenue that values
/// mean.
struct ValueChanges: Sendable {
  /// A value in the postbacks that give it the same meaning.
  struct Meaning: Hashable, Sendable {
    let app: String
    let family, window: UInt8
    /// The column and the text of the value.
    let field, value: String
  }

  private struct Key: Hashable, Sendable {
    let forwarder: String
    let app: String
    let family, window: UInt8
    let change: SignalChange
  }

  private var counts: [Key: Int] = [:]
  private var revenue: [Meaning: (currency: String, amount: Amount)] = [:]

  private static let mostEntries = 200_000

  mutating func note(_ meaning: Meaning, _ currency: String, _ amount: Amount) {
    if revenue[meaning] == nil, revenue.count < Self.mostEntries { revenue[meaning] = (currency, amount) }
  }

  mutating func add(_ change: SignalChange, by forwarder: String, _ app: String, _ family: UInt8, _ window: UInt8) {
    add(Key(forwarder: forwarder, app: app, family: family, window: window, change: change), 1)
  }

  private mutating func add(_ key: Key, _ count: Int) {
    if counts[key] != nil || counts.count < Self.mostEntries { counts[key, default: 0] += count }
  }

  mutating func merge(_ later: Self) {
    for (key, count) in later.counts { add(key, count) }
    for (meaning, value) in later.revenue { note(meaning, value.currency, value.amount) }
  }

  /// The most frequent change of one of some fields by a forwarder, and the additional revenue that all of them mean.
  func summary(
    of forwarder: String,
    _ fields: Set<String>
  ) -> (change: SignalChange?, money: [String: Amount]) {
    var changes: [SignalChange: Int] = [:]
    var money: [String: Amount] = [:]
    for (key, count) in counts where key.forwarder == forwarder && fields.contains(key.change.field) {
      changes[key.change, default: 0] += count
      func amount(_ value: String) -> (currency: String, amount: Amount)? {
        revenue[Meaning(app: key.app, family: key.family, window: key.window, field: key.change.field, value: value)]
      }
      guard let high = amount(key.change.to) else { continue }
      let low = amount(key.change.from)?.amount ?? .zero
      money[high.currency, default: .zero] += (high.amount - low) * count
    }
    var most = changes.max { ($0.value, $1.key.from, $1.key.to) < ($1.value, $0.key.from, $0.key.to) }?.key
    if let key = most { most?.count = changes[key] ?? 0 }
    return (most, money)
  }
}
