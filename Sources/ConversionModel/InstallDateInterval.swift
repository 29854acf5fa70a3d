public import Base

/// The interval of possible install dates of an app, derived from the time at which its postback was received.
///
/// Apple sends a postback a random time after a conversion window or timer has ended, so the install date is known
/// only as an interval. Both ends belong to it. The install date is taken to be the first launch, which starts the
/// timers.
public struct InstallDateInterval: Hashable, Sendable {
  /// The earliest install date; nil where it is not known.
  public let earliest: Timestamp?
  /// The latest install date; nil where it is not known.
  public let latest: Timestamp?

  /// The latest install date of a window that the system has not locked; nil if it must have locked the window.
  private let latestUsual: Timestamp?

  /// The middle of the dates that are possible unless the system has locked the window, and of the whole interval if it must
  /// have; nil where either end of the interval is not known.
  ///
  /// AdAttributionKit locks a window only where a re-engagement begins, up to iOS 18.3. How many windows an app locks is not
  /// known, so their estimate is the middle of all dates.
  public var estimated: Timestamp? {
    guard let earliest, let latest else { return nil }
    return Timestamp(milliseconds: (earliest.milliseconds + (latestUsual ?? latest).milliseconds) >> 1)
  }

  /// The interval without limits: nothing is known.
  public static let unbounded = InstallDateInterval(earliest: nil, latest: nil)

  private init(earliest: Timestamp?, latest: Timestamp?, latestUsual: Timestamp? = nil) {
    (self.earliest, self.latest, self.latestUsual) = (earliest, latest, latestUsual)
  }

  /// The install dates that are possible for a postback received at a given time.
  ///
  /// | postback | hours after the first launch |
  /// |---|---|
  /// | SKAdNetwork 4, AdAttributionKit, window 0 | 72–96, or 24–96 where the window may end early |
  /// | window 1 | 192–312, or 72–312 |
  /// | window 2 | 864–984, or 192–984 |
  /// | SKAdNetwork 3 and before, value 0 | 24–48 |
  /// | other values and none | 24–(48 + `measurementHours`) |
  ///
  /// Apple withholds a value of a small crowd, so that a postback without one does not tell if the app has updated it.
  ///
  /// - Parameters:
  ///   - receivedAt: The time at which the postback was received; nil makes the interval unbounded.
  ///   - family: The framework versions whose timers apply.
  ///   - window: The `postback-sequence-index`; a value other than 0, 1 or 2 makes the interval unbounded. Ignored in
  ///     SKAdNetwork 3 and before.
  ///   - conversionValueIsZero: True if no update of the value restarted the timer. Used in SKAdNetwork 3 and before
  ///     only.
  ///   - locksWindow: True if the app may lock the window early. Ignored in SKAdNetwork 3 and before.
  ///   - systemLocksWindow: True if the system may lock the window early, because a re-engagement begins: this widens
  ///     the interval, but does not move `estimated`. Used in AdAttributionKit only.
  ///   - measurementHours: The number of hours in which the app updates the value in SKAdNetwork 3 and before; limited
  ///     to 0 to 1440.
  public init(
    receivedAt: Timestamp?,
    family: PostbackFamily,
    window: Int,
    conversionValueIsZero: Bool,
    locksWindow: Bool = false,
    systemLocksWindow: Bool = false,
    measurementHours: Int = 24
  ) {
    func hours(locksWindow: Bool) -> ArrivalHours? {
      ArrivalHours(
        family: family,
        window: window,
        conversionValueIsZero: conversionValueIsZero,
        locksWindow: locksWindow,
        measurementHours: measurementHours
      )
    }
    guard
      let usual = hours(locksWindow: locksWindow),
      let all = hours(locksWindow: locksWindow || systemLocksWindow && family == .adAttributionKit)
    else {
      self = .unbounded
      return
    }
    self.init(
      earliest: receivedAt?.before(hours: all.most),
      latest: receivedAt?.before(hours: all.least),
      latestUsual: receivedAt?.before(hours: usual.least)
    )
  }

  /// The install dates that are possible for a development postback: any up to its receipt.
  ///
  /// During development, windows and delays may take minutes or the regular time, depending on the tester's settings.
  ///
  /// Source: Apple, "Testing ad attributions with Developer Mode".
  public static func development(receivedAt: Timestamp?) -> InstallDateInterval {
    InstallDateInterval(earliest: nil, latest: receivedAt)
  }

  /// Tells if an install date in the interval may be in `span`; an unknown end of the interval is open.
  public func meets(_ span: EffectiveSpan) -> Bool {
    (latest.map(span.begins(by:)) ?? true) && !(earliest.map(span.ends(by:)) ?? false)
  }

  /// The install dates of the interval in a span that it meets; the whole interval if an end of it is not known.
  func limited(to span: EffectiveSpan) -> Self {
    guard let earliest, let latest else { return self }
    let start = span.start.map { max($0, earliest) } ?? earliest
    func limited(_ time: Timestamp) -> Timestamp {
      span.end.map { min(Timestamp(milliseconds: $0.milliseconds - 1), time) } ?? time
    }
    let latestUsual = latestUsual.map(limited)
    return Self(
      earliest: start,
      latest: limited(latest),
      latestUsual: latestUsual.flatMap { $0 < start ? nil : $0 }
    )
  }

  /// The smallest interval that has all of two in it.
  func union(_ other: Self) -> Self {
    func outer(_ one: Timestamp?, _ two: Timestamp?, _ choice: (Timestamp, Timestamp) -> Timestamp) -> Timestamp? {
      guard let one, let two else { return nil }
      return choice(one, two)
    }
    return Self(
      earliest: outer(earliest, other.earliest, min),
      latest: outer(latest, other.latest, max),
      latestUsual: outer(latestUsual ?? other.latestUsual, other.latestUsual ?? latestUsual, max)
    )
  }
}

/// The hours after the first launch in which Apple sends a postback for the first time.
package struct ArrivalHours: Hashable, Sendable {
  /// The fewest hours.
  package let least: Int
  /// The most hours.
  package let most: Int

  package init(least: Int, most: Int) {
    (self.least, self.most) = (least, most)
  }

  /// The hours of a postback, as the table of `InstallDateInterval` has them; nil for an unknown window.
  package init?(
    family: PostbackFamily,
    window: Int,
    conversionValueIsZero: Bool,
    locksWindow: Bool = false,
    measurementHours: Int = 24
  ) {
    switch (family, window) {
    case (.skadnetwork3OrEarlier, _):
      self.init(least: 24, most: conversionValueIsZero ? 48 : 48 + min(max(measurementHours, 0), 1440))
    case (.skadnetwork4, 0), (.adAttributionKit, 0): self.init(least: locksWindow ? 24 : 72, most: 96)
    case (.skadnetwork4, 1), (.adAttributionKit, 1): self.init(least: locksWindow ? 72 : 192, most: 312)
    case (.skadnetwork4, 2), (.adAttributionKit, 2): self.init(least: locksWindow ? 192 : 864, most: 984)
    case (.skadnetwork4, _), (.adAttributionKit, _): return nil
    }
  }
}
