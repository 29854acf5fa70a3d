package import Base
internal import ConversionModel
package import NullValueModelling

/// The modelled numbers of a daily report.
package struct DailyModelling: Sendable {
  /// The estimates.
  let modelling: NullModelling

  /// The currency of the report; nil if amounts stay in their own.
  private let currency: String?
  private let strata: [Stratum]
  private let groups: StratumGroups<UInt32>
  private let period: ModelPeriod
  /// The last install dates of which the windows 1 and 2 have ended.
  private let lastEnded: [Int64]
  /// The values of the outcomes as modelling sees them.
  private let values: [StratumCounts.Value?]

  /// The counts by install day, for later reports.
  let history: StratumHistory

  /// Models the null postbacks of a report of the time `asOf`, whose amounts are in `currency` if it has one. The counts of days whose
  /// postbacks were removed because of their age are those of `earlier`.
  package init(
    _ cells: DailyCells,
    _ models: ModelMeanings,
    _ settings: DailySettings,
    currency: String?,
    asOf: Timestamp?,
    earlier: StratumHistory
  ) {
    self.currency = currency
    let firstDay = settings.firstKeptDay ?? .min
    var history = StratumHistory()
    period = settings.modelPeriod
    strata = cells.strata.keys.map { Stratum($0.values) }
    values = cells.outcomes.map(\.modelledValue)
    lastEnded = [1, 2].map { Completeness.lastFinalInstallDay(window: $0, asOf: asOf) ?? .min }
    let wideValues = values.map { $0?.withWideDate }
    let numbers = values.map { $0.map { history.number(of: $0) } ?? 0 }
    let wideNumbers = wideValues.map { $0.map { history.number(of: $0) } ?? 0 }
    let ranks = cells.ranks
    var counts = StratumCounts(by: period, lastEnded: lastEnded)
    var groups = StratumGroups<UInt32>()
    for (cell, count) in cells.counts {
      let (outcome, window) = (Int(cell.outcome), cells.outcomes[Int(cell.outcome)].window)
      let isWide = cell.hasWideDate(window: window)
      guard let value = isWide ? wideValues[outcome] : values[outcome] else { continue }
      let stratum = strata[Int(cell.stratum)]
      if let day = cell.installDay {
        guard day >= firstDay else { continue }
        let number = isWide ? wideNumbers[outcome] : numbers[outcome]
        history.add(valueNumber: number, stratum, window: window, day: day, count: count)
      }
      counts.add(value, stratum, window: window, installDay: cell.installDay, count: count)
      if window == 0 { groups.add(stratum, in: ranks[Int(cell.place)]) }
    }
    earlier.forEach(before: firstDay) { value, stratum, window, day, count in
      let value = models.withoutPossibleEvents(value, app: stratum.app, window: window)
      history.add(valueNumber: history.number(of: value), stratum, window: window, day: day, count: count)
      counts.add(value, stratum, window: window, installDay: day, count: count)
    }
    self.groups = groups
    self.history = history
    var possibleEvents: [Int64: Set<String>] = [:]
    for (outcome, value) in zip(cells.outcomes, values) {
      guard outcome.window == 0, case .decoded = value else { continue }
      possibleEvents[outcome.app, default: []].formUnion(outcome.events.map(\.name))
    }
    modelling = NullModelling(counts, models, level: settings.modelLevel, possibleEvents: possibleEvents)
  }

  /// Notes the postbacks of an entry among those of its group.
  func add(_ entry: DailyCells.Entry, to nulls: inout GroupNulls) {
    guard entry.window == 0, let value = values[Int(entry.outcome)] else { return }
    let period = period.number(ofDay: entry.installDay)
    let cell = StratumCounts.Cell(strata[Int(entry.stratum)], window: 0, period: period)
    nulls.add(cell, value, entry.count)
  }

  /// Returns the modelled revenue of a row of `skan_daily`; nil if it has nothing to model.
  func revenue(of row: DailyRow) -> GroupRevenue? {
    if row.group.window > 0 {
      let isOpen = row.group.dateType == .install && (row.group.day ?? .max) > lastEnded[row.group.window - 1]
      return GroupRevenue(.refused(isOpen ? .open : .laterWindow))
    }
    let revenue = row.metrics.singleRevenue
    guard revenue != nil || row.metrics.revenue.isEmpty else { return GroupRevenue(.refused(.currencies)) }
    let modelled = modelling.revenue(
      of: row.nulls,
      whole: groups,
      observed: revenue?.revenue.estimate ?? .zero,
      currency: revenue?.currency
    )
    // An estimate is in the currency of the model, also where no revenue was observed.
    if let currency, let own = modelled?.currency, own != currency { return GroupRevenue(.refused(.currencies)) }
    return modelled
  }

  /// Returns the modelled number of postbacks with an event of a row whose revenue is modelled.
  func postbacks(with event: String, observed: Int, of row: DailyRow) -> ModelledNumber {
    modelling.postbacks(with: event, observed: observed, of: row.nulls)
  }
}

extension DailyCell {
  /// Tells if a postback of a later window may have come early, because the app may lock its window: then its install date is
  /// estimated nearer to its receipt than otherwise, and its error is larger. The system's locks do not move the estimate.
  fileprivate func hasWideDate(window: Int) -> Bool {
    guard window > 0, let installDay, received != Self.unknownDay,
      let usual = ArrivalHours(family: .adAttributionKit, window: window, conversionValueIsZero: false)
    else { return false }
    return Int64(received) - installDay < Int64(usual.least + usual.most) / 2 / 24
  }
}

extension StratumCounts.Value {
  fileprivate var withWideDate: StratumCounts.Value {
    guard case .decoded(var value) = self else { return self }
    value.hasWideDate = true
    return .decoded(value)
  }
}
