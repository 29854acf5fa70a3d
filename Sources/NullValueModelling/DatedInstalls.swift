internal import ConversionModel
internal import Statistics

/// The installs of a stratum that may send a later postback, by the date of the first one, and their postbacks of a later window,
/// each by its own date.
///
/// The date of a first postback is known within 12 hours, and that of a later one within 60. So the installs of a day send later
/// postbacks whose dates are up to 3 days away.
struct DatedInstalls: Sendable {
  /// The installs whose first postback has a value, and the nulls.
  private var installs: [Int64: DayDrift.Day] = [:]
  /// The revenue of later postbacks, and as negative values those without a meaning.
  private var postbacks: [Int64: DayDrift.Day] = [:]

  /// The farthest that the date of a later postback is from that of its install, in days.
  static let farthest: Int64 = 3
  /// The shares of later postbacks by that distance, from -3 to 3 days, for an error that is even from -60 to 60 hours.
  private static let shares = [0.025, 0.175, 0.2, 0.2, 0.2, 0.175, 0.025]

  private static let distances = zip(-farthest...farthest, shares)

  /// Counts postbacks of a window and a date.
  mutating func add(_ value: StratumCounts.Value, window: Int, day: Int64, _ count: Int) {
    let number = Double(count)
    switch (value, window) {
    case (.null, 0): installs[day, default: .init()].nulls += number
    case (.ambiguousZero, _): break
    case (_, 0): installs[day, default: .init()].values += number
    case (.decoded(let value), _): postbacks[day, default: .init()].revenue += (value.estimate ?? .zero) * count
    case (.undecoded, _), (.null, _): postbacks[day, default: .init()].values -= number
    }
  }

  /// Returns the later postbacks by their dates, with the installs that are expected to have sent postbacks of these dates.
  func expected(_ dates: ClosedRange<Int64>) -> [Int64: DayDrift.Day] {
    var days: [Int64: DayDrift.Day] = [:]
    for (day, sent) in postbacks where dates.contains(day) { days[day] = sent }
    for (day, count) in installs {
      for (distance, share) in Self.distances where dates.contains(day + distance) {
        days[day + distance, default: .init()] += .init(nulls: share * count.nulls, values: share * count.values)
      }
    }
    return days.mapValues { .init(nulls: $0.nulls, values: max(0, $0.values), revenue: $0.revenue) }
  }

  /// Returns the installs of a range of dates, and those whose later postbacks are expected on the wrong side of an end of it.
  func crossing(_ dates: ClosedRange<Int64>, atStart: Bool, atEnd: Bool) -> Crossing {
    var crossing = Crossing()
    for (day, count) in installs {
      let isIn = dates.contains(day)
      if isIn { crossing.installs += count.values }
      for (distance, share) in Self.distances where dates.contains(day + distance) != isIn {
        // The day that is out of the range.
        guard (isIn ? day + distance : day) < dates.lowerBound ? atStart : atEnd else { continue }
        if isIn { crossing.out += share * count.values } else { crossing.into += share * count.values }
      }
    }
    return crossing
  }

  /// The installs of a range of dates, and those whose later postbacks are expected on the wrong side of an end.
  struct Crossing {
    /// The installs of the range.
    var installs = 0.0
    /// The installs of other dates whose later postbacks are expected in the range.
    var into = 0.0
    /// The installs of the range whose later postbacks are expected outside.
    var out = 0.0

    /// Indicates that those that come in and those that leave do not make up for each other, as where installs begin or end: they
    /// differ by more than 5 in 100 of the installs, and by more than twice what the interval has for them.
    var isUneven: Bool {
      let difference = into - out
      return abs(difference) > 0.05 * installs && difference * difference > 4 * (into + out)
    }

    static func += (left: inout Self, right: Self) {
      left.installs += right.installs
      left.into += right.into
      left.out += right.out
    }
  }
}
