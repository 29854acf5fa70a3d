internal import ConversionModel
internal import Statistics

/// The postbacks of each stratum by window and period: how many have each value, and how many have none.
///
/// Postbacks can be added in any order, with the same result.
package struct StratumCounts: Sendable {
  /// A stratum in a window and a period.
  package struct Cell: Hashable, Sendable {
    package var stratum: Stratum
    /// The conversion window, 0 to 2.
    package var window: Int
    /// The number of the period; nil if the install date is not known.
    package var period: Int64?

    /// Makes a cell.
    package init(_ stratum: Stratum, window: Int, period: Int64?) {
      (self.stratum, self.window, self.period) = (stratum, window, period)
    }
  }

  /// The conversion value of a postback, as modelling sees it.
  package enum Value: Sendable {
    /// A value with a meaning.
    case decoded(ReportedValue)
    /// A value without a meaning: no model has it, or several disagree.
    case undecoded
    /// No value.
    case null
    /// A 0 that may stand for no value.
    case ambiguousZero
  }

  /// The postbacks of a cell.
  package struct Counts: Sendable, Equatable {
    /// The number of postbacks with each value.
    package var values: [ReportedValue: Int] = [:]
    /// The number of postbacks whose value has no meaning.
    package var undecoded = 0
    /// The number of postbacks without a value.
    package var nulls = 0
    /// The number of postbacks with a 0 that may stand for no value.
    package var ambiguousZeros = 0

    /// The number of postbacks with a decoded value.
    package var decoded: Int { values.values.reduce(0, +) }
    /// The number of all postbacks.
    package var conversions: Int { decoded + undecoded + nulls + ambiguousZeros }

    mutating func add(_ value: Value, _ count: Int) {
      switch value {
      case .decoded(let value): values[value, default: 0] += count
      case .undecoded: undecoded += count
      case .null: nulls += count
      case .ambiguousZero: ambiguousZeros += count
      }
    }

    static func += (left: inout Self, right: Self) {
      left.values.merge(right.values, uniquingKeysWith: +)
      left.undecoded += right.undecoded
      left.nulls += right.nulls
      left.ambiguousZeros += right.ambiguousZeros
    }
  }

  /// The installs of a stratum and some install dates, with their postbacks of a later window.
  struct Cohort: Sendable {
    /// The number of installs whose first postback has a value, also one without a meaning.
    var valued = 0
    /// The number of installs whose first postback has no value.
    var nulls = 0
    /// The number of installs whose first postback has a 0 that may stand for no value.
    var ambiguousZeros = 0
    /// The postbacks of the later window.
    var later = Counts()

    /// The number of all installs.
    var conversions: Int { valued + nulls + ambiguousZeros }
    /// The number of installs with a value of which it is known if they sent a later postback that has a meaning.
    var values: Int { max(0, valued - later.undecoded - later.nulls) }

    mutating func add(_ value: Value, window: Int, _ count: Int) {
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

  /// The period over which postbacks are counted together.
  package let period: ModelPeriod
  /// The last install dates of which the windows 1 and 2 have ended, in days since 1970-01-01.
  private let lastEnded: [Int64]
  private(set) var cells: [Cell: Counts] = [:]
  /// The installs that a later window is modelled of: those of the install dates of which it has ended.
  private var cohorts: [Cell: Cohort] = [:]
  /// The same of install dates up to the first one of the app that was known when they were added, by date.
  private var earlyCohorts: [Cell: [Int64: Cohort]] = [:]
  /// The other installs, also those of an unknown install date.
  private(set) var openCohorts: [Cell: Cohort] = [:]
  /// The cells with installs of a known install date of which the later window has not ended.
  private(set) var cutCells: Set<Cell> = []
  /// The first install date of each app, as first postbacks of versions with later windows tell it.
  private var firstDays: [Int64: Int64] = [:]
  /// The numbers of later postbacks of each app by their latest possible install date, if it is before the first one that was
  /// known when they were added.
  private var earlyPostbacks: [Int64: [Int64: Int]] = [:]
  /// The fine values and the nulls of the first window by install day.
  private(set) var installDays: [Cell: [Int64: DayDrift.Day]] = [:]
  /// The installs of each stratum by the date of their first postback, and its later postbacks by their own date.
  private var dated: [Stratum: DatedInstalls] = [:]
  /// The first and the last estimated install date of the first postbacks of each app, in days since 1970-01-01.
  private var days: [Int64: ClosedRange<Int64>] = [:]

  /// Makes counts of no postbacks. `lastEnded` has the last install dates of which the windows 1 and 2 have ended.
  package init(by period: ModelPeriod, lastEnded: [Int64] = [.max, .max]) {
    (self.period, self.lastEnded) = (period, lastEnded)
  }

  /// Counts won postbacks of installs in a window, with their estimated install date in days since 1970-01-01.
  package mutating func add(_ value: Value, _ stratum: Stratum, window: Int, installDay: Int64?, count: Int = 1) {
    let cell = cell(stratum, window: window, installDay: installDay)
    cells[cell, default: Counts()].add(value, count)
    addToCohorts(value, stratum, window: window, installDay: installDay, count)
    guard window == 0, let installDay else { return }
    let days = days[stratum.app] ?? installDay...installDay
    self.days[stratum.app] = min(days.lowerBound, installDay)...max(days.upperBound, installDay)
    guard let day = Self.day(value, count) else { return }
    installDays[cell, default: [:]][installDay, default: .init()] += day
  }

  /// Returns the cell of a postback.
  package func cell(_ stratum: Stratum, window: Int, installDay: Int64?) -> Cell {
    Cell(stratum, window: window, period: period.number(ofDay: installDay))
  }

  /// Returns the last install date of which a later window has ended.
  func lastEnded(window: Int) -> Int64 { lastEnded[window - 1] }

  /// Returns the first and the last day of the period with a number; nil if install dates of the app are not known.
  func days(ofPeriod number: Int64?, app: Int64) -> ClosedRange<Int64>? {
    number.flatMap { period == .all ? days[app] : period.days(of: $0) }
  }

  /// Indicates that the postbacks of an app do not begin with its first installs: more than 4 later postbacks are of installs
  /// before those whose first postbacks are there. Fewer may be of installs whose first postback was late or lost.
  func isCutAtStart(app: Int64) -> Bool {
    guard let first = firstDays[app], let early = earlyPostbacks[app] else { return false }
    return early.reduce(0) { $1.key < first ? $0 + $1.value : $0 } > 4
  }

  /// Returns the first install date that the later windows of an app are modelled of; nil if there is none. Where the
  /// postbacks begin after the first installs, they may begin within the first date, which is left out.
  func firstDay(app: Int64) -> Int64? { firstDays[app].map { isCutAtStart(app: app) ? $0 + 1 : $0 } }

  /// Returns the installs of a stratum and its later postbacks, of all dates.
  func datedInstalls(_ stratum: Stratum) -> DatedInstalls { dated[stratum] ?? DatedInstalls() }

  /// Returns the installs that a later window is modelled of.
  func cohort(_ cell: Cell) -> Cohort? {
    let app = cell.stratum.app
    let start = isCutAtStart(app: app) ? firstDay(app: app) ?? .min : .min
    return (earlyCohorts[cell] ?? [:]).reduce(cohorts[cell]) { cohort, early in
      guard early.key >= start else { return cohort }
      var cohort = cohort ?? Cohort()
      cohort += early.value
      return cohort
    }
  }

  private mutating func addToCohorts(_ value: Value, _ stratum: Stratum, window: Int, installDay: Int64?, _ count: Int)
  {
    // SKAdNetwork 3 and earlier have one window.
    if case .campaign = stratum.identifier { return }
    if window == 0, let installDay {
      firstDays[stratum.app] = min(firstDays[stratum.app] ?? installDay, installDay)
    }
    let firstDay = firstDays[stratum.app] ?? .max
    if window > 0, let installDay, case .decoded(let value) = value {
      let latest = installDay + Self.dateError(value, window: window)
      if latest < firstDay { earlyPostbacks[stratum.app, default: [:]][latest, default: 0] += count }
    }
    if let installDay {
      dated[stratum, default: DatedInstalls()].add(value, window: window, day: installDay, count)
    }
    for later in 1...2 where window == 0 || window == later {
      let cell = cell(stratum, window: later, installDay: installDay)
      if let installDay, installDay <= lastEnded(window: later) {
        if installDay <= firstDay {
          earlyCohorts[cell, default: [:]][installDay, default: Cohort()].add(value, window: window, count)
        } else {
          cohorts[cell, default: Cohort()].add(value, window: window, count)
        }
      } else {
        openCohorts[cell, default: Cohort()].add(value, window: window, count)
        if installDay != nil { cutCells.insert(cell) }
      }
    }
  }

  /// The days by which the install date of a later postback may be before that of the first postback of its user: its own
  /// error, of 60 hours, or of 120 and 396 in the windows 1 and 2 if the app may lock them, and the 12 hours of the first one.
  private static func dateError(_ value: ReportedValue, window: Int) -> Int64 {
    !value.hasWideDate ? 3 : window == 1 ? 6 : 17
  }

  private static func day(_ value: Value, _ count: Int) -> DayDrift.Day? {
    switch value {
    case .null: DayDrift.Day(nulls: Double(count))
    case .decoded(let value) where value.coarse == nil:
      DayDrift.Day(values: Double(count), revenue: (value.estimate ?? .zero) * count)
    default: nil
    }
  }
}
