package import Base
package import ConversionModel
internal import PostbackCopies
internal import TableReading

/// The counts of a settlement, by ad network, app and week.
package struct SettlementCounts: Sendable {
  /// All days, in days since 1970-01-01.
  static let allDays = Int64.min..<Int64.max

  /// The postbacks that are counted together.
  package struct Key: Hashable, Sendable {
    /// The name of the network.
    package let network: String
    /// The advertised app.
    package let appID: Int64
    /// The Monday of the week of the first receipt, in days since 1970-01-01; nil if no copy has a time.
    package let week: Int64?
  }

  /// The counts of a group, over all forwarders and for each.
  package struct Group: Sendable {
    /// The counts of all postbacks.
    package internal(set) var all = PartyCounts()
    /// The counts by forwarder; nil stands for copies without the name of one.
    package internal(set) var forwarders: [ExactText?: PartyCounts] = [:]
  }

  /// A change of decoded revenue against `skan_postbacks`.
  package struct Change: Sendable, Equatable {
    /// The number of rows that decode to something else.
    package internal(set) var rows = 0
    /// The sum of the revenue of these rows in `skan_postbacks`.
    package internal(set) var before = Amount.zero
    /// The sum of their revenue in `skan_settled`.
    package internal(set) var after = Amount.zero
  }

  /// The app and the currency of a change; the currency is nil if no revenue is concerned.
  package struct ChangeKey: Hashable, Sendable {
    package let appID: Int64
    package let currency: String?
  }

  /// The counts by group.
  package internal(set) var groups: [Key: Group] = [:]
  /// The changes against `skan_postbacks`, of all days.
  package internal(set) var changes: [ChangeKey: Change] = [:]
  /// The number of postbacks with each trust level.
  package internal(set) var trustLevels = [Int](repeating: 0, count: 5)
  /// The number of postbacks by app in which a device's own copy contradicts a forwarder's and does not count, because it is
  /// not known from when on the app's devices send copies.
  package internal(set) var undated: [Int64: Int] = [:]
  /// The time of the first device's own copy of each app, in milliseconds since 1970.
  var firstDirect: [Int64: Int64] = [:]
  /// The times of receipt of all copies.
  var receipts = LatestReceipts()

  /// Nothing was counted.
  package init() {}

  /// Compares the decoding of a row with that of `skan_postbacks`.
  mutating func noteChange(_ base: BaseDecoding, _ decoding: Decoding, _ postback: SettledPostback) {
    let isWithheld = postback.settlement.deciding == nil
    let revenue = decoding.revenue
    let currency = revenue == nil ? nil : decoding.currency
    guard
      isWithheld || base.status != decoding.status.rawValue || base.revenue != revenue?.estimate
        || base.minimum != revenue?.minimum || base.maximum != revenue?.maximum || base.currency != currency
        || base.modelID != decoding.ambiguousModels ?? decoding.model?.modelID
        || base.modelVersion != decoding.model.map({ Int64($0.version) })
    else { return }
    var currencies = Set([base.currency, currency])
    if currencies.count > 1 { currencies.remove(nil) }
    for place in currencies {
      var change = Change(rows: 1)
      if base.currency == place, let amount = base.revenue { change.before = amount }
      if currency == place, let revenue { change.after = revenue.estimate }
      changes[ChangeKey(appID: postback.appID, currency: place), default: Change()] += change
    }
  }

  /// Counts a postback. `models` decode values that do not count, to tell what they would have been worth.
  mutating func add(_ postback: SettledPostback, _ models: Models) {
    let settlement = postback.settlement
    trustLevels[settlement.trustLevel] += 1
    for copy in settlement.copies {
      guard let time = copy.time else { continue }
      receipts.add(time)
      if copy.isDirect { firstDirect[postback.appID] = min(firstDirect[postback.appID] ?? time, time) }
    }
    if settlement.isUndated(postback.rule) { undated[postback.appID, default: 0] += 1 }
    let week = postback.day.map { $0 - Self.daysAfterMonday($0) }
    let key = Key(network: postback.network, appID: postback.appID, week: week)
    let day = postback.day.map { Int(Self.daysAfterMonday($0)) }
    groups[key, default: Group()].add(postback, day, models)
  }

  /// The number of days after the last Monday; 1970-01-01 was a Thursday.
  private static func daysAfterMonday(_ day: Int64) -> Int64 { ((day + 3) % 7 + 7) % 7 }

  /// Adds other counts.
  package static func += (left: inout Self, right: Self) {
    for (key, group) in right.groups { left.groups[key, default: Group()] += group }
    for (key, change) in right.changes { left.changes[key, default: Change()] += change }
    for level in left.trustLevels.indices { left.trustLevels[level] += right.trustLevels[level] }
    left.undated.merge(right.undated, uniquingKeysWith: +)
    left.firstDirect.merge(right.firstDirect, uniquingKeysWith: min)
    left.receipts += right.receipts
  }
}

extension SettlementCounts.Group {
  fileprivate mutating func add(_ postback: SettledPostback, _ day: Int?, _ models: Models) {
    let settlement = postback.settlement
    let forwarded = settlement.copies.filter { !$0.isDirect }
    all.add(postback, forwarded, day, models)
    if forwarded.count == 1 {
      forwarders[forwarded[0].forwarder?.exact, default: PartyCounts()].add(postback, forwarded, day, models)
    } else {
      for forwarder in Set(forwarded.map(\.forwarder?.exact)) {
        let own = forwarded.filter { $0.forwarder?.exact == forwarder }
        forwarders[forwarder, default: PartyCounts()].add(postback, own, day, models)
      }
    }
  }

  static func += (left: inout Self, right: Self) {
    left.all += right.all
    for (forwarder, counts) in right.forwarders { left.forwarders[forwarder, default: PartyCounts()] += counts }
  }
}

extension SettlementCounts.Change {
  static func += (left: inout Self, right: Self) {
    left.rows += right.rows
    left.before += right.before
    left.after += right.after
  }
}
