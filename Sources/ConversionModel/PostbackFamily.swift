/// The versions of Apple's frameworks, grouped by the timers that trigger their postbacks.
public enum PostbackFamily: CaseIterable, Sendable {
  /// SKAdNetwork 1.0 to 3.0: one postback, after a timer that each update of the value restarts.
  case skadnetwork3OrEarlier
  /// SKAdNetwork 4.0: up to three postbacks, one for each conversion window, counted from the first launch.
  case skadnetwork4
  /// AdAttributionKit: the same windows, which the system ends early when a re-engagement begins.
  case adAttributionKit
}
