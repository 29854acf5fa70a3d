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
  public func encode(_ activity: Activity, window: Int, conversionType: ConversionType? = nil) -> Encoding? {
    self.window(window, conversionType)?.encode(activity)
  }
}

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
