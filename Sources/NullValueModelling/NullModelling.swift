internal import Statistics

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
  /// The rows of `skan_modelled`, in the order of the table.
  package private(set) var rows: [ModelledRow] = []
  /// The level of the intervals.
  let level: Double
  private(set) var outcomes: [StratumCounts.Cell: StratumOutcome] = [:]

  /// The names of the events of each app that its values may mean.
  private let possibleEvents: [Int64: Set<String>]

  /// Models the null postbacks of strata, with intervals at a level. `possibleEvents` are the names of the events of each app that its
  /// values may mean, also of those that may not have happened.
  package init(
    _ counts: StratumCounts,
    _ meanings: ModelMeanings,
    level: Double = 0.95,
    possibleEvents: [Int64: Set<String>] = [:]
  ) {
    (self.level, self.possibleEvents) = (level, possibleEvents)
    for units in Self.units(counts, meanings) {
      let families = Dictionary(grouping: units, by: \.family)
      for unit in units {
        let family = unit.family.flatMap { families[$0] } ?? [unit]
        add(ModelledFamily(of: unit, family), unit)
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
    var zeros: [Int64: [String: ShareOfZeros]] = [:]
    for (cell, counted) in counts.cells {
      let app = cell.stratum.app
      strata[app, default: [:]][cell.period, default: []].insert(cell.stratum)
      if cell.window == 0 { zeros[app, default: [:]][cell.stratum.network, default: .init()].add(counted) }
      if !counted.values.isEmpty { windows[app, default: []].insert(cell.window) }
      if cell.window == 0, counted.undecoded > 0 { undecoded.insert(app) }
    }
    var units: [Place: [ModelledUnit]] = [:]
    for (app, periods) in strata.sorted(by: { $0.key < $1.key }) {
      // An app whose values no model knows has no rows; one without any value has rows without an estimate.
      var windows = windows[app] ?? []
      if !undecoded.contains(app) { windows.insert(0) }
      let installs = LaterInstalls(of: app, counts)
      for (period, strata) in periods {
        for window in windows {
          let unit = ModelledUnit(
            app: app,
            window: window,
            period: period,
            Array(strata),
            counts,
            installs,
            meanings,
            ambiguous: Set((zeros[app] ?? [:]).filter { $0.value.isLarge }.keys)
          )
          if !unit.parts.isEmpty { units[Place(window: window, period: period), default: []].append(unit) }
        }
      }
    }
    return Array(units.values)
  }

  /// The share of installs of a network with a 0 that may stand for no value.
  private struct ShareOfZeros {
    var zeros = 0
    var conversions = 0

    /// Indicates that the zeros are so many that the network may write all nulls as 0.
    var isLarge: Bool { 10 * zeros > conversions }

    mutating func add(_ counts: StratumCounts.Counts) {
      zeros += counts.ambiguousZeros
      conversions += counts.conversions
    }
  }

  /// Models a unit, whose pool may be that of its family.
  private mutating func add(_ family: ModelledFamily, _ unit: ModelledUnit) {
    let strata = unit.parts.map(family.stratum)
    let modelled = zip(unit.parts, strata).filter { $0.0.refusal == nil }
    let pool = family.pool(of: modelled.map(\.1)) { value in value.map { family.amount($0, .expected) } ?? 0 }
    let drift = NullDrift(family, modelled, pool, window: unit.window)
    var parts: [ModelledRow] = []
    for (part, stratum) in zip(unit.parts, strata) {
      var outcome = StratumOutcome(status: .modelled, currency: unit.currency)
      outcome.tail = family.tail
      outcome.worths = family.worths(of: part)
      var limits: ModelledRow.Limits?
      do throws(NullModel.Refusal) {
        if let refusal = part.refusal { throw refusal }
        if drift.tiers.isTooLarge, part.nulls > 0 { throw .tiersDiffer }
        try outcome.predict(stratum, part, pool, drift, family)
        outcome.status = stratum.values == 0 && part.nulls > 0 ? .borrowed : .modelled
        limits = family.limits(part, shares: pool.shares(stratum))
      } catch {
        // Without a null postback there is nothing to estimate.
        let isComplete = part.refusal == nil && part.nulls == 0 && part.zeros == 0
        outcome.status = isComplete ? .modelled : .refused(error)
        if isComplete { limits = family.limits(part, shares: []) }
      }
      var row = ModelledRow(unit, part, outcome)
      row.status = outcome.status
      row.limits = limits
      row.credibility = outcome.expected?.credibility
      if case .refused = outcome.status {
      } else {
        (row.tierFactor, row.dayFactor) = (drift.tiers.factor, drift.days.factor)
        row.estimate(level: level)
      }
      parts.append(row)
      if unit.window == 0 {
        outcomes[.init(part.stratum, window: 0, period: unit.period)] = outcome
      }
    }
    if unit.window == 0 { addEvents(family, unit, modelled.map { ($0.0, $0.1) }) }
    rows += parts
    rows += ModelledRow.totals(of: parts, level: level)
  }

  /// Models the number of null postbacks with each event that a value of the unit means, or may mean.
  private mutating func addEvents(
    _ family: ModelledFamily,
    _ unit: ModelledUnit,
    _ strata: [(part: ModelledUnit.Part, stratum: NullStratum)]
  ) {
    for name in Set(family.axis.flatMap(\.events)).union(possibleEvents[unit.app] ?? []) {
      let pool = family.pool(of: strata.map(\.stratum)) { $0?.events.contains(name) == true ? 1 : 0 }
      for (part, stratum) in strata {
        let prediction = try? pool.eventPrediction(stratum)
        outcomes[.init(part.stratum, window: 0, period: unit.period)]?.events[name] = prediction
      }
    }
  }
}

extension StratumOutcome {
  /// Predicts the nulls of a stratum at the ends of the ranges of values.
  fileprivate mutating func predict(
    _ stratum: NullStratum,
    _ part: ModelledUnit.Part,
    _ pool: ModelledPool,
    _ drift: NullDrift,
    _ family: ModelledFamily
  ) throws(NullModel.Refusal) {
    let amounts = family.amounts(.expected)
    let expected = try pool.prediction(stratum)
    let shares = pool.shares(stratum)
    // No null is worth more than the value that is worth the most.
    let factor = expected.mean > 0 ? min(drift.factor, (amounts.max() ?? 0) / expected.mean) : 1
    func finished(_ prediction: NullPrediction, _ end: ModelledFamily.End) -> NullPrediction {
      var prediction = prediction
      var variance = 0.0
      if stratum.values > 0 {
        for (value, count) in part.basis.sorted(by: { $0.key < $1.key }) {
          guard let worth = worths[value.untiered] else { continue }
          let share = Double(count) / stratum.values
          variance += share * share * worth[end].variance / worth.count
        }
      }
      prediction.worthDeviation = variance.squareRoot()
      prediction = prediction.scaled(by: factor)
      (prediction.drift, prediction.ownDrift) = (drift.deviation, drift.tiers.ownVariance)
      return prediction
    }
    self.expected = finished(expected, .expected)
    var zeros = stratum
    zeros.counts[zeros.counts.count - 1] += Double(part.zeros)
    least = finished(try pool.prediction(zeros, ends: family.amounts(.least)), .least)
    let most = try pool.prediction(stratum, ends: family.amounts(.most))
    self.most = most.mean.isFinite && most.poolVariance.isFinite ? finished(most, .most) : nil
    payers = zip(shares, amounts).reduce(0) { $1.1 > 0 ? $0 + $1.0 : $0 }
    openShare = family.openPlaces.reduce(0) { $0 + shares[$1] }
  }
}

/// The revenue of nulls beside that of values, as data tiers and install days tell it.
private struct NullDrift {
  var tiers = TierDrift()
  let days: DayDrift

  /// Estimates the drift of strata that are modelled. Postbacks of the later windows are all of one tier.
  init(
    _ family: ModelledFamily,
    _ strata: [(ModelledUnit.Part, NullStratum)],
    _ pool: ModelledPool,
    window: Int
  ) {
    days = family.dayDrift(strata.map(\.0), window: window)
    guard window == 0 else { return }
    let predicted = strata.compactMap { part, stratum in
      (try? pool.prediction(stratum)).map { (part: part, mean: $0.mean) }
    }
    tiers = family.tierDrift(predicted)
  }

  var factor: Double { tiers.factor * days.factor }
  var deviation: Double { (tiers.deviation * tiers.deviation + days.deviation * days.deviation).squareRoot() }
}
