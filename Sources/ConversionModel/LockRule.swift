/// The condition under which the app locks a conversion window, so that its postback is sent before the window ends.
public enum LockRule: Hashable, Sendable {
  /// The app never locks the window.
  case never
  /// The highest fine value that the window lists is reported, or the highest coarse one where it lists no fine
  /// values.
  case highestValue
  /// This fine value or a higher one is reported.
  case fineValue(Int)
  /// This coarse value or a higher one is reported.
  case coarseValue(CoarseValue)
  /// This event has happened.
  case event(String)
}
