/// The meanings of the fine values, or of the coarse values, of one window: the rows of a table, ranked by value.
struct ValueTable: Sendable {
  /// The meanings by value, nil for a value that the model does not list; empty where it lists none.
  let meanings: [Meaning?]
  /// The events that have revenue in any row.
  private let earningEvents: [String]

  /// A table without meanings.
  static let empty = ValueTable([])

  init(_ meanings: [Meaning?]) {
    self.meanings = meanings
    var names: [String] = []
    for case let meaning? in meanings {
      for event in meaning.events where event.revenue != nil && !names.contains(event.name) { names.append(event.name) }
    }
    earningEvents = names
  }

  /// The meaning of a value; nil where it is not listed.
  subscript(value: Int) -> Meaning? { meanings.indices.contains(value) ? meanings[value] : nil }

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

    func reach(_ meaning: Meaning) -> Bool {
      for event in meaning.events {
        if let count = count(of: event), count < event.minimumCount { return false }
      }
      guard hasRevenue, let revenue = meaning.revenue else { return true }
      return activity.revenue >= revenue.minimum
    }

    func areContained(in meaning: Meaning) -> Bool {
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

extension Revenue {
  /// Tells if `amount` is in the range: from the minimum to below the maximum, or exactly the one amount.
  public func contains(_ amount: Amount) -> Bool {
    guard amount >= minimum, let maximum else { return amount >= minimum }
    return maximum == minimum ? amount == minimum : amount < maximum
  }
}
