/// When an app can have been installed, by when its postback came.
///
/// Apple delays postbacks by a random time after a conversion window or timer has ended, so that the install date is
/// known only as an interval. Both ends belong to it. Install date stands for the first launch, which starts the timers.
public struct InstallDateInterval: Hashable, Sendable {
  /// The earliest install date; nil where it is not known.
  public let earliest: Timestamp?
  /// The latest install date; nil where it is not known.
  public let latest: Timestamp?

  /// The middle of the interval; nil where either end is not known.
  public var estimated: Timestamp? {
    guard let earliest, let latest else { return nil }
    return Timestamp(milliseconds: (earliest.milliseconds + latest.milliseconds) >> 1)
  }

  /// Nothing is known.
  public static let unbounded = InstallDateInterval(earliest: nil, latest: nil)

  private init(earliest: Timestamp?, latest: Timestamp?) {
    self.earliest = earliest
    self.latest = latest
  }

  /// The install dates that a postback's arrival allows.
  ///
  /// | postback | hours after the first launch |
  /// |---|---|
  /// | SKAdNetwork 4, AdAttributionKit, window 0 | 72–96, or 24–96 where the window may end early |
  /// | window 1 | 192–312, or 72–312 |
  /// | window 2 | 864–984, or 192–984 |
  /// | SKAdNetwork 3 and before, value null or 0 | 24–48 |
  /// | other values | 24–(48 + `measurementHours`) |
  ///
  /// - Parameters:
  ///   - receivedAt: When the postback came; nil makes the interval unbounded.
  ///   - family: Whose timers count.
  ///   - window: The `postback-sequence-index`; one that is not 0, 1 or 2 makes the interval unbounded. Not looked at
  ///     in SKAdNetwork 3 and before.
  ///   - conversionValueIsNullOrZero: Whether no update of the value started a timer of SKAdNetwork 3 and before anew.
  ///   - locksWindow: Whether the window may be locked before its end, by the app or, in AdAttributionKit, by the system;
  ///     not looked at in SKAdNetwork 3 and before.
  ///   - measurementHours: For how long the app updates the value in SKAdNetwork 3 and before; held to 0 to 1440.
  public init(
    receivedAt: Timestamp?,
    family: PostbackFamily,
    window: Int,
    conversionValueIsNullOrZero: Bool,
    locksWindow: Bool = false,
    measurementHours: Int = 24
  ) {
    let hours: (least: Int, most: Int)
    switch (family, window) {
    case (.skadnetwork3OrEarlier, _):
      hours = (24, conversionValueIsNullOrZero ? 48 : 48 + min(max(measurementHours, 0), 1440))
    case (.skadnetwork4, 0), (.adAttributionKit, 0): hours = (locksWindow ? 24 : 72, 96)
    case (.skadnetwork4, 1), (.adAttributionKit, 1): hours = (locksWindow ? 72 : 192, 312)
    case (.skadnetwork4, 2), (.adAttributionKit, 2): hours = (locksWindow ? 192 : 864, 984)
    case (.skadnetwork4, _), (.adAttributionKit, _):
      self = .unbounded
      return
    }
    self.init(earliest: receivedAt?.before(hours: hours.most), latest: receivedAt?.before(hours: hours.least))
  }

  /// The install dates that a test allows: any before its arrival.
  ///
  /// During development windows and delays take minutes, or as long as ever, as the tester likes.
  ///
  /// Source: Apple, "Testing ad attributions with Developer Mode".
  public static func development(receivedAt: Timestamp?) -> InstallDateInterval {
    InstallDateInterval(earliest: nil, latest: receivedAt)
  }

  /// Whether an install date in the interval may be in `span`.
  public func meets(_ span: EffectiveSpan) -> Bool {
    (latest.map(span.begins(by:)) ?? true) && !(earliest.map(span.ends(by:)) ?? false)
  }
}
