/// The meanings of the fine values, or of the coarse values, of one window: the rows of a table, ranked by value.
struct ValueTable: Sendable {
  /// By value, nil for those that the model does not list; empty where it lists none.
  let meanings: [Meaning?]
  /// The events that have revenue in any row.
  private let earningEvents: [String]

  /// A table that lists nothing.
  static let empty = ValueTable([])

  init(_ meanings: [Meaning?]) {
    self.meanings = meanings
    var names: [String] = []
    for case let meaning? in meanings {
      for event in meaning.events where event.revenue != nil && !names.contains(event.name) { names.append(event.name) }
    }
    earningEvents = names
  }

  /// The meaning of the row with that number; nil where it is not listed.
  subscript(value: Int) -> Meaning? { meanings.indices.contains(value) ? meanings[value] : nil }

  /// The highest value that is listed.
  var highest: Int? { meanings.lastIndex { $0 != nil } }

  /// The value to tell of an activity, by the rule that `ConversionModel.encode` states, and whether its row contains
  /// the activity. Nil where no row's minimums are reached.
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

  /// Whether the row of `value` contains the activity; false where it is not listed.
  func contains(_ activity: Activity, at value: Int) -> Bool {
    self[value].map { Facts(activity, in: self).areContained(in: $0) } ?? false
  }

  /// An activity, as far as it can be held against the rows of a table.
  private struct Facts {
    let activity: Activity
    /// Whether the table says anything of revenue.
    let hasRevenue: Bool
    /// Whether it is unknown which of the table's events the revenue came from.
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

    /// Nil where it is not known.
    private func count(of event: ModelEvent) -> Int? {
      isEarnerUnknown && event.revenue != nil ? nil : activity.counts[event.name] ?? 0
    }
  }
}

extension Revenue {
  /// Whether `amount` is in the range: from the minimum to below the maximum, or the one exact amount.
  public func contains(_ amount: Amount) -> Bool {
    guard amount >= minimum, let maximum else { return amount >= minimum }
    return maximum == minimum ? amount == minimum : amount < maximum
  }
}
