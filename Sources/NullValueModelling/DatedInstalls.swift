internal import ConversionModel
internal import Statistics

/// The installs of a stratum that may send later postbacks, by the date of the first one, and their postbacks of the later windows,
/// each by its own date.
///
/// The date of a first postback is known within 12 hours, and that of a later one within 60. So the installs of a day send later
/// postbacks whose dates are up to 3 days away.
struct DatedInstalls: Sendable {
  /// The installs of some dates, and the postbacks of a later window with these dates.
  struct Cohort: Sendable {
    /// The number of installs whose first postback has a value, also one without a meaning.
    var valued = 0
    /// The number of installs whose first postback has no value.
    var nulls = 0
    /// The number of installs whose first postback has a 0 that may stand for no value.
    var ambiguousZeros = 0
    /// The postbacks of the later window.
    var later = StratumCounts.Counts()

    /// The number of all installs.
    var conversions: Int { valued + nulls + ambiguousZeros }
    /// The number of installs with a value of which it is known if they sent a later postback that has a meaning.
    var values: Int { max(0, valued - undecoded) }
    /// The number of postbacks of the later window without a meaning.
    fileprivate var undecoded: Int { later.undecoded + later.nulls }
    /// The revenue of the later window.
    fileprivate var revenue: Amount { later.values.reduce(.zero) { $0 + ($1.key.estimate ?? .zero) * $1.value } }

    fileprivate mutating func add(_ value: StratumCounts.Value, window: Int, _ count: Int) {
      if window > 0 { return later.add(value, count) }
      switch value {
      case .decoded, .undecoded: valued += count
      case .null: nulls += count
      case .ambiguousZero: ambiguousZeros += count
      }
    }

    static func += (left: inout Self, right: Self) {
      left.valued += right.valued
      left.nulls += right.nulls
      left.ambiguousZeros += right.ambiguousZeros
      left.later += right.later
    }
  }

  /// The cohorts of the windows 1 and 2 by date, in days since 1970-01-01; nil is the date that is not known.
  private var cohorts: [[Int64?: Cohort]] = [[:], [:]]

  /// A range that holds all dates.
  static let allDates: ClosedRange<Int64> = -(1 << 32)...1 << 32

  /// The farthest that the date of a later postback is from that of its install, in days.
  static let farthest: Int64 = 3
  /// The shares of later postbacks by that distance, from -3 to 3 days, in fortieths, for an error that is even from -60 to 60 hours.
  private static let shares = Array(zip(-farthest...farthest, [1, 7, 8, 8, 8, 7, 1]))
  private static let whole = 40.0

  /// Counts postbacks of a window and a date.
  mutating func add(_ value: StratumCounts.Value, window: Int, day: Int64?, _ count: Int) {
    for later in 1...2 where window == 0 || window == later {
      cohorts[later - 1][day, default: Cohort()].add(value, window: window, count)
    }
  }

  /// The first date of a first postback; nil if none is known.
  var firstDay: Int64? { cohorts[0].lazy.filter { $0.value.conversions > 0 }.compactMap(\.key).min() }

  /// The number of later postbacks that can only be of installs before a day.
  func laterPostbacks(ofInstallsBefore day: Int64) -> Int {
    (1...2).reduce(0) { sum, window in
      cohorts[window - 1].reduce(sum) { sum, dated in
        guard let date = dated.key, date < day else { return sum }
        return dated.value.later.values.reduce(sum) { sum, value in
          date + Self.dateError(value.key, window: window) < day ? sum + value.value : sum
        }
      }
    }
  }

  /// The days by which the install date of a later postback may be before that of the first postback of its user: its own
  /// error, of 60 hours, or of 120 and 396 in the windows 1 and 2 if the app may lock them, and the 12 hours of the first one.
  private static func dateError(_ value: ReportedValue, window: Int) -> Int64 {
    !value.hasWideDate ? 3 : window == 1 ? 6 : 17
  }

  /// Returns the installs of a range of dates, for a later window; nil if there is no postback.
  func cohort(_ dates: ClosedRange<Int64>, window: Int) -> Cohort? { cohorts[window - 1].within(dates).map(\.1).sum }

  /// Returns the installs whose date is not known, for a later window; nil if there is no postback.
  func undated(window: Int) -> Cohort? { cohorts[window - 1][nil] }

  /// Returns the postbacks of a later window by their dates, with the installs that are expected to have sent postbacks of these dates.
  func expected(_ dates: ClosedRange<Int64>, window: Int) -> [Int64: DayDrift.Day] {
    var fortieths: [Int64: (nulls: Int, values: Int)] = [:]
    var sent: [Int64: Cohort] = [:]
    for (day, cohort) in cohorts[window - 1].within(dates.lowerBound - Self.farthest...dates.upperBound + Self.farthest)
    {
      for (distance, share) in Self.shares where dates.contains(day + distance) {
        fortieths[day + distance, default: (0, 0)].nulls += share * cohort.nulls
        fortieths[day + distance, default: (0, 0)].values += share * cohort.valued
      }
      if dates.contains(day) { sent[day] = cohort }
    }
    return fortieths.reduce(into: [:]) { days, expected in
      let cohort = sent[expected.key] ?? Cohort()
      days[expected.key] = .init(
        nulls: Double(expected.value.nulls) / Self.whole,
        values: max(0, Double(expected.value.values) / Self.whole - Double(cohort.undecoded)),
        revenue: cohort.revenue
      )
    }
  }

  /// Returns the installs of a range of dates, and those whose later postbacks are expected on the wrong side of an end of it.
  func crossing(_ dates: ClosedRange<Int64>, atStart: Bool, atEnd: Bool) -> Crossing {
    var crossing = Crossing()
    for (day, cohort) in cohorts[0].within(dates.lowerBound - Self.farthest...dates.upperBound + Self.farthest) {
      let isIn = dates.contains(day)
      if isIn { crossing.installs += cohort.valued }
      for (distance, share) in Self.shares where dates.contains(day + distance) != isIn {
        // The day that is out of the range.
        guard (isIn ? day + distance : day) < dates.lowerBound ? atStart : atEnd else { continue }
        if isIn { crossing.out += share * cohort.valued } else { crossing.into += share * cohort.valued }
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

extension Sequence where Element == DatedInstalls.Cohort {
  /// The sum; nil if there is none.
  var sum: Element? {
    var sum: Element?
    for cohort in self {
      if sum == nil { sum = cohort } else { sum? += cohort }
    }
    return sum
  }
}

extension Dictionary where Key == Int64? {
  /// Returns the entries whose day is in a range, in any order.
  fileprivate func within(_ days: ClosedRange<Int64>) -> [(Int64, Value)] {
    guard days.count < count else {
      return compactMap { day, value in day.flatMap { days.contains($0) ? ($0, value) : nil } }
    }
    return days.compactMap { day in self[day].map { (day, $0) } }
  }
}
