extension ConversionModel {
  /// What to tell Apple of a user's activity in a window; nil where the model does not describe the window.
  ///
  /// A value's meaning *contains* the activity where each of its events happened at least `min_count` and at most
  /// `max_count` times, and the activity's revenue is in the range of its events' revenue together: 0 where none has
  /// any. Of events that it does not name it says nothing.
  ///
  /// - Revenue is looked at only where some value has revenue, of the fine ones for a fine value, of the coarse ones for a
  ///   coarse one.
  /// - Revenue without a count of any event that earns in the window leaves open what earned it: then the counts of
  ///   those events are not looked at.
  ///
  /// The value to tell is the highest that has events and contains the activity. Where there is none it is the highest
  /// whose least counts and least revenue are reached; that is exact only where it contains the activity, as a
  /// value without events does when there was no revenue. Where no value is reached, none is told.
  ///
  /// In window 0 the coarse value is that of the fine value where the model derives it (`coarseStarts`), else it is found
  /// by the same rule. Windows 1 and 2 have coarse values only.
  public func encode(_ activity: Activity, window: Int, conversionType: ConversionType? = nil) -> Encoding? {
    self.window(window, conversionType)?.encode(activity)
  }
}

extension ModelWindow {
  /// What to tell Apple of an activity in this window, by the rule of `ConversionModel.encode`.
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

  /// Whether there is a value at which the lock rule locks, where it goes by value.
  var canBeLocked: Bool {
    switch lockRule {
    case .never, .event, .highestValue: true
    case .fineValue(let least): fineTable.highest.map { $0 >= least } ?? false
    case .coarseValue(let least): coarseTable.highest.map { $0 >= least.rank } ?? false
    }
  }
}
