/// A coarse conversion value.
public enum CoarseValue: String, CaseIterable, Comparable, Sendable {
  /// `low`.
  case low
  /// `medium`.
  case medium
  /// `high`.
  case high

  /// The value's place: 0 for low, 1 for medium, 2 for high.
  public var rank: Int {
    switch self {
    case .low: 0
    case .medium: 1
    case .high: 2
    }
  }

  /// The value with that place.
  public init?(rank: Int) {
    switch rank {
    case 0: self = .low
    case 1: self = .medium
    case 2: self = .high
    default: return nil
    }
  }

  /// Whether `left` is the lower one.
  public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}
