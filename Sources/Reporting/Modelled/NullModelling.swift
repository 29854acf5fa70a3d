internal import ConversionModel

/// The state of a modelled number.
package enum ModelledStatus: Hashable, Sendable {
  /// The stratum has values of its own.
  case modelled
  /// The stratum has no value, and the pool's stand in.
  case borrowed
  /// There is no estimate.
  case refused(NullModel.Refusal)

  /// The word in tables.
  package var word: String {
    switch self {
    case .modelled: "modelled"
    case .borrowed: "borrowed"
    case .refused(let refusal): "not_modelled:\(refusal.rawValue)"
    }
  }
}

/// The estimates for the null postbacks of all strata, and their totals.
package struct NullModelling: Sendable {
  /// The prediction for the null postbacks of a stratum, or the reason why there is none.
  struct Outcome: Sendable {
    var status: ModelledStatus
    var currency: String?
    var prediction: NullPrediction?
    /// The predictions of the number of postbacks with an event, by its name.
    var events: [String: NullPrediction] = [:]
  }

  /// The rows of `skan_modelled`, in the order of the table.
  package private(set) var rows: [ModelledRow] = []
  /// The level of the intervals.
  let level: Double
  private(set) var outcomes: [StratumCounts.Cell: Outcome] = [:]

  private let period: ModelPeriod
  private let days: ClosedRange<Int64>?

  /// Models the null postbacks of strata, with intervals at a level.
  package init(_ counts: StratumCounts, _ meanings: ModelMeanings, level: Double = 0.95) {
    self.level = level
    period = counts.period
    days = counts.days
    for units in Self.units(counts, meanings) {
      let families = Dictionary(grouping: units, by: \.family)
      for unit in units {
        let family = unit.family.flatMap { families[$0] } ?? [unit]
        add(ModelledFamily(family.map(\.parts)), unit)
      }
    }
    rows.sort { $0.order < $1.order }
  }

  /// Returns the units of each window and period, each group in the order of the apps.
  private static func units(_ counts: StratumCounts, _ meanings: ModelMeanings) -> [[ModelledUnit]] {
    struct Place: Hashable {
      let window: Int
      let period: Int64?
    }
    var strata: [Int64: [Int64?: Set<Stratum>]] = [:]
    var windows: [Int64: Set<Int>] = [:]
    var undecoded: Set<Int64> = []
    var ambiguous: [Int64: Set<String>] = [:]
    for (cell, counted) in counts.cells {
      let app = cell.stratum.app
      strata[app, default: [:]][cell.period, default: []].insert(cell.stratum)
      if counted.ambiguousZeros > 0 { ambiguous[app, default: []].insert(cell.stratum.network) }
      if !counted.values.isEmpty { windows[app, default: []].insert(cell.window) }
      if cell.window == 0, counted.undecoded > 0 { undecoded.insert(app) }
    }
    var units: [Place: [ModelledUnit]] = [:]
    for (app, periods) in strata.sorted(by: { $0.key < $1.key }) {
      // An app whose values no model knows has no rows; one without any value has rows without an estimate.
      var windows = windows[app] ?? []
      if !undecoded.contains(app) { windows.insert(0) }
      for (period, strata) in periods {
        for window in windows {
          let unit = ModelledUnit(
            app: app,
            window: window,
            period: period,
            Array(strata),
            counts,
            meanings,
            ambiguous: ambiguous[app] ?? []
          )
          if !unit.parts.isEmpty { units[Place(window: window, period: period), default: []].append(unit) }
        }
      }
    }
    return Array(units.values)
  }

  /// Models a unit, whose pool may be that of its family.
  private mutating func add(_ family: ModelledFamily, _ unit: ModelledUnit) {
    let strata = unit.parts.map(family.stratum)
    let modelled = zip(unit.parts, strata).filter { $0.0.refusal == nil }.map(\.1)
    let pool = family.pool(of: modelled) { $0?.estimate?.approximation ?? 0 }
    var parts: [ModelledRow] = []
    for (part, stratum) in zip(unit.parts, strata) {
      var row = ModelledRow(unit, part, days(of: unit.period))
      var outcome = Outcome(status: .modelled, currency: unit.currency)
      do throws(NullModel.Refusal) {
        if let refusal = part.refusal { throw refusal }
        let prediction = try pool.prediction(stratum)
        outcome.status = stratum.values == 0 && part.nulls > 0 ? .borrowed : .modelled
        outcome.prediction = prediction
        row.credibility = prediction.credibility
        row.limits = family.limits(part, shares: pool.shares(stratum))
      } catch {
        // Without a null postback there is nothing to estimate.
        let isComplete = part.refusal == nil && part.nulls == 0
        outcome.status = isComplete ? .modelled : .refused(error)
        if isComplete { row.limits = family.limits(part, shares: []) }
      }
      row.status = outcome.status
      if case .refused = outcome.status {
      } else {
        let estimate = outcome.prediction?.sum(over: part.nulls) ?? NullEstimate()
        row.estimate = estimate
        row.interval = estimate.interval(level: level)
      }
      parts.append(row)
      if unit.window == 0 {
        outcomes[.init(part.stratum, window: 0, period: unit.period)] = outcome
      }
    }
    if unit.window == 0 { addEvents(family, unit, zip(unit.parts, strata).filter { $0.0.refusal == nil }) }
    rows += parts
    rows += ModelledRow.totals(of: parts, level: level)
  }

  /// Models the number of null postbacks with each event that a value of the unit means.
  private mutating func addEvents(
    _ family: ModelledFamily,
    _ unit: ModelledUnit,
    _ strata: [(part: ModelledUnit.Part, stratum: NullStratum)]
  ) {
    for name in Set(family.axis.flatMap(\.events)) {
      let pool = family.pool(of: strata.map(\.stratum)) { $0?.events.contains(name) == true ? 1 : 0 }
      for (part, stratum) in strata {
        let prediction = try? pool.eventPrediction(stratum)
        outcomes[.init(part.stratum, window: 0, period: unit.period)]?.events[name] = prediction
      }
    }
  }

  private func days(of number: Int64?) -> ClosedRange<Int64>? {
    number.flatMap { period == .all ? days : period.days(of: $0) }
  }
}
