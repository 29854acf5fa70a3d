internal import ConversionModel

extension ConversionModel {
  /// What happened at the least, in a window or, where it is cumulative, since the first call, going by the values that
  /// the app told before.
  ///
  /// Over several windows, what a window's value says comes on top of what happened before, unless the window is
  /// cumulative: then it holds that already.
  func leastActivity(toldBy request: ConversionValueRequest, in window: ModelWindow) -> Activity {
    let last = window.postbackSequenceIndex
    var known = Activity()
    for index in (window.isCumulative ? 0 : last)...last {
      guard let other = self.window(index) else { continue }
      let told = request.leastActivity(in: other)
      if other.isCumulative { known.raise(to: told) } else { known.add(told) }
    }
    return known
  }
}

extension ConversionValueRequest {
  /// What the value that the app told last in a window means at the least. In window 0 that is the fine value; the coarse
  /// one, which the published API does not use there, counts only where there is none.
  fileprivate func leastActivity(in window: ModelWindow) -> Activity {
    let index = window.postbackSequenceIndex
    let meaning =
      if index == 0, let currentValue {
        window.meaning(fine: currentValue)
      } else {
        coarseValues[index].flatMap(window.meaning(coarse:))
      }
    return meaning.map(Activity.init(leastOf:)) ?? Activity()
  }
}

/// Models hold counts below 10⁹, 100 events in a value at most: sums of a few are far from any limit.
extension Activity {
  /// What must have happened for a value to mean that.
  fileprivate init(leastOf meaning: Meaning) {
    self.init(revenue: meaning.revenue?.minimum ?? .zero)
    for event in meaning.events where event.minimumCount > 0 {
      counts[event.name] = max(counts[event.name] ?? 0, event.minimumCount)
    }
  }

  fileprivate mutating func add(_ other: Activity) {
    counts.merge(other.counts, uniquingKeysWith: +)
    revenue += other.revenue
  }

  fileprivate mutating func raise(to other: Activity) {
    counts.merge(other.counts, uniquingKeysWith: max)
    revenue = max(revenue, other.revenue)
  }

  /// An event happens once more.
  mutating func count(_ event: String) { counts[event, default: 0] += 1 }
}

extension ModelWindow {
  /// The events that have revenue in any value.
  var earningEvents: Set<String> {
    let meanings = fineValues.compactMap(meaning(fine:)) + CoarseValue.allCases.compactMap(meaning(coarse:))
    return Set(meanings.flatMap(\.events).filter { $0.revenue != nil }.map(\.name))
  }
}
