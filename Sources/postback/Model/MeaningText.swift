internal import ConversionModel

/// What values of models mean, in a line for a person.
extension Meaning {
  /// The events: `sign_up 1+, purchase 1+ for 5 to below 20`, or `nothing`.
  var text: String {
    events.isEmpty ? "nothing" : events.map(\.text).joined(separator: ", ")
  }
}

extension ModelEvent {
  /// The name, how often, and for how much: `purchase 1+ for 5 to below 20`.
  var text: String { "\(name) \(countText)" + (revenue.map { " for \($0.rangeText)" } ?? "") }

  /// `3`, `1-4`, or `1+` where it is open.
  private var countText: String {
    guard let maximumCount else { return "\(minimumCount)+" }
    return maximumCount == minimumCount ? "\(minimumCount)" : "\(minimumCount)-\(maximumCount)"
  }
}

extension Revenue {
  /// The range: `9.99`, `5 to below 20`, or `20 or more`.
  var rangeText: String {
    guard let maximum else { return "\(minimum) or more" }
    return maximum == minimum ? "\(minimum)" : "\(minimum) to below \(maximum)"
  }
}

extension LockRule {
  /// When the window is locked.
  var text: String {
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
  /// Which window it is: `window 0`, `window 1 (re-engagement)`.
  var title: String {
    "window \(postbackSequenceIndex)" + (conversionType.map { " (\($0.rawValue))" } ?? "")
  }
}
