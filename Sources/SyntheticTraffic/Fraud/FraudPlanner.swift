internal import Base
internal import ConversionModel
internal import SKAdNetwork

/// Consecutive lines of a dump after frauds.
struct FraudulentLines: Sendable {
  /// The lines that are written.
  var plans: [LinePlan]
  /// The lines that are not written, because a forwarder withholds them.
  var withheld: [LinePlan] = []
}

/// A planner that adds frauds to the clean lines of campaign traffic.
///
/// All other lines keep their bytes. The outcome of the copies of a postback that a fraud touches is planned again.
struct FraudPlanner: Sendable {
  let scenarios: [FraudScenario]
  let traffic: CampaignTraffic
  /// The number of clean lines of the dump.
  let count: Int

  private static let day: Int64 = 86_400_000

  /// Returns the clean lines `lines` of the dump, whose plans are `clean`, after all frauds.
  func lines(_ clean: [LinePlan], _ lines: ClosedRange<Int>) -> FraudulentLines {
    var plans = clean
    let chains = CopyChains(plans)
    var touched: Set<Int> = []
    var added: [LinePlan] = []
    for (number, scenario) in scenarios.enumerated() {
      let place = lines.lowerBound * scenarios.count + number
      var random = SeededGenerator(seed: traffic.seed, line: place, .fraud)
      let candidates = plans.indices.filter { index in
        chains.isFirstOfForwarder(index) && !touched.contains(plans[index].root)
          && isCandidate(plans[index], scenario)
      }
      for index in select(from: candidates, scenario.extent, lines, &random) {
        let root = plans[index].root
        touched.insert(root)
        if scenario.kind.addsLines {
          let line = count + lines.lowerBound * scenarios.count + added.count
          var plan = addition(scenario.kind, to: plans[index], of: plans, line: line, &random)
          if plan.arrival?.forwarder == nil { plan.moveBefore(chains[root].map { plans[$0] }, &random) }
          added.append(plan)
        }
        if scenario.kind.changesLines { change(scenario, &plans, chains[root], like: index, &random) }
      }
    }
    added += plans.filter { $0.fraud?.kind == .holdBack }
    plans.removeAll { $0.fraud?.kind == .holdBack }
    var all = FraudulentLines(plans: plans.merging(added))
    all.withheld = all.plans.filter { $0.fraud?.kind == .withhold }
    all.plans.removeAll { $0.fraud?.kind == .withhold }
    CopyChains(all.plans).planOutcomes(of: touched, in: &all.plans)
    return all
  }

  private func isCandidate(_ plan: LinePlan, _ scenario: FraudScenario) -> Bool {
    guard traffic.isForwarded(plan, of: scenario.target) else { return false }
    let draft = plan.draft
    switch scenario.kind {
    case .dropLow: return values(plan)?.isFree(draft.sentValue) ?? false
    case .zeroValues: return draft.sentValue.fine ?? 0 > 0
    case .inventNulls: return !draft.sentValue.isNull
    case .holdBack: return draft.isWin && plan.arrival?.truth?.window == 0
    case .frame: return draft.isWin && lowered(plan) != nil
    case .hide: return draft.isWin && raised(plan) != nil
    case .inflateFine: return highest(plan).map { draft.sentValue.fine ?? $0 < $0 } ?? false
    case .inflateCoarse: return draft.sentValue.coarse.map { $0 < .high } ?? false
    case .flipWin: return draft[.didWin] == .boolean(false) && draft.format.rules.signs(.didWin)
    case .changeCountry: return draft[.countryCode].map { $0 != .text("US") } ?? false
    case .selfConflict: return draft.isWin && raised(plan) != nil
    case .replayLate, .stealSignature, .fabricate, .withhold: return draft.isWin
    }
  }

