/// A coarse conversion value.
public enum CoarseValue: String, CaseIterable, Comparable, Sendable {
  /// `low`.
  case low
  /// `medium`.
  case medium
  /// `high`.
  case high

  /// The value's rank: 0 for low, 1 for medium, 2 for high.
  public var rank: Int {
    switch self {
    case .low: 0
    case .medium: 1
    case .high: 2
    }
  }

  /// The value with that rank; nil for a rank other than 0, 1 or 2.
  public init?(rank: Int) {
    switch rank {
    case 0: self = .low
    case 1: self = .medium
    case 2: self = .high
    default: return nil
    }
  }

  /// Tells if `left` ranks below `right`.
  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}
