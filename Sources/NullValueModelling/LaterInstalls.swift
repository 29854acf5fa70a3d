/// The installs of an app that may send postbacks of the windows 1 and 2, with these postbacks.
struct LaterInstalls {
  private let counts: StratumCounts
  private let strata: [Stratum: DatedInstalls]
  /// The first install date that the later windows are modelled of; nil if no install date is known. Where the postbacks begin
  /// after the first installs, they may begin within the first date, which is left out.
  let firstDay: Int64?
  /// Indicates that the postbacks do not begin with the first installs: more than 4 later postbacks are of installs before those
  /// whose first postbacks are there. Fewer may be of installs whose first postback was late or lost.
  let isCutAtStart: Bool

  init(of app: Int64, _ counts: StratumCounts) {
    let strata = counts.installs[app] ?? [:]
    let first = strata.values.compactMap(\.firstDay).min()
    let early = first.map { day in strata.values.reduce(0) { $0 + $1.laterPostbacks(ofInstallsBefore: day) } }
    (self.counts, self.strata) = (counts, strata)
    isCutAtStart = early ?? 0 > 4
    firstDay = isCutAtStart ? first?.advanced(by: 1) : first
  }

  subscript(stratum: Stratum) -> DatedInstalls { strata[stratum] ?? DatedInstalls() }

  /// Returns the installs of the dates of a period of which a later window has ended; nil if there is no postback.
  func ended(_ stratum: Stratum, window: Int, _ period: Int64?) -> DatedInstalls.Cohort? {
    guard let dates = counts.dates(ofPeriod: period) else { return nil }
    let first = isCutAtStart ? max(dates.lowerBound, firstDay ?? .min) : dates.lowerBound
    let last = min(dates.upperBound, counts.lastEnded(window: window))
    return first <= last ? strata[stratum]?.cohort(first...last, window: window) : nil
  }

  /// Returns the installs of the dates of a period of which a later window has not ended; nil if there is no postback.
  func notEnded(_ stratum: Stratum, window: Int, _ period: Int64?) -> DatedInstalls.Cohort? {
    let lastEnded = counts.lastEnded(window: window)
    guard let dates = counts.dates(ofPeriod: period), lastEnded < dates.upperBound else { return nil }
    return strata[stratum]?.cohort(max(dates.lowerBound, lastEnded + 1)...dates.upperBound, window: window)
  }

  /// Returns the same, with the installs of unknown dates if they are of the period.
  func open(_ stratum: Stratum, window: Int, _ period: Int64?) -> DatedInstalls.Cohort? {
    let undated = period == counts.period.number(ofDay: nil) ? strata[stratum]?.undated(window: window) : nil
    return [notEnded(stratum, window: window, period), undated].compactMap(\.self).sum
  }
}
