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
  private(set) var cohorts: [Cell: Cohort] = [:]
  /// The other installs, also those of an unknown install date.
  private(set) var openCohorts: [Cell: Cohort] = [:]
  /// The cells with installs of a known install date of which the later window has not ended.
  private(set) var cutCells: Set<Cell> = []
  /// The first install date of each app, as first postbacks of versions with later windows tell it.
  private(set) var firstDays: [Int64: Int64] = [:]
  /// The fine values and the nulls of the first window by install day.
  private(set) var installDays: [Cell: [Int64: DayDrift.Day]] = [:]
  /// The first and the last estimated install date, in days since 1970-01-01; nil if no install date is known.
  private(set) var days: ClosedRange<Int64>?

  /// Makes counts of no postbacks. `lastEnded` has the last install dates of which the windows 1 and 2 have ended.
  package init(by period: ModelPeriod, lastEnded: [Int64] = [.max, .max]) {
    (self.period, self.lastEnded) = (period, lastEnded)
  }

  /// Counts won postbacks of installs in a window, with their estimated install date in days since 1970-01-01.
  package mutating func add(_ value: Value, _ stratum: Stratum, window: Int, installDay: Int64?, count: Int = 1) {
    let cell = cell(stratum, window: window, installDay: installDay)
    cells[cell, default: Counts()].add(value, count)
    addToCohorts(value, stratum, window: window, installDay: installDay, count)
    guard let installDay else { return }
    days = min(days?.lowerBound ?? installDay, installDay)...max(days?.upperBound ?? installDay, installDay)
    guard window == 0, let day = Self.day(value, count) else { return }
    installDays[cell, default: [:]][installDay, default: .init()] += day
  }

  /// Returns the cell of a postback.
  package func cell(_ stratum: Stratum, window: Int, installDay: Int64?) -> Cell {
    Cell(stratum, window: window, period: period.number(ofDay: installDay))
  }

  /// Returns the last install date of which a later window has ended.
  func lastEnded(window: Int) -> Int64 { lastEnded[window - 1] }

  /// Returns the first and the last day of the period with a number; nil if install dates are not known.
  func days(ofPeriod number: Int64?) -> ClosedRange<Int64>? {
    number.flatMap { period == .all ? days : period.days(of: $0) }
  }

  private mutating func addToCohorts(_ value: Value, _ stratum: Stratum, window: Int, installDay: Int64?, _ count: Int)
  {
    // SKAdNetwork 3 and earlier have one window.
    if case .campaign = stratum.identifier { return }
    if window == 0, let installDay {
      firstDays[stratum.app] = min(firstDays[stratum.app] ?? installDay, installDay)
    }
    for later in 1...2 where window == 0 || window == later {
      let cell = cell(stratum, window: later, installDay: installDay)
      if let installDay, installDay <= lastEnded(window: later) {
        cohorts[cell, default: Cohort()].add(value, window: window, count)
      } else {
        openCohorts[cell, default: Cohort()].add(value, window: window, count)
        if installDay != nil { cutCells.insert(cell) }
      }
    }
  }

  private static func day(_ value: Value, _ count: Int) -> DayDrift.Day? {
    switch value {
    case .null: DayDrift.Day(nulls: count)
    case .decoded(let value) where value.coarse == nil:
      DayDrift.Day(values: count, revenue: (value.estimate ?? .zero) * count)
    default: nil
    }
  }
}
