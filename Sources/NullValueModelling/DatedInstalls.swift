internal import ConversionModel
internal import Statistics

/// The installs of a stratum that may send later postbacks, by the date of the first one, and their postbacks of the later windows,
/// each by its own date.
///
/// The date of a first postback is known within 12 hours, and that of a later one within 60. So the installs of a day send later
/// postbacks whose dates are up to 3 days away.
struct DatedInstalls: Sendable {
  /// The installs of a date.
  private struct Installs {
    /// The number of those whose first postback has a value.
    var values = 0
    var nulls = 0

    static func += (left: inout Self, right: Self) {
      left.values += right.values
      left.nulls += right.nulls
    }
  }

  /// The later postbacks of a date.
  private struct Sent {
    var revenue = Amount.zero
    /// The number of those without a meaning.
    var undecoded = 0
  }

  private var installs: [Int64: Installs] = [:]
  /// The postbacks of the windows 1 and 2.
  private var sent: [[Int64: Sent]] = [[:], [:]]

  /// The farthest that the date of a later postback is from that of its install, in days.
  static let farthest: Int64 = 3
  /// The shares of later postbacks by that distance, from -3 to 3 days, in fortieths, for an error that is even from -60 to 60 hours.
  private static let shares = Array(zip(-farthest...farthest, [1, 7, 8, 8, 8, 7, 1]))
  private static let whole = 40.0

  /// Counts postbacks of a window and a date.
  mutating func add(_ value: StratumCounts.Value, window: Int, day: Int64, _ count: Int) {
    switch (value, window) {
    case (.null, 0): installs[day, default: .init()].nulls += count
    case (.ambiguousZero, _): break
    case (_, 0): installs[day, default: .init()].values += count
    case (.decoded(let value), _): sent[window - 1][day, default: .init()].revenue += (value.estimate ?? .zero) * count
    case (.undecoded, _), (.null, _): sent[window - 1][day, default: .init()].undecoded += count
    }
  }

  /// Returns the postbacks of a later window by their dates, with the installs that are expected to have sent postbacks of these dates.
  func expected(_ dates: ClosedRange<Int64>, window: Int) -> [Int64: DayDrift.Day] {
    var fortieths: [Int64: Installs] = [:]
    for (day, count) in installs.within(dates.lowerBound - Self.farthest...dates.upperBound + Self.farthest) {
      for (distance, share) in Self.shares where dates.contains(day + distance) {
        fortieths[day + distance, default: .init()] += .init(values: share * count.values, nulls: share * count.nulls)
      }
    }
    var days = fortieths.mapValues { count in
      DayDrift.Day(nulls: Double(count.nulls) / Self.whole, values: Double(count.values) / Self.whole)
    }
    for (day, sent) in sent[window - 1].within(dates) {
      let values = (days[day]?.values ?? 0) - Double(sent.undecoded)
      days[day] = .init(nulls: days[day]?.nulls ?? 0, values: max(0, values), revenue: sent.revenue)
    }
    return days
  }

  /// Returns the installs of a range of dates, and those whose later postbacks are expected on the wrong side of an end of it.
  func crossing(_ dates: ClosedRange<Int64>, atStart: Bool, atEnd: Bool) -> Crossing {
    var crossing = Crossing()
    for (day, count) in installs.within(dates.lowerBound - Self.farthest...dates.upperBound + Self.farthest) {
      let isIn = dates.contains(day)
      if isIn { crossing.installs += count.values }
      for (distance, share) in Self.shares where dates.contains(day + distance) != isIn {
        // The day that is out of the range.
        guard (isIn ? day + distance : day) < dates.lowerBound ? atStart : atEnd else { continue }
        if isIn { crossing.out += share * count.values } else { crossing.into += share * count.values }
      }
    }
    return crossing
  }

  /// The installs of a range of dates, and those whose later postbacks are expected on the wrong side of an end.
  struct Crossing {
    /// The number of installs of the range.
    var installs = 0
    /// The installs of other dates whose later postbacks are expected in the range, in fortieths.
    var into = 0
    /// The installs of the range whose later postbacks are expected outside, in fortieths.
    var out = 0

    /// Indicates that those that come in and those that leave do not make up for each other, as where installs begin or end: they
    /// differ by more than 5 in 100 of the installs, and by more than twice what the interval has for them.
    var isUneven: Bool {
      let difference = Double(into - out) / DatedInstalls.whole
      return abs(difference) > 0.05 * Double(installs)
        && difference * difference > 4 * Double(into + out) / DatedInstalls.whole
    }

    static func += (left: inout Self, right: Self) {
      left.installs += right.installs
      left.into += right.into
      left.out += right.out
    }
  }
}

extension Dictionary where Key == Int64 {
  /// Returns the entries whose day is in a range, in any order.
  fileprivate func within(_ days: ClosedRange<Int64>) -> [Element] {
    guard days.count < count else { return filter { days.contains($0.key) }.map { $0 } }
    return days.compactMap { day in self[day].map { (day, $0) } }
  }
}
