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
  /// The values of the outcomes as modelling sees them.
  private let values: [StratumCounts.Value?]

  /// The counts by install day, for later reports.
  let history: StratumHistory

  /// Models the null postbacks of a report, whose amounts are in `currency` if it has one. The counts of days whose postbacks were
  /// removed because of their age are those of `earlier`.
  package init(
    _ cells: DailyCells,
    _ models: ModelMeanings,
    _ settings: DailySettings,
    currency: String?,
    earlier: StratumHistory
  ) {
    self.currency = currency
    let firstDay = settings.firstKeptDay ?? .min
    var history = StratumHistory()
    period = settings.modelPeriod
    strata = cells.strata.keys.map { Stratum($0.values) }
    values = cells.outcomes.map(\.modelledValue)
    let numbers = values.map { $0.map { history.number(of: $0) } ?? 0 }
    let ranks = cells.ranks
    var counts = StratumCounts(by: period)
    var groups = StratumGroups<UInt32>()
    for (cell, count) in cells.counts {
      guard let value = values[Int(cell.outcome)] else { continue }
      let (stratum, window) = (strata[Int(cell.stratum)], cells.outcomes[Int(cell.outcome)].window)
      if let day = cell.installDay {
        guard day >= firstDay else { continue }
        history.add(valueNumber: numbers[Int(cell.outcome)], stratum, window: window, day: day, count: count)
      }
      counts.add(value, stratum, window: window, installDay: cell.installDay, count: count)
      if window == 0 { groups.add(stratum, in: ranks[Int(cell.place)]) }
    }
    earlier.forEach(before: firstDay) { value, stratum, window, day, count in
      history.add(valueNumber: history.number(of: value), stratum, window: window, day: day, count: count)
      counts.add(value, stratum, window: window, installDay: day, count: count)
    }
    self.groups = groups
    self.history = history
    modelling = NullModelling(counts, models, level: settings.modelLevel)
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
    if row.group.window > 0 { return GroupRevenue(.refused(.laterWindow)) }
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
