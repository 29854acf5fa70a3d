package import ConversionModel

/// The fit of a conversion model to the users of an app, with its errors by cross-validation.
package struct ModelFit: Sendable {
  private let population: Population
  private let assumptions: Assumptions
  private let objective: Objective
  private let revenueKind: RevenueKind
  private let keptEvents: [String]
  private let present: PresentModel?
  /// The events of users in the first window, as bits.
  private let sets: [UInt8]

  /// The powers of revenue among which the fit for ranks chooses.
  static let powers = [1, 0.75, 0.5, 0.25]

  /// Creates a fit.
  ///
  /// - Parameters:
  ///   - population: The users. The kept events are the first ones that are counted.
  ///   - assumptions: The assumptions about postbacks.
  ///   - objective: The error that is to be least.
  ///   - revenueKind: The source of the revenue.
  ///   - keptEvents: The events that fine values tell besides revenue.
  ///   - present: The model to compare with; nil if there is none.
  package init(
    _ population: Population,
    _ assumptions: Assumptions,
    _ objective: Objective,
    revenueKind: RevenueKind,
    keptEvents: [String],
    present: PresentModel?
  ) {
    (self.population, self.assumptions, self.objective) = (population, assumptions, objective)
    (self.revenueKind, self.keptEvents, self.present) = (revenueKind, keptEvents, present)
    sets = population.told(0, .never, WindowLadders(fine: [[]], coarse: [])).sets
  }

  private var folds: Int { assumptions.folds }
  private var windowRange: ClosedRange<Int> { 0...population.windowCount - 1 }
  private var campaignInstalls: Double { Double(assumptions.campaignInstalls) }

  // MARK: - Ranges

  /// Returns the ranges of all windows for the users outside of a fold; of fold `folds`, of all users.
  func ladders(_ spacing: Spacing, power: Double, without fold: Int) -> [WindowLadders] {
    let setMask = UInt8((1 << keptEvents.count) - 1)
    let masked = sets.map { $0 & setMask }
    return windowRange.map { window in
      spacing.ladders(
        population.revenue[window],
        sets: window == 0 ? masked : [],
        setCount: 1 << keptEvents.count,
        hasFine: window == 0,
        power: power
      ) { user in
        population.fold(user, of: folds) == fold ? 0 : population.weights[window][user]
      }
    }
  }

  /// Returns the power whose ranges put the fewest pairs of campaigns of these users into the wrong order.
  private func bestPower(without fold: Int) -> Double {
    guard objective == .rank else { return 1 }
    func isLearnt(_ user: Int) -> Bool { population.fold(user, of: folds) != fold }
    let candidates = Self.powers.map { power -> Predictions in
      let ladders = ladders(.fitted, power: power, without: fold)
      var sum = Predictions(count: population.count)
      for window in windowRange {
        var predictions = Predictions(count: population.count)
        let told = population.told(window, .never, ladders[window])
        population.predict(window, ladders[window], told, &predictions, learnsFrom: isLearnt, isPredicted: isLearnt)
        sum = sum + predictions
      }
      return sum
    }
    let drawn = DrawnCampaigns(population, through: windowRange.upperBound, assumptions, among: isLearnt)
    let wrong = drawn.discordance(candidates, pairs: assumptions.pairs, seed: assumptions.seed ^ UInt64(fold + 1))
    let best = wrong.indices.min { wrong[$0].value < wrong[$1].value } ?? 0
    return Self.powers[best]
  }

  // MARK: - The report

  /// Fits the model and measures it.
  package func report() -> FitReport {
    let powers = (0...folds).map(bestPower)
    let fitted = (0...folds).map { ladders(.fitted, power: powers[$0], without: $0) }
    let samples = GroupSamples(seed: assumptions.seed)
    let locks = windowRange.map { window in lockEffects(window, fitted.map { $0[window] }, samples) }
    let chosen = locks.map { effects in
      effects.max { worth($0) < worth($1) }.flatMap { worth($0) > 0 ? $0.condition : nil } ?? .never
    }
    let compared = predictions(fitted, chosen)
    let errors = errors(compared, samples)
    return FitReport(
      assumptions: assumptions,
      objective: objective,
      power: powers[folds],
      revenueKind: revenueKind,
      population: population,
      meanRevenue: windowRange.map(meanRevenue),
      errors: errors,
      locks: locks,
      chosenLocks: chosen,
      windows: windowRange.map { window in
        FittedWindow(population, window, fitted[folds][window], chosen[window], events: keptEvents)
      },
      present: present?.model,
      droppedEvents: (present?.toldEvents ?? []).filter { !keptEvents.contains($0) }
    )
  }

  private func meanRevenue(_ window: Int) -> Double {
    let weights = population.weights[window]
    let sum = weights.indices.reduce(0.0) { $0 + Double(population.revenue[window][$1]) * Double(weights[$1]) }
    return sum / millionths / Double(max(population.installs(window), 1))
  }

  // MARK: - Locks

  /// The worth of a lock: that of the days by which data come earlier, less the error that it adds.
  private func worth(_ lock: LockEffect) -> Double {
    assumptions.dayWorth > 0 ? assumptions.dayWorth * lock.daysEarlier - lock.added.value : 0
  }

  private func lockEffects(_ window: Int, _ ladders: [WindowLadders], _ samples: GroupSamples) -> [LockEffect] {
    let own = window...window
    func sums(_ condition: LockCondition) -> ErrorSums {
      let predictions = population.predictions(window, folds: folds, condition) { ladders[$0] }
      return ErrorSums(population, own, predictions, assumptions)
    }
    let without = sums(.never)
    let all = ladders[folds]
    let conditions = LockCondition.all(in: window).filter { condition in
      switch condition {
      case .never, .secondDay: true
      case .fineValue(let value): value < all.fineValueCount
      case .coarseValue(let value): value <= all.coarse.count
      }
    }
    return ([.never] + conditions).map { condition in
      let with = condition == .never ? without : sums(condition)
      let days = population.told(window, condition, all).daysEarlier
      let weights = population.weights[window]
      let earlier = days.indices.reduce(0.0) { $0 + days[$1] * Double(weights[$1]) }
      func added(_ one: ErrorSums.Group, _ other: ErrorSums.Group) -> Double {
        one.campaignError(campaignInstalls) - other.campaignError(campaignInstalls)
      }
      return LockEffect(
        condition: condition,
        error: with.total.campaignError(campaignInstalls),
        daysEarlier: earlier / Double(max(population.installs(window), 1)),
        added: samples.estimate(added(with.total, without.total)) { added(with.sum($0), without.sum($0)) }
      )
    }
  }

  // MARK: - Errors

  /// Returns the predictions of all models, by window.
  private func predictions(
    _ fitted: [[WindowLadders]],
    _ locks: [LockCondition]
  ) -> [(ComparedModel, [Predictions])] {
    func own(_ ladders: [[WindowLadders]], _ locks: [LockCondition]) -> [Predictions] {
      windowRange.map { window in
        population.predictions(window, folds: folds, locks[window]) { ladders[$0][window] }
      }
    }
    let none = windowRange.map { _ in LockCondition.never }
    var all: [(ComparedModel, [Predictions])] = [(.fitted, own(fitted, locks))]
    for (model, spacing) in [(ComparedModel.equalFrequency, Spacing.equalFrequency), (.logarithmic, .logarithmic)] {
      all.append((model, own((0..<folds).map { ladders(spacing, power: 1, without: $0) }, none)))
    }
    guard let present else { return all }
    let values = windowRange.map { present.values($0, of: population) }
    for (model, relearns) in [(ComparedModel.present, false), (.presentRelearnt, true)] {
      var earlier = Predictions(count: population.count)
      var windows: [Predictions] = []
      for window in windowRange {
        let predictions = present.predictions(
          window,
          values[window],
          of: population,
          folds: folds,
          after: earlier,
          relearns: relearns
        )
        earlier = earlier + predictions
        windows.append(predictions)
      }
      all.append((model, windows))
    }
    return all
  }

  private func errors(_ compared: [(ComparedModel, [Predictions])], _ samples: GroupSamples) -> [ComparedErrors] {
    let totals = compared.map { $0.1.dropFirst().reduce($0.1[0], +) }
    let sums = totals.map { ErrorSums(population, windowRange, $0, assumptions) }
    let drawn = DrawnCampaigns(population, through: windowRange.upperBound, assumptions) { _ in true }
    let ranks = drawn.discordance(totals, pairs: assumptions.pairs, seed: assumptions.seed)
    func share(_ group: ErrorSums.Group) -> Double {
      guard group.revenue > 0 else { return 0 }
      return group.campaignError(campaignInstalls) / campaignInstalls / (group.revenue / group.installs)
    }
    func ratio(_ one: ErrorSums.Group, _ fitted: ErrorSums.Group) -> Double {
      let least = fitted.campaignError(campaignInstalls)
      let own = one.campaignError(campaignInstalls)
      return least > 0 ? own / least : own > 0 ? .infinity : 1
    }
    return compared.indices.map { index in
      let all = sums[index]
      let total = all.total
      return ComparedErrors(
        model: compared[index].0,
        windows: windowRange.map { window in
          let own = ErrorSums(population, window...window, compared[index].1[window], assumptions)
          return samples.estimate(own.total.campaignError(campaignInstalls)) {
            own.sum($0).campaignError(campaignInstalls)
          }
        },
        total: samples.estimate(total.campaignError(campaignInstalls)) { all.sum($0).campaignError(campaignInstalls) },
        parts: total.parts(campaignInstalls),
        largestUserShare: total.square > 0 ? total.largest / total.square : 0,
        share: samples.estimate(share(total)) { share(all.sum($0)) },
        ratio: samples.estimate(ratio(total, sums[0].total)) { ratio(all.sum($0), sums[0].sum($0)) },
        meanError: total.installs > 0 ? total.error / total.installs : 0,
        rank: ranks[index]
      )
    }
  }
}
