internal import ConversionModel

extension ConversionModel {
  /// Returns the least activity in a window that explains the values which the app set before. For a cumulative window
  /// this is the activity since the first call.
  ///
  /// Over several windows, the meaning of each window's value is added to the activity before it. If a window is
  /// cumulative, its meaning includes the earlier activity, and the larger of the two counts.
  func leastActivity(reportedBy request: ConversionValueRequest, in window: ModelWindow) -> Activity {
    let last = window.postbackSequenceIndex
    var known = Activity()
    for index in (window.isCumulative ? 0 : last)...last {
      guard let other = self.window(index) else { continue }
      let reported = request.leastActivity(in: other)
      if other.isCumulative { known.raise(to: reported) } else { known.add(reported) }
    }
    return known
  }
}

extension ConversionValueRequest {
  /// Returns the least activity that the last value in a window means. In window 0 that is the fine value. The coarse
  /// value, which the published API does not use in window 0, counts there only if there is no fine one.
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

// The sums cannot overflow: a model's counts are below 10⁹, and a value has at most 100 events.
extension Activity {
  /// The minimum revenue and event counts of a meaning.
  fileprivate init(leastOf meaning: DecodedMeaning) {
    self.init(revenue: meaning.revenue?.minimum ?? .zero)
    for event in meaning.events where event.minimumCount > 0 {
      counts[event.name] = max(counts[event.name] ?? 0, event.minimumCount)
    }
  }

  /// Adds the counts and the revenue of another activity.
  fileprivate mutating func add(_ other: Activity) {
    counts.merge(other.counts, uniquingKeysWith: +)
    revenue += other.revenue
  }

  /// Raises each count and the revenue to those of another activity, where they are lower.
  fileprivate mutating func raise(to other: Activity) {
    counts.merge(other.counts, uniquingKeysWith: max)
    revenue = max(revenue, other.revenue)
  }

  /// Adds one occurrence of an event.
  mutating func count(_ event: String) { counts[event, default: 0] += 1 }
}

extension ModelWindow {
  /// The events that carry revenue in at least one value of the window. Without one its values do not depend on revenue.
  var earningEvents: Set<String> {
    let meanings = fineValues.compactMap(meaning(fine:)) + CoarseValue.allCases.compactMap(meaning(coarse:))
    return Set(meanings.flatMap(\.events).filter { $0.revenue != nil }.map(\.name))
  }
}
