import ConversionModel
import TestSupport

@testable import ModelFitting

/// Populations of users with known revenue.
enum World {
  /// Users of whom a share pays; payments are spread evenly on a logarithmic scale from 1 to 400.
  static func population(
    users: Int,
    payers: Double,
    seed: UInt64,
    events: [String] = [],
    idleInstalls: Int = 0
  ) -> Population {
    var random = SplitMix(seed: seed)
    var population = Population(counting: events)
    population.currency = "USD"
    for _ in 0..<users {
      var steps = [Population.Step(age: 0, event: -1, total: 0)]
      var total: Int64 = 0
      if !events.isEmpty, Bool.random(using: &random) { steps.append(.init(age: 10, event: 0, total: 0)) }
      if Double.random(in: 0...1, using: &random) < payers {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          total += Int64(1 << Int.random(in: 0...8, using: &random)) * 1_000_000 - 10_000
          let age = steps[steps.count - 1].age + .random(in: 60...400_000, using: &random)
          steps.append(.init(age: age, event: -1, total: total))
        }
      }
      population.add(steps, bits: random.next(), finishedWindows: 3)
    }
    population.add(idleInstalls: idleInstalls)
    return population
  }

  static func fit(
    _ population: Population,
    _ assumptions: Assumptions = Assumptions(),
    objective: Objective = .squared,
    keptEvents: [String] = [],
    present: PresentModel? = nil
  ) -> FitReport {
    ModelFit(
      population,
      assumptions,
      objective,
      revenueKind: .all,
      keptEvents: keptEvents,
      present: present
    ).report()
  }

  static let labels = FittedLabels(
    appID: 6_740_000_001,
    bundleID: nil,
    modelID: "fitted",
    version: 1,
    effectiveFrom: nil,
    event: "purchase"
  )
}
