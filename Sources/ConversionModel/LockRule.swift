/// When the app locks a conversion window, so that its postback comes before the window has ended.
public enum LockRule: Hashable, Sendable {
  /// Never.
  case never
  /// When the highest value that the window lists is told.
  case highestValue
  /// When this fine value is told, or a higher one.
  case fineValue(Int)
  /// When this coarse value is told, or a higher one.
  case coarseValue(CoarseValue)
  /// When this event has happened.
  case event(String)
}
