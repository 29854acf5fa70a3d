internal import Base

/// The times of conversions in a dump whose volume changes with the day and the hour.
struct Calendar: Sendable {
  /// The volume up to each hour of the days.
  private let sums: [Double]

  private static let hours = [
    0.5, 0.35, 0.25, 0.2, 0.2, 0.3, 0.5, 0.7, 0.8, 0.85, 0.9, 1, 1.1, 1.1, 1.05, 1.1, 1.2, 1.35, 1.5, 1.7, 1.8, 1.7,
    1.3, 0.9,
  ]
  /// From Sunday on.
  private static let weekdays = [1.4, 0.8, 0.75, 0.8, 0.9, 1.1, 1.5]
  private static let millisecondsPerHour: Int64 = 3_600_000

  /// The weekday of a day since 1970, from Sunday, 0, on.
  static func weekday(of day: Int64) -> Int { Int((day + 4) % 7) }

  /// A calendar in which days have the volumes `volumes`.
  init(firstDay: Int64, volumes: [Double], hasCycles: Bool) {
    var sum = 0.0
    var sums = [0.0]
    for (day, volume) in volumes.enumerated() {
      let ofWeek = hasCycles ? Self.weekdays[Self.weekday(of: firstDay + Int64(day))] : 1
      for hour in Self.hours {
        sum += volume * ofWeek * (hasCycles ? hour : 1)
        sums.append(sum)
      }
    }
    self.sums = sums
  }

  /// Returns the time at which a part of all volume, from 0 to 1, is over, in milliseconds since the first day.
  func time(of part: Double) -> Int64 {
    let place = part * (sums.last ?? 0)
    let low = min(sums.partitioningIndex { $0 > place } - 1, sums.count - 2)
    let volume = sums[low + 1] - sums[low]
    let within = volume > 0 ? (place - sums[low]) / volume : 0
    return Int64((Double(low) + within) * Double(Self.millisecondsPerHour))
  }
}
