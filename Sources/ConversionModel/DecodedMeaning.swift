/// The meaning of a conversion value in a model.
///
/// An instance never changes.
@available(iOS 18.0, *)
public final class DecodedMeaning: Sendable {
  /// The events that happened, in the model's order; empty where the value says that none did.
  public let events: [ModelEvent]
  /// The total revenue of the events, zero where none has any; nil in a model without a currency.
  public let revenue: Revenue?

  init(events: [ModelEvent], hasCurrency: Bool) {
    self.events = events
    revenue = hasCurrency ? events.reduce(.zero) { sum, event in event.revenue.map { sum + $0 } ?? sum } : nil
  }

  /// Tells if both have the same events, in any order.
  public func isSame(as other: DecodedMeaning) -> Bool {
    func times(_ event: ModelEvent, in events: [ModelEvent]) -> Int { events.count { $0 == event } }
    return events == other.events
      || events.count == other.events.count
        && events.allSatisfy { times($0, in: events) == times($0, in: other.events) }
  }
}

/// An event that a conversion value stands for, with the ranges of its count and revenue.
@available(iOS 18.0, *)
public struct ModelEvent: Hashable, Sendable {
  /// The event's name, 1 to 256 bytes.
  public let name: String
  /// The least number of times that the event happened.
  public let minimumCount: Int
  /// The greatest number of times that the event happened; nil where it is open.
  public internal(set) var maximumCount: Int?
  /// The total revenue of all these times; nil where the event has none.
  public internal(set) var revenue: Revenue?

  /// The middle of the least and the greatest count, which may end in .5; the least count where the greatest is open.
  public var estimatedCount: Amount {
    .midpoint(Amount(minimumCount), Amount(maximumCount ?? minimumCount))
  }
}

/// An amount of revenue that is known as a range, with an estimate in that range.
@available(iOS 18.0, *)
public struct Revenue: Hashable, Sendable {
  /// The model's `value` where it has one, else the middle of the range.
  public let estimate: Amount
  /// The least possible amount.
  public let minimum: Amount
  /// The exclusive upper limit, or the exact amount where it equals `minimum`; nil where there is no upper limit.
  public let maximum: Amount?

  /// No revenue, as an exact amount.
  public static let zero = Revenue(estimate: .zero, minimum: .zero, maximum: .zero)

  /// The sums of the estimates and of the limits; the sum has no upper limit where either amount has none.
  public static func + (left: Revenue, right: Revenue) -> Revenue {
    var maximum: Amount?
    if let one = left.maximum, let other = right.maximum { maximum = one + other }
    return Revenue(estimate: left.estimate + right.estimate, minimum: left.minimum + right.minimum, maximum: maximum)
  }

  /// Tells if `amount` is in the range: from the minimum to below the maximum, or exactly the one amount.
  public func contains(_ amount: Amount) -> Bool {
    guard amount >= minimum, let maximum else { return amount >= minimum }
    return maximum == minimum ? amount == minimum : amount < maximum
  }
}

/// The source of a model's revenue.
public enum RevenueKind: String, CaseIterable, Sendable {
  /// Purchases and ads together.
  case all
  /// In-app purchases and subscriptions.
  case inAppPurchases = "iap"
  /// Ads shown in the app.
  case adMonetization = "admon"

  /// Returns the part of purchases, that of ads, or both.
  package func parts<Part>(purchases: Part, ads: Part) -> [Part] {
    switch self {
    case .all: [purchases, ads]
    case .inAppPurchases: [purchases]
    case .adMonetization: [ads]
    }
  }
}

@available(iOS 18.0, *)
extension DecodedMeaning {
  /// The meaning that covers all `meanings`, of which there is at least one.
  ///
  /// An event's counts and revenue range from the least to the greatest of any of the meanings; a meaning that does
  /// not name the event counts as 0. The revenue estimate is the mean of the estimates.
  convenience init(covering meanings: [DecodedMeaning], hasCurrency: Bool) {
    var names: [String] = []
    for event in meanings.flatMap(\.events) where !names.contains(event.name) { names.append(event.name) }
    let events = names.map { name in ModelEvent(covering: meanings.map { $0.events.filter { $0.name == name } }, name) }
    self.init(events: events, hasCurrency: hasCurrency)
  }
}

@available(iOS 18.0, *)
extension ModelEvent {
  /// The event `name` that covers several meanings; each element of `mentions` holds one meaning's entries for it.
  fileprivate init(covering mentions: [[ModelEvent]], _ name: String) {
    let said = mentions.flatMap { $0 }
    let isMissing = mentions.contains { $0.isEmpty }
    let isOpen = said.contains { $0.maximumCount == nil }
    let hasRevenue = said.contains { $0.revenue != nil }
    self.init(
      name: name,
      minimumCount: isMissing ? 0 : said.map(\.minimumCount).min() ?? 0,
      maximumCount: isOpen ? nil : said.compactMap(\.maximumCount).max(),
      revenue: hasRevenue
        ? Revenue(covering: mentions.map { $0.compactMap(\.revenue).reduce(.zero, +) }) : nil
    )
  }
}

@available(iOS 18.0, *)
extension Revenue {
  /// The range that covers several, of which there is at least one.
  fileprivate init(covering all: [Revenue]) {
    let minimum = all.map(\.minimum).min() ?? .zero
    let isExact = all.allSatisfy { $0.minimum == minimum && $0.maximum == minimum }
    let isOpen = all.contains { $0.maximum == nil }
    // A range excludes its maximum, so the maximum has to be above an exact amount that it covers.
    let maximum = all.compactMap { $0.maximum == $0.minimum ? $0.minimum.successor : $0.maximum }.max()
    self.init(
      estimate: .mean(all.map(\.estimate)),
      minimum: minimum,
      maximum: isExact ? minimum : isOpen ? nil : maximum.flatMap { $0 < .limit ? $0 : nil }
    )
  }
}
