internal import ConversionModel

/// The modelled numbers of a daily report.
struct DailyModelling: Sendable {
  /// The estimates.
  let modelling: NullModelling

  private let strata: [Stratum]
  private let groups: StratumGroups<UInt32>
  private let period: ModelPeriod
  /// The values of the outcomes as modelling sees them.
  private let values: [StratumCounts.Value?]

  /// Models the null postbacks of a report.
  init(_ cells: DailyCells, _ models: ModelMeanings, _ settings: DailySettings) {
    period = settings.modelPeriod
    strata = cells.strata.keys.map { Stratum($0.values) }
    values = cells.outcomes.map(\.modelledValue)
    let ranks = cells.ranks
    var counts = StratumCounts(by: period)
    var groups = StratumGroups<UInt32>()
    for (cell, count) in cells.counts {
      guard let value = values[Int(cell.outcome)] else { continue }
      let (stratum, window) = (strata[Int(cell.stratum)], cells.outcomes[Int(cell.outcome)].window)
      counts.add(value, stratum, window: window, installDay: Self.day(cell.install), count: count)
      if window == 0 { groups.add(stratum, in: ranks[Int(cell.place)]) }
    }
    self.groups = groups
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
    guard row.metrics.revenue.count < 2 else { return GroupRevenue(.refused(.currencies)) }
    let revenue = row.metrics.revenue.first
    return modelling.revenue(
      of: row.nulls,
      whole: groups,
      observed: revenue?.value.estimate ?? .zero,
      currency: revenue?.key
    )
  }

  /// Returns the modelled number of postbacks with an event of a row whose revenue is modelled.
  func postbacks(with event: String, observed: Int, of row: DailyRow) -> ModelledNumber {
    modelling.postbacks(with: event, observed: observed, of: row.nulls)
  }

  private static func day(_ day: Int32) -> Int64? { day == DailyCell.unknownDay ? nil : Int64(day) }
}
