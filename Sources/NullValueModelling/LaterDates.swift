/// The install dates of a period of which a later window has ended.
///
/// Installs are counted by the dates of their first postbacks, and later postbacks by their own, whose error is up to 60
/// hours. So where a period is cut from the dates around it, both are not of the same users.
struct LaterDates {
  /// The postbacks beyond an end of the dates.
  private enum Beyond {
    /// No postback.
    case nothing
    /// Installs whose first postbacks are not there.
    case unknown
    /// Installs of another period, or of which the window has not ended.
    case installs
  }

  /// The install dates.
  let dates: ClosedRange<Int64>
  /// Those since the first install of the app.
  private let installed: ClosedRange<Int64>
  private let (before, after): (Beyond, Beyond)

  /// The fewest days that a period needs where it is cut.
  static let fewest = 7
  /// The days whose postbacks are on the wrong side of an end: the mean of an error that is even from -60 to 60 hours.
  static let wrongDays = 1.25

  init(_ days: ClosedRange<Int64>, window: Int, _ counts: StratumCounts, _ installs: LaterInstalls, hasOpen: Bool) {
    let isWhole = counts.period == .all
    let firstInstall = installs.firstDay ?? days.lowerBound
    let first = max(days.lowerBound, firstInstall)
    let last = min(days.upperBound, counts.lastEnded(window: window))
    dates = min(isWhole ? first : days.lowerBound, last)...last
    installed = min(first, last)...last
    before = installs.isCutAtStart && firstInstall >= days.lowerBound ? .unknown : isWhole ? .nothing : .installs
    after = isWhole && !hasOpen ? .nothing : .installs
  }

  /// The number of ends with installs beyond.
  private var ends: Int { [before, after].count { $0 != .nothing } }
  /// The dates of which the first postbacks are there.
  private var known: ClosedRange<Int64> { before == .installs ? dates : installed }
  /// The dates of the later postbacks by which install days are compared; nil if there are none.
  private var compared: ClosedRange<Int64>? {
    let farthest = DatedInstalls.farthest
    let first =
      switch before {
      case .nothing: installed.lowerBound - farthest
      case .unknown: installed.lowerBound + farthest
      case .installs: dates.lowerBound
      }
    let last = after == .nothing ? dates.upperBound + farthest : dates.upperBound
    return first <= last ? first...last : nil
  }

  /// The share of postbacks on the wrong side of an end.
  var misdated: Double { min(1, Double(ends) * Self.wrongDays / Double(installed.count)) }

  /// Gives parts the installs of each of these days, and refuses those whose installs begin or end beside an end.
  ///
  /// - Returns: The reason why none of the parts is modelled.
  func take(_ parts: inout [ModelledUnit.Part], window: Int, _ installs: LaterInstalls) -> NullModel.Refusal? {
    let hasWideDates = parts.contains { $0.observed.contains { $0.value.hasWideDate } }
    var all = DatedInstalls.Crossing()
    for index in parts.indices {
      let installs = installs[parts[index].stratum]
      if let compared, !hasWideDates { parts[index].days = installs.expected(compared, window: window) }
      let crossing = installs.crossing(known, atStart: before == .installs, atEnd: after == .installs)
      if crossing.isUneven { parts[index].refusal = .cohortMismatch }
      all += crossing
    }
    guard ends > 0 else { return nil }
    if installed.count < Self.fewest { return .fewDays }
    return hasWideDates || all.isUneven ? .cohortMismatch : nil
  }
}
