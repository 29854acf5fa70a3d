#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A point in time: milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
///
/// Always in the years 0000 to 9999, the range of RFC 3339.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public let milliseconds: Int64

  private static let writable: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// The time that many milliseconds after 1970 began; a time before the year 0000 or after 9999 is clamped to that
  /// range.
  public init(milliseconds: Int64) {
    self.milliseconds = min(max(milliseconds, Self.writable.lowerBound), Self.writable.upperBound)
  }

  /// Tells if `left` is earlier than `right`.
  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

  /// Returns the time `hours` earlier.
  package func before(hours: Int) -> Timestamp { Timestamp(milliseconds: milliseconds - Int64(hours) * 3_600_000) }

  /// The day in UTC, as a number of days since 1970-01-01; negative before.
  package var daysSince1970: Int64 { milliseconds.flooredQuotientAndRemainder(dividingBy: 86_400_000).quotient }

  /// The first time of the day in UTC.
  package var startOfDay: Timestamp { Timestamp(milliseconds: daysSince1970 * 86_400_000) }
}

extension Timestamp {
  /// Parses an RFC 3339 date-time: `2026-11-01T10:00:00Z`, `2026-11-01t12:00:00.5+02:00`.
  ///
  /// A leap second (`:60`, only the last second of a day in UTC) is read as the first second of the next day, as POSIX
  /// counts. Nil for anything else: a date that the calendar does not have, a space in place of the `T`, no offset, a
  /// time outside the years 1970 to 9999 in UTC. Fraction digits after the third are dropped.
  public init?(parsing text: Span<UInt8>) { self.init(parsing: text, from: 0) }

  /// Parses a time as it is written, which may be before 1970; nil for anything else.
  package init?(written text: Span<UInt8>) { self.init(parsing: text, from: Self.writable.lowerBound) }

  private init?(parsing text: Span<UInt8>, from earliest: Int64) {
    guard text.count >= 20, let date = CivilDate(text), text[10] | 0x20 == UInt8(ascii: "t"),
      let hour = text.number(at: 11, digits: 2), hour < 24, text[13] == UInt8(ascii: ":"),
      let minute = text.number(at: 14, digits: 2), minute < 60, text[16] == UInt8(ascii: ":"),
      let second = text.number(at: 17, digits: 2), second <= 60
    else { return nil }
    var index = 19
    var fraction: Int64 = 0
    if text[index] == UInt8(ascii: ".") {
      index += 1
      var place: Int64 = 100
      while index < text.count, let digit = text.number(at: index, digits: 1) {
        fraction += digit * place
        place /= 10
        index += 1
      }
      guard index > 20 else { return nil }
    }
    guard let offset = text.offset(at: index) else { return nil }
    let minutes = (date.daysSince1970 * 24 + hour) * 60 + minute - offset
    guard second < 60 || (minutes + 1) % (24 * 60) == 0 else { return nil }
    let milliseconds = (minutes * 60 + second) * 1000 + fraction
    guard (earliest...Self.writable.upperBound).contains(milliseconds) else { return nil }
    self.milliseconds = milliseconds
  }

  /// Parses an RFC 3339 date-time, as `init(parsing:)` does.
  public init?(_ text: String) {
    self.init(parsing: ArraySlice(text.utf8).span)
  }

  /// Parses a day as it is written: `2026-11-01`, its first moment in UTC; nil for anything else.
  package init?(day text: Span<UInt8>) {
    guard text.count == 10, let date = CivilDate(text) else { return nil }
    milliseconds = date.daysSince1970 * 86_400_000
  }

  /// Parses an RFC 3339 date-time, or a date, which stands for its first moment in UTC; nil for anything else.
  package init?(dateOrTime text: String) {
    guard let time = Timestamp(text) ?? Timestamp(text + "T00:00:00Z") else { return nil }
    self = time
  }
}

extension Timestamp: CustomStringConvertible {
  /// The most bytes that `write(to:)` writes.
  public static var maximumLength: Int { 24 }

