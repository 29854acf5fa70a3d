@available(iOS 18.0, *)
extension ConversionModel {
  /// Returns the conversion values to report to Apple for a user's activity in a window; nil where the model does not
  /// describe the window.
  ///
  /// A value's meaning *contains* the activity if each of its events happened at least `min_count` and at most
  /// `max_count` times, and the activity's revenue is in the range of the events' total revenue, which is 0 where none
  /// of them has any. Events that the meaning does not name are not checked.
  ///
  /// - Revenue is checked only where some value has revenue: a fine one for the fine value, a coarse one for the
  ///   coarse value.
  /// - If there is revenue, but no count of any event that earns in the window, the source of the revenue is unknown.
  ///   Then the counts of the earning events are not checked.
  ///
  /// The value to report is the highest that has events and contains the activity. If there is none, it is the highest
  /// value whose least counts and least revenue are reached. That one is exact only if it contains the activity, as a
  /// value without events does when there was no revenue. If no value is reached, none is reported.
  ///
  /// In window 0 the coarse value is derived from the fine value where the model says so (`coarseStarts`), else it is
  /// found by the same rule. Windows 1 and 2 have coarse values only.
  public func encode(_ activity: Activity, window: Int, conversionType: ConversionType? = .install) -> Encoding? {
    self.window(window, conversionType)?.encode(activity)
  }
}

@available(iOS 18.0, *)
extension ModelWindow {
  /// Returns the values to report for an activity in this window, by the rule of `ConversionModel.encode`.
  func encode(_ activity: Activity) -> Encoding {
    let fine = fineTable.value(for: activity)
    let coarse: (value: Int, isExact: Bool)?
    if let coarseStarts {
      let value = fine.map { coarseStarts.coarse(of: $0.value).rank }
      coarse = value.flatMap { coarseTable[$0] == nil ? nil : ($0, coarseTable.contains(activity, at: $0)) }
    } else {
      coarse = coarseTable.value(for: activity)
    }
    return Encoding(
      fine: fine?.value,
      coarse: coarse.flatMap { CoarseValue(rank: $0.value) },
      locksWindow: isLocked(by: activity, fine: fine?.value, coarse: coarse?.value),
      isExact: (fine ?? coarse) != nil && fine?.isExact ?? true && coarse?.isExact ?? true
    )
  }

  private func isLocked(by activity: Activity, fine: Int?, coarse: Int?) -> Bool {
    switch lockRule {
    case .never: false
    case .highestValue:
      if let highest = fineTable.highest { fine == highest } else { coarse != nil && coarse == coarseTable.highest }
    case .fineValue(let least): fine.map { $0 >= least } ?? false
    case .coarseValue(let least): coarse.map { $0 >= least.rank } ?? false
    case .event(let name): activity.counts[name] ?? 0 > 0
    }
  }

  /// Tells if the window lists a value at which the lock rule applies; always true for a rule without a value of its
  /// own.
  var canBeLocked: Bool {
    switch lockRule {
    case .never, .event, .highestValue: true
    case .fineValue(let least): fineTable.highest.map { $0 >= least } ?? false
    case .coarseValue(let least): coarseTable.highest.map { $0 >= least.rank } ?? false
    }
  }
}

/// A user's known activity in a conversion window, or since the first launch where the window is cumulative.
@available(iOS 18.0, *)
public struct Activity: Hashable, Sendable {
  /// The number of times that each event happened, by its name; an event that is not listed did not happen.
  public var counts: [String: Int]
  /// The total of the model's kind of revenue, in the model's currency.
  public var revenue: Amount

  /// The event whose count is the day on which a user was last active, days of 24 hours from 0.
  package static let lastActiveDay = "last_active_day"

  /// An activity of these counts and this revenue; without arguments, an empty one.
  public init(counts: [String: Int] = [:], revenue: Amount = .zero) {
    (self.counts, self.revenue) = (counts, revenue)
  }
}