  /// Draws the candidates that are affected, in their order.
  private func select(
    from candidates: [Int],
    _ extent: FraudScenario.Extent,
    _ lines: ClosedRange<Int>,
    _ random: inout SeededGenerator
  ) -> [Int] {
    switch extent {
    case .share(let share): return candidates.filter { _ in random.fraction() < share }
    case .postbacks(let wanted):
      // The part of the wanted number that these lines are of all lines, so that all parts add up to it.
      let end = Double(wanted) * Double(lines.upperBound) / Double(count)
      let start = Double(wanted) * Double(lines.lowerBound - 1) / Double(count)
      var left = Int(end) - Int(start)
      var rest = candidates
      var chosen: [Int] = []
      while left > 0, !rest.isEmpty {
        let place = random.below(rest.count)
        chosen.append(rest[place])
        rest.swapAt(place, rest.count - 1)
        rest.removeLast()
        left -= 1
      }
      return chosen.sorted()
    }
  }

  // MARK: - Values

  /// The values that the users of a postback can reach.
  private func values(_ plan: LinePlan) -> ReachableValues? {
    guard let truth = plan.arrival?.truth else { return nil }
    let conversion = truth.conversion
    let app = traffic.plan.campaigns[conversion.cell.campaign].app
    return traffic.values(app: app, at: conversion.time, conversion.kind)[truth.window]
  }

  /// The fine value with the most revenue; nil if fine values mean none.
  private func highest(_ plan: LinePlan) -> Int? { values(plan)?.highestFine }

  /// The value of a postback after it is raised to the highest one; nil if it has none, or the highest.
  private func raised(_ plan: LinePlan) -> SentValue? {
    let value = plan.draft.sentValue
    if let fine = value.fine, let highest = highest(plan), highest != fine { return SentValue(fine: highest) }
    return value.coarse.map { $0 < .high } ?? false ? SentValue(coarse: .high) : nil
  }

  /// The value of a postback after it is lowered to one without revenue; nil if it has none, or the lowest.
  private func lowered(_ plan: LinePlan) -> SentValue? {
    let value = plan.draft.sentValue
    if let fine = value.fine { return fine > 0 ? SentValue(fine: 0) : nil }
    return value.coarse.map { $0 > .low } ?? false ? SentValue(coarse: .low) : nil
  }

  // MARK: - Changes

  /// Changes all copies of a postback that the forwarder of one of them, or those who act together with it, sent with the
  /// same values.
  private func change(
    _ scenario: FraudScenario,
    _ plans: inout [LinePlan],
    _ chain: [Int],
    like index: Int,
    _ random: inout SeededGenerator
  ) {
    let model = plans[index]
    var edited = model.draft
    var change: FieldChange?
    var delay: Int64 = 0
    switch scenario.kind {
    case .inflateFine:
      let higher = model.draft.sentValue.fine.flatMap { fine in
        scenario.step.map { min(fine + $0, highest(model) ?? fine) } ?? values(model)?.higherFine(than: fine, &random)
      }
      change = edited.change(.conversionValue, to: higher.map { .integer(Int64($0)) })
    case .inflateCoarse: change = edited.change(.coarseConversionValue, to: .text(CoarseValue.high.rawValue))
    case .flipWin: change = edited.change(.didWin, to: .boolean(true))
    case .changeCountry: change = edited.change(.countryCode, to: .text("US"))
    case .dropLow, .inventNulls: edited.sentValue = SentValue()
    case .zeroValues: edited.sentValue = SentValue(fine: 0)
    case .hide: edited.sentValue = raised(model) ?? edited.sentValue
    case .holdBack: delay = random.integer(in: 7 * Self.day...9 * Self.day)
    case .withhold, .replayLate, .stealSignature, .fabricate, .selfConflict, .frame: break
    }
    change = change ?? edited.unsignedChange(from: model.draft)
    let culprits = [model.arrival?.forwarder] + scenario.target.forwarders
    for place in chain
    where plans[place].arrival?.forwarder != nil && culprits.contains(plans[place].arrival?.forwarder) {
      guard place == index || plans[place].draft.unsignedChange(from: model.draft) == nil else { continue }
      plans[place].draft = edited
      let time = plans[place].arrival?.receivedAt.milliseconds ?? 0
      plans[place].arrival?.receivedAt = Timestamp(milliseconds: time + delay)
      plans[place].fraud = FraudMark(kind: scenario.kind, change: change)
    }
  }

