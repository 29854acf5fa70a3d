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
        chains.isFirstOfForwarder(index) && touched.isDisjoint(with: [chains.root(of: plans[index])])
          && isCandidate(plans[index], scenario)
      }
      for index in select(from: candidates, scenario.extent, lines, &random) {
        let root = chains.root(of: plans[index])
        touched.insert(root)
        if scenario.kind.addsLines {
          let line = count + lines.lowerBound * scenarios.count + added.count
          added.append(addition(scenario.kind, to: plans[index], of: plans, line: line, &random))
        } else {
          change(scenario.kind, &plans, chains[root], like: index, &random)
        }
      }
    }
    var all = FraudulentLines(plans: plans.merging(added))
    all.withheld = all.plans.filter { $0.fraud?.kind == .withhold }
    all.plans.removeAll { $0.fraud?.kind == .withhold }
    CopyChains(all.plans).planOutcomes(of: touched, in: &all.plans)
    return all
  }

  private func isCandidate(_ plan: LinePlan, _ scenario: FraudScenario) -> Bool {
    guard let arrival = plan.arrival, arrival.receivedAt.milliseconds >= scenario.since ?? .min,
      traffic.isForwarded(plan, by: scenario.culprit)
    else { return false }
    let draft = plan.draft
    switch scenario.kind {
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

  // MARK: - Changes

  /// Changes all copies of a postback that the forwarder of one of them sent with the same values.
  private func change(
    _ kind: FraudKind,
    _ plans: inout [LinePlan],
    _ chain: [Int],
    like index: Int,
    _ random: inout SeededGenerator
  ) {
    let model = plans[index]
    var edited = model.draft
    var change: FieldChange?
    switch kind {
    case .inflateFine:
      let higher = model.draft.sentValue.fine.flatMap { values(model)?.higherFine(than: $0, &random) }
      change = edited.change(.conversionValue, to: higher.map { .integer(Int64($0)) })
    case .inflateCoarse: change = edited.change(.coarseConversionValue, to: .text(CoarseValue.high.rawValue))
    case .flipWin: change = edited.change(.didWin, to: .boolean(true))
    case .changeCountry: change = edited.change(.countryCode, to: .text("US"))
    case .withhold, .replayLate, .stealSignature, .fabricate, .selfConflict: break
    }
    for place in chain where plans[place].arrival?.forwarder == model.arrival?.forwarder {
      guard place == index || plans[place].draft.unsignedChange(from: model.draft) == nil else { continue }
      plans[place].draft = edited
      plans[place].fraud = FraudMark(kind: kind, change: change)
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
    case .replayLate: plan.originalLine = model.originalLine ?? model.line
    case .selfConflict:
      plan.originalLine = model.originalLine ?? model.line
      plan.draft.sentValue = raised(model) ?? model.draft.sentValue
      plan.fraud?.change = plan.draft.unsignedChange(from: model.draft)
    default:
      let transaction = plan.draft.format.transaction
      plan.arrival?.truth = nil
      plan.arrival?.inlineValues = []
      plan.rejectCode = .signatureInvalid
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
