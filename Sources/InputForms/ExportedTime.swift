package import Base

extension Timestamp {
  /// The first time that a number stands for, 2017-01-01: SKAdNetwork began in 2018, and lesser numbers are ids, counts or dates.
  private static let earliest = Timestamp(milliseconds: 1_483_228_800_000)
  /// The last time that a number stands for in any case, 2033-05-18: greater ones begin as dates do. A wrong clock refuses no time of today.
  private static let latest = Timestamp(milliseconds: 2_000_000_000_000)
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Parses a time in a form that exports and logs have: RFC 3339, a date, a date of eight digits, Unix time in seconds or
  /// milliseconds, a time of the common log format, or a time with a space in the place of the `T`, without an offset (which is
  /// in UTC) or with one that has no colon. Nil for anything else, also for a Unix time after 2033-05-18 and more than a day
  /// after `now`: numbers such as 20260305101530 are a date and a time of day without separators.
  package init?(exported text: String, now: Timestamp = .now) {
    let latest = max(now.before(hours: -24), Self.latest)
    let ofOneWord = Timestamp(dateOrTime: text) ?? Self.ofDigits(text, upTo: latest)
    guard let found = ofOneWord ?? Self.ofLog(text) ?? Self.ofParts(text) else { return nil }
    self = found
  }

  private static func ofDigits(_ text: String, upTo latest: Timestamp) -> Timestamp? {
    guard text.utf8.count <= 15, text.utf8.allSatisfy(\.isDecimalDigit), let number = Int64(text) else { return nil }
    if text.utf8.count == 8 {
      let date = Timestamp(dateOrTime: "\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))")
      return date.flatMap { $0 < earliest ? nil : $0 }
    }
    // 10^11 seconds are past the year 5000; as milliseconds they are in 1973.
    let time = Timestamp(milliseconds: number < 100_000_000_000 ? number * 1000 : number)
    return time < earliest || latest < time ? nil : time
  }

  /// Returns the time of a text of the common log format, such as `10/Mar/2026:10:00:00 +0000`.
  private static func ofLog(_ text: String) -> Timestamp? {
    let parts = text.split(separator: "/", maxSplits: 2)
    guard parts.count == 3, let month = months.firstIndex(of: String(parts[1])), parts[2].utf8.count == 19 else {
      return nil
    }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    let (year, time, zone) = (parts[2].prefix(4), parts[2].dropFirst(5).prefix(8), parts[2].suffix(5))
    return Timestamp("\(year)-\(number)-\(parts[0])T\(time)\(zone.prefix(3)):\(zone.suffix(2))")
  }

  /// Returns the time of a text of a date, a time and an offset, with spaces or a `T` between them. An offset may have no colon, or
  /// hours alone.
  private static func ofParts(_ text: String) -> Timestamp? {
    var parts = text.split(separator: " ")
    if parts.count == 3 {
      let zone = parts.removeLast()
      parts[1] += zone == "UTC" ? "Z" : zone
    }
    guard parts.count <= 2 else { return nil }
    let text = parts.joined(separator: "T")
    let offset = text.suffix(5).utf8
    if let sign = offset.first, "+-".utf8.contains(sign), offset.dropFirst().allSatisfy(\.isDecimalDigit) {
      return Timestamp("\(text.dropLast(2)):\(text.suffix(2))")
    }
    return Timestamp("\(text)Z") ?? Timestamp(text) ?? Timestamp("\(text):00")
  }
}
