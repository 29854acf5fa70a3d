/// A coarse conversion value.
public enum CoarseValue: String, CaseIterable, Sendable {
  /// `low`.
  case low
  /// `medium`.
  case medium
  /// `high`.
  case high
}
