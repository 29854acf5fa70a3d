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

  /// The period over which postbacks are counted together.
  package let period: ModelPeriod
  /// The last install dates of which the windows 1 and 2 have ended, in days since 1970-01-01.
  private let lastEnded: [Int64]
  private(set) var cells: [Cell: Counts] = [:]
  /// The fine values and the nulls of the first window by install day.
  private(set) var installDays: [Cell: [Int64: DayDrift.Day]] = [:]
  /// The installs of the strata of each app that may send later postbacks.
  private(set) var installs: [Int64: [Stratum: DatedInstalls]] = [:]
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
    // SKAdNetwork 3 and earlier have one window.
    if case .campaign = stratum.identifier {
    } else {
      installs[stratum.app, default: [:]][stratum, default: .init()].add(value, window: window, day: installDay, count)
    }
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

  /// Returns the first and the last day of a period; nil for that of unknown dates.
  func dates(ofPeriod number: Int64?) -> ClosedRange<Int64>? {
    number.flatMap { period == .all ? DatedInstalls.allDates : period.days(of: $0) }
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