/// The conversion values to report to Apple for a user, under a conversion model.
public struct Encoding: Hashable, Sendable {
  /// The fine value; nil in windows 1 and 2, and where no value fits.
  public let fine: Int?
  /// The coarse value; nil where the model has none that fits.
  public let coarse: CoarseValue?
  /// Indicates that the app locks the window now, so that its postback is sent early.
  public let locksWindow: Bool
  /// Indicates that the reported values decode to ranges that contain the activity's counts and revenue.
  ///
  /// False where the activity is beyond all values or between two, and where no value is reported.
  public let isExact: Bool
}

/// The meanings of the fine values, or of the coarse values, of one window: the rows of a table, ranked by value.
@available(iOS 18.0, *)
struct ValueTable: Sendable {
  /// The meanings by value, nil for a value that the model does not list; empty where it lists none.
  let meanings: [DecodedMeaning?]
  /// The events that have revenue in any row.
  private let earningEvents: [String]

  /// A table without meanings.
  static let empty = ValueTable([])

  init(_ meanings: [DecodedMeaning?]) {
    self.meanings = meanings
    var names: [String] = []
    for case let meaning? in meanings {
      for event in meaning.events where event.revenue != nil && !names.contains(event.name) { names.append(event.name) }
    }
    earningEvents = names
  }

  /// The meaning of a value; nil where it is not listed.
  subscript(value: Int) -> DecodedMeaning? { meanings.indices.contains(value) ? meanings[value] : nil }

  /// The highest value that is listed.
  var highest: Int? { meanings.lastIndex { $0 != nil } }

  /// The value to report for an activity, by the rule of `ConversionModel.encode`; `isExact` says that the meaning of
  /// the value contains the activity. Nil where no meaning's minimums are reached.
  func value(for activity: Activity) -> (value: Int, isExact: Bool)? {
    let facts = Facts(activity, in: self)
    var reached: Int?
    for (value, meaning) in meanings.enumerated().reversed() {
      guard let meaning, facts.reach(meaning) else { continue }
      if !meaning.events.isEmpty, facts.areContained(in: meaning) { return (value, true) }
      reached = reached ?? value
    }
    return reached.map { ($0, contains(activity, at: $0)) }
  }

  /// Tells if the meaning of `value` contains the activity; false where the value is not listed.
  func contains(_ activity: Activity, at value: Int) -> Bool {
    self[value].map { Facts(activity, in: self).areContained(in: $0) } ?? false
  }

  /// An activity, prepared for the comparison with the meanings of a table.
  private struct Facts {
    let activity: Activity
    /// Indicates that a meaning in the table has revenue.
    let hasRevenue: Bool
    /// Indicates that the activity has revenue, but no count of any event that earns revenue in the table.
    let isEarnerUnknown: Bool

    init(_ activity: Activity, in table: ValueTable) {
      self.activity = activity
      hasRevenue = !table.earningEvents.isEmpty
      isEarnerUnknown =
        activity.revenue > .zero && !table.earningEvents.contains { activity.counts[$0] ?? 0 > 0 }
    }

    func reach(_ meaning: DecodedMeaning) -> Bool {
      for event in meaning.events {
        if let count = count(of: event), count < event.minimumCount { return false }
      }
      guard hasRevenue, let revenue = meaning.revenue else { return true }
      return activity.revenue >= revenue.minimum
    }

    func areContained(in meaning: DecodedMeaning) -> Bool {
      for event in meaning.events {
        guard let count = count(of: event) else { continue }
        if count < event.minimumCount || event.maximumCount.map({ count > $0 }) ?? false { return false }
      }
      guard hasRevenue, let revenue = meaning.revenue else { return true }
      return revenue.contains(activity.revenue)
    }

    /// The number of times that the event happened; nil where it is not known.
    private func count(of event: ModelEvent) -> Int? {
      isEarnerUnknown && event.revenue != nil ? nil : activity.counts[event.name] ?? 0
    }
  }
}
