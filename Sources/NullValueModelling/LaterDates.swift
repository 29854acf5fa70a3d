/// The install dates of a period of which a later window has ended.
///
/// Installs are counted by the dates of their first postbacks, and later postbacks by their own, whose error is up to 60
/// hours. So where a period is cut from the dates around it, both are not of the same users.
struct LaterDates {
  /// The install dates; nil if they are not known.
  let dates: ClosedRange<Int64>?
  /// Those of which the first postbacks are there.
  private let known: ClosedRange<Int64>?
  /// The share of postbacks on the wrong side of an end.
  let misdated: Double
  /// The number of these days since the first install of the app; nil if no day before or after them is left out.
  private let cutDays: Int64?
  /// The dates of the later postbacks by which install days are compared; nil if install dates are not known.
  private let compared: ClosedRange<Int64>?
  /// The ends on whose other side the installs are known.
  private let (hasStart, hasEnd): (Bool, Bool)

  /// The fewest days that a period needs where it is cut.
  static let fewest: Int64 = 7
  /// The days whose postbacks are on the wrong side of an end: the mean of an error that is even from -60 to 60 hours.
  static let wrongDays = 1.25

  init(app: Int64, window: Int, _ days: ClosedRange<Int64>?, _ counts: StratumCounts, hasOpen: Bool) {
    guard let days else {
      (dates, known, misdated, cutDays, compared) = (nil, nil, 0, nil, nil)
      (hasStart, hasEnd) = (false, false)
      return
    }
    let isWhole = counts.period == .all
    let first = max(days.lowerBound, counts.firstDay(app: app) ?? days.lowerBound)
    let last = min(days.upperBound, counts.lastEnded(window: window))
    let start = isWhole ? first : days.lowerBound
    dates = min(start, last)...last
    // Of installs before a start that is cut nothing is known.
    let isCutAtStart = counts.isCutAtStart(app: app) && counts.firstDay(app: app) ?? .min >= days.lowerBound
    known = min(isCutAtStart ? first : start, last)...last
    (hasStart, hasEnd) = (!isWhole && !isCutAtStart, !isWhole || hasOpen)
    let farthest = DatedInstalls.farthest
    let from = isCutAtStart ? first + farthest : isWhole ? first - farthest : start
    let to = hasEnd ? last : last + farthest
    compared = from <= to ? from...to : nil
    let ends = isWhole ? (hasOpen ? 1.0 : 0) + (isCutAtStart ? 1 : 0) : 2
    guard ends > 0 else {
      (misdated, cutDays) = (0, nil)
      return
    }
    let number = max(1, last - first + 1)
    (misdated, cutDays) = (min(1, ends * Self.wrongDays / Double(number)), number)
  }

  /// Gives parts the installs of each of these days, and refuses those whose installs begin or end beside an end.
  ///
  /// - Returns: The reason why none of the parts is modelled.
  func take(_ parts: inout [ModelledUnit.Part], window: Int, _ counts: StratumCounts) -> NullModel.Refusal? {
    let hasWideDates = parts.contains { $0.observed.contains { $0.value.hasWideDate } }
    var all = DatedInstalls.Crossing()
    for index in parts.indices {
      let installs = counts.datedInstalls(parts[index].stratum)
      if let compared, !hasWideDates { parts[index].days = installs.expected(compared, window: window) }
      guard cutDays != nil, let known else { continue }
      let crossing = installs.crossing(known, atStart: hasStart, atEnd: hasEnd)
      if crossing.isUneven { parts[index].refusal = .cohortMismatch }
      all += crossing
    }
    guard let cutDays else { return nil }
    if cutDays < Self.fewest { return .fewDays }
    return hasWideDates || all.isUneven ? .cohortMismatch : nil
  }
}