  // MARK: - Additional lines

  /// Plans a line that the forwarder of `model` sends in addition.
  private func addition(
    _ kind: FraudKind,
    to model: LinePlan,
    of plans: [LinePlan],
    line: Int,
    _ random: inout SeededGenerator
  ) -> LinePlan {
    var plan = LinePlan(line: line, model.draft, model.style)
    plan.arrival = model.arrival
    plan.signed = model.signed
    plan.fraud = FraudMark(kind: kind)
    let days: ClosedRange<Int64> = kind == .replayLate ? 31...75 : 0...1
    let delay = random.integer(in: days.lowerBound * Self.day...days.upperBound * Self.day)
    let time = (model.arrival?.receivedAt.milliseconds ?? 0) + delay + 60_000
    plan.arrival?.receivedAt = Timestamp(milliseconds: time)
    switch kind {
    case .replayLate: plan.originalLine = model.root
    case .selfConflict:
      plan.originalLine = model.root
      plan.draft.sentValue = raised(model) ?? model.draft.sentValue
      plan.fraud?.change = plan.draft.unsignedChange(from: model.draft)
    case .frame, .hide:
      plan.originalLine = model.root
      plan.style = ForwardingStyle(isForwarded: false, &random)
      plan.arrival?.forwarder = nil
      plan.arrival?.inlineValues = []
      plan.draft.sentValue = (kind == .frame ? lowered(model) : raised(model)) ?? model.draft.sentValue
      plan.fraud?.change = plan.draft.unsignedChange(from: model.draft)
    default:
      let transaction = plan.draft.format.transaction
      plan.arrival?.truth = nil
      plan.arrival?.inlineValues = []
      plan.kind = .forged
      let victims = plans.filter { other in
        other.draft.format == model.draft.format && other.arrival?.truth != nil && other.kind != .zeroFilled
          && other.kind != .duplicateTransaction
      }
      plan.fraud?.change = plan.draft.change(transaction, to: .text(random.transactionID()))
      if kind == .stealSignature {
        plan.signed = random.pick(victims).signed
        plan.fraud?.change = FieldChange(
          field: transaction,
          original: plan.signed[transaction]?.text,
          edited: plan.draft[transaction]?.text
        )
      } else {
        plan.signer = .nobody
      }
      plan.change = plan.fraud?.change
    }
    return plan
  }
}

extension LinePlan {
  /// Lets the copy arrive up to half an hour before all others.
  fileprivate mutating func moveBefore(_ others: [LinePlan], _ random: inout SeededGenerator) {
    let first = others.compactMap(\.arrival?.receivedAt.milliseconds).min() ?? 0
    arrival?.receivedAt = Timestamp(milliseconds: first - random.integer(in: 1000...1_800_000))
  }
}

extension [LinePlan] {
  /// Returns the lines with others among them, at the places where their times of receipt belong.
  fileprivate func merging(_ added: [LinePlan]) -> [LinePlan] {
    guard !added.isEmpty else { return self }
    func time(_ plan: LinePlan) -> Int64 { plan.arrival?.receivedAt.milliseconds ?? 0 }
    let added = added.sorted { (time($0), $0.line) < (time($1), $1.line) }
    var merged: [LinePlan] = []
    merged.reserveCapacity(count + added.count)
    var next = 0
    for plan in self {
      while next < added.count, time(added[next]) < time(plan) {
        merged.append(added[next])
        next += 1
      }
      merged.append(plan)
    }
    return merged + added[next...]
  }
}
