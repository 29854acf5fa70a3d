package import Base
package import ConversionModel

/// The completeness of a day at the time of a report: its status, and the share of its postbacks that should have
/// arrived.
package struct Completeness: Equatable, Sendable {
  /// The status of a day.
  package enum Status: String, CaseIterable, Sendable {
    /// Postbacks are to be expected without any delay.
    case open
    /// Only postbacks that a device sends again are outstanding.
    case settling
    /// No postback is outstanding, except one that a forwarder holds back.
    case final
  }

  /// The hours for which a device sends a postback again that was not accepted: nine days.
  ///
  /// Source: Apple, "Receiving postbacks in multiple conversion windows".
  package static let retryHours = 216

  package let status: Status
  /// The share of the postbacks of an install day that have arrived if none was sent again and no window was locked,
  /// with six fraction digits; nil for a day of receipt.
  package let expectedShare: Amount?

  /// The completeness of a day of receipt, a number of days since 1970, in a report of the time `asOf`.
  package init(ofReceipt day: Int64, asOf: Timestamp) {
    status = Self.elapsed(day, asOf) < Self.day ? .open : .final
    expectedShare = nil
  }

  /// The completeness of an install day, a number of days since 1970, in a report of the time `asOf`. The postbacks of
  /// the row are sent in the hours of `arrival` after the install.
  package init(ofInstall day: Int64, _ arrival: ArrivalHours, asOf: Timestamp) {
    let elapsed = Self.elapsed(day, asOf)
    let latest = Self.day + Int64(arrival.most) * Self.hour
    let final = latest + Int64(Self.retryHours) * Self.hour
    status = elapsed < latest ? .open : elapsed < final ? .settling : .final
    expectedShare = Self.share(arrival, elapsed: elapsed)
  }

  /// Returns the last install day that is final for a window of SKAdNetwork 4 or AdAttributionKit in a report of the time `asOf`,
  /// in days since 1970; nil if there is none, because the window or the time is not known.
  package static func lastFinalInstallDay(window: Int, asOf: Timestamp?) -> Int64? {
    ArrivalHours(family: .adAttributionKit, window: window, conversionValueIsZero: false).flatMap { hours in
      asOf?.before(hours: 24 + hours.most + retryHours).daysSince1970
    }
  }

  /// The completeness of a row; nil if its day is not known. A row without postbacks is taken to be of SKAdNetwork 4 or
  /// AdAttributionKit.
  init?(_ row: DailyRow, asOf: Timestamp) {
    guard let day = row.group.day else { return nil }
    guard row.group.dateType == .install else {
      self.init(ofReceipt: day, asOf: asOf)
      return
    }
    let usual = ArrivalHours(
      family: .adAttributionKit,
      window: row.group.window,
      conversionValueIsZero: false
    )
    guard let hours = row.arrival ?? usual else { return nil }
    self.init(ofInstall: day, hours, asOf: asOf)
  }

  /// The seconds from the beginning of a day to a time.
  private static func elapsed(_ day: Int64, _ time: Timestamp) -> Int64 {
    (time.milliseconds - day * Self.day * 1000) / 1000
  }

  /// The share of the postbacks that have arrived, of installs that are spread evenly over a day and timers that are
  /// spread evenly over `arrival`.
  ///
  /// The share of one install is a ramp from `least` to `most`; its mean over the day is the difference of the ramp's
  /// integral at both ends of the day.
  private static func share(_ arrival: ArrivalHours, elapsed: Int64) -> Amount? {
    let (least, most) = (Int64(arrival.least) * hour, Int64(arrival.most) * hour)
    if elapsed >= day + most { return Amount(1) }
    guard elapsed > least, most > least else { return .zero }
    func square(_ time: Int64) -> Int { time > 0 ? Int(time * time) : 0 }
    func integral(_ time: Int64) -> Int { square(time - least) - square(time - most) }
    let divisor = Amount(Int(2 * (most - least)))
    return Amount.quotient(Amount(integral(elapsed) - integral(elapsed - day)), by: divisor, per: Int(day))
  }

  /// The seconds of an hour.
  private static let hour: Int64 = 3600
  /// The seconds of a day.
  private static let day = 24 * hour
}

extension ArrivalHours {
  /// The hours of postbacks of both ranges: of the one that ends later, because a row is complete when all are.
  package static func later(_ one: ArrivalHours, _ other: ArrivalHours) -> ArrivalHours {
    (one.most, one.least) < (other.most, other.least) ? other : one
  }
}