  /// Writes the time in UTC: `2026-11-01T10:00:00Z`, or `2026-11-01T10:00:00.123Z` where the milliseconds are not 0.
  public func write(to text: inout OutputSpan<UInt8>) {
    let (days, ofDay) = milliseconds.flooredQuotientAndRemainder(dividingBy: 86_400_000)
    let (second, millisecond) = UInt64(ofDay).quotientAndRemainder(dividingBy: 1000)
    let (hour, minute) = (second / 3600, second / 60 % 60)
    Self.write(day: days, to: &text)
    // "T__:__:", and then "__Z" or "__.___Z".
    text.append(lowest: 7, of: 0x3A_0000_3A00_0054 | hour.twoDigits << 8 | minute.twoDigits << 32)
    let ofMinute = (second % 60).twoDigits
    if millisecond == 0 { return text.append(lowest: 3, of: 0x5A_0000 | ofMinute) }
    let fraction = (millisecond / 10).twoDigits | (0x30 + millisecond % 10) << 16
    text.append(lowest: 7, of: 0x5A_0000_002E_0000 | ofMinute | fraction << 24)
  }

  /// The bytes that `write(day:to:)` writes.
  package static var dateLength: Int { 10 }

  /// Writes a day, which is given in days since 1970-01-01: `2026-11-01`. Its year is from 0 to 9999.
  package static func write(day: Int64, to text: inout OutputSpan<UInt8>) {
    let date = CivilDate(daysSince1970: day)
    let (century, ofCentury) = UInt64(clamping: date.year).quotientAndRemainder(dividingBy: 100)
    let year = century.twoDigits | ofCentury.twoDigits << 16
    // "____-__-", and then the day.
    text.append(lowest: 8, of: 0x2D00_002D_0000_0000 | year | UInt64(date.month).twoDigits << 40)
    text.append(lowest: 2, of: UInt64(date.day).twoDigits)
  }

  /// The text that `write(to:)` writes.
  public var description: String { String(capacity: Self.maximumLength) { write(to: &$0) } }
}

extension Timestamp {
  /// The time that the system's clock shows.
  package static var now: Timestamp {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// The time in UTC as RFC 3339 text, always with three digits for the milliseconds.
  package var withMilliseconds: String {
    let text = description
    return milliseconds % 1000 == 0 ? text.dropLast() + ".000Z" : text
  }

  /// The duration from `other` to this time, with millisecond resolution; negative if this time is the earlier one.
  @available(iOS 16.0, *)
  package func since(_ other: Timestamp) -> Duration { .milliseconds(milliseconds - other.milliseconds) }
}

@available(iOS 16.0, *)
extension Duration {
  /// The duration in seconds, with fractions.
  package var seconds: Double { self / .seconds(1) }
}

extension CivilDate {
  /// Parses the ten bytes of a date at the start of a text, which must have them: `2026-11-01`; nil for anything else.
  fileprivate init?(_ text: Span<UInt8>) {
    guard let year = text.number(at: 0, digits: 4), text[4] == UInt8(ascii: "-"),
      let month = text.number(at: 5, digits: 2), text[7] == UInt8(ascii: "-"), let day = text.number(at: 8, digits: 2)
    else { return nil }
    self.init(year: year, month: month, day: day)
  }
}

extension Span<UInt8> {
  /// The number that is written at `index` in exactly `digits` digits; nil where one of them is no digit. The digits
  /// must be within the span.
  fileprivate func number(at index: Int, digits: Int) -> Int64? {
    var value: Int64 = 0
    for position in index..<index + digits {
      let digit = self[position] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      value = value * 10 + Int64(digit)
    }
    return value
  }

  /// The UTC offset that is written from `index` to the end of the span, in minutes, positive ahead of UTC; nil where
  /// it is malformed.
  fileprivate func offset(at index: Int) -> Int64? {
    if index == count - 1 { return self[index] | 0x20 == UInt8(ascii: "z") ? 0 : nil }
    guard index == count - 6, self[index + 3] == UInt8(ascii: ":"),
      let hours = number(at: index + 1, digits: 2), hours < 24,
      let minutes = number(at: index + 4, digits: 2), minutes < 60
    else { return nil }
    switch self[index] {
    case UInt8(ascii: "+"): return hours * 60 + minutes
    case UInt8(ascii: "-"): return -(hours * 60 + minutes)
    default: return nil
    }
  }
}
