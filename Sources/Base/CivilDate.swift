/// A day of the proleptic Gregorian calendar.
struct CivilDate: Equatable {
  let year, month, day: Int64

  private static let daysIn400Years: Int64 = 146_097
  /// The number of days from 0000-03-01 to 1970-01-01.
  private static let daysFromMarch0: Int64 = 719_468

  /// A day by its numbers; nil where the calendar has no such day.
  init?(year: Int64, month: Int64, day: Int64) {
    guard (1...12).contains(month), (1...Self.days(inMonth: month, of: year)).contains(day) else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01.
  ///
  /// Counted in years that begin in March, so that the leap day is the last of its year (Howard Hinnant,
  /// "chrono-Compatible Low-Level Date Algorithms").
  var daysSince1970: Int64 {
    let (era, yearOfEra) = (month > 2 ? year : year - 1).flooredQuotientAndRemainder(dividingBy: 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * Self.daysIn400Years + dayOfEra - Self.daysFromMarch0
  }

  /// The day that is `days` days after 1970-01-01, in a year from 0 to 9999.
  ///
  /// Divisions by powers of two take the place of others (Cassio Neri and Lorenz Schneider, "Euclidean affine functions
  /// and their application to calendar algorithms").
  init(daysSince1970 days: Int64) {
    // 400 years are added, for the two months of the year 0 that come before its March.
    let quarters = 4 * UInt32(truncatingIfNeeded: days + Self.daysFromMarch0 + Self.daysIn400Years) + 3
    let (century, ofCentury) = quarters.quotientAndRemainder(dividingBy: UInt32(Self.daysIn400Years))
    let years = 2_939_745 * UInt64(ofCentury | 3)
    let dayOfYear = UInt32(truncatingIfNeeded: years) / (4 * 2_939_745)
    let months = 2141 * dayOfYear + 197_913
    let isNextYear = dayOfYear >= 306
    day = Int64(months % 65_536 / 2141) + 1
    month = Int64(months / 65_536) - (isNextYear ? 12 : 0)
    year = 100 * Int64(century) + Int64(years >> 32) - 400 + (isNextYear ? 1 : 0)
  }
}

extension Int64 {
  /// The quotient rounded down, and the remainder, never negative; for a positive divisor.
  func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

extension Timestamp {
  /// Returns the date that is `day` days after 1970-01-01, as text: `2026-11-01`.
  package static func name(ofDay day: some BinaryInteger) -> String {
    String(Timestamp(milliseconds: Int64(day) * 86_400_000).description.prefix(10))
  }

  /// Returns the month of a day, as a number of months since January of the year 0. The day is given in days since
  /// 1970-01-01.
  package static func month(ofDay day: Int64) -> Int64 {
    let date = CivilDate(daysSince1970: day)
    return 12 * date.year + date.month - 1
  }

  /// Returns the first day of a month, in days since 1970-01-01. The month is given in months since January of the
  /// year 0.
  package static func firstDay(ofMonth number: Int64) -> Int64 {
    let (year, month) = number.flooredQuotientAndRemainder(dividingBy: 12)
    return CivilDate(year: year, month: month + 1, day: 1)?.daysSince1970 ?? 0
  }
}
