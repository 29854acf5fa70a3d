internal import ConversionModel

/// Descriptions of the meaning of conversion values, on one line, for people.
extension DecodedMeaning {
  /// The events: `sign_up 1+, purchase 1+ for 5 to below 20`, or `nothing`.
  package var text: String {
    events.isEmpty ? "nothing" : events.map(\.text).joined(separator: ", ")
  }
}

extension ModelEvent {
  /// The name, the count and the revenue: `purchase 1+ for 5 to below 20`.
  package var text: String { "\(name) \(countText)" + (revenue.map { " for \($0.rangeText)" } ?? "") }

  /// The count: `3`, `1-4`, or `1+` if it has no upper limit.
  private var countText: String {
    guard let maximumCount else { return "\(minimumCount)+" }
    return maximumCount == minimumCount ? "\(minimumCount)" : "\(minimumCount)-\(maximumCount)"
  }
}

extension Revenue {
  /// The range: `9.99`, `5 to below 20`, or `20 or more`.
  package var rangeText: String {
    guard let maximum else { return "\(minimum) or more" }
    return maximum == minimum ? "\(minimum)" : "\(minimum) to below \(maximum)"
  }
}

extension LockRule {
  /// The rule in words, such as `locked at its highest value`.
  package var text: String {
    switch self {
    case .never: "never locked early"
    case .highestValue: "locked at its highest value"
    case .fineValue(let value): "locked from fine value \(value) on"
    case .coarseValue(let value): "locked from \(value.rawValue) on"
    case .event(let name): "locked when \(name) has happened"
    }
  }
}

extension ModelWindow {
  /// The name of the window: `window 0`, `window 1 (re-engagement)`.
  package var title: String {
    "window \(postbackSequenceIndex)" + (conversionType.map { " (\($0.rawValue))" } ?? "")
  }
}
