/// Versions of Apple's frameworks whose postbacks are sent by the same timers.
public enum PostbackFamily: CaseIterable, Sendable {
  /// SKAdNetwork 1.0 to 3.0: one postback, a timer that each update of the value starts anew.
  case skadnetwork3OrEarlier
  /// SKAdNetwork 4.0: up to three postbacks, conversion windows counted from the first launch.
  case skadnetwork4
  /// AdAttributionKit: the same windows, which the system itself ends early when a re-engagement begins.
  case adAttributionKit
}
