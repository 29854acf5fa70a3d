import ConversionModel
import TestSupport
import Testing

@testable import ModelFitting

@Suite struct PresentModelTests {
  private func model(_ text: String) throws -> PresentModel {
    PresentModel(try #require(try Models(parsing: Array(text.utf8)).all.first))
  }

  @Test(arguments: [0.0, 1_000_000])
  func `a written model tells of each user what the fit says, with and without locks`(dayWorth: Double) throws {
    var assumptions = Assumptions()
    assumptions.dayWorth = dayWorth
    let population = World.population(users: 800, payers: 0.3, seed: 23)
    let report = World.fit(population, assumptions)
    let present = try model(report.text(World.labels))
    for (window, fitted) in report.windows.enumerated() {
      let ladders = WindowLadders(
        fine: fitted.fine.isEmpty ? [] : [fitted.fine.dropFirst().map { Int64($0.least.units / 10) }],
        coarse: fitted.coarse.dropFirst().map { Int64($0.least.units / 10) }
      )
      let told = population.told(window, fitted.lock, ladders)
      let values = present.values(window, of: population)
      for user in 0..<population.count {
        #expect(values[user].coarse?.rank == ladders.coarse.range(of: told.amounts[user]))
        if window == 0 { #expect(values[user].fine == ladders.fineValue(told.amounts[user], set: 0)) }
      }
    }
  }

  @Test func `a model that tells exact amounts has no error where postbacks have fine values`() throws {
    var population = Population(counting: ["purchase"])
    population.currency = "USD"
    for user in 0..<50 {
      var steps = [Population.Step(age: 0, event: -1, total: 0)]
      if user % 2 == 0 { steps.append(.init(age: 9, event: 0, total: 4_990_000)) }
      population.add(steps, bits: UInt64(user) * 77, finishedWindows: 1)
    }
    let present = try model(
      #"""
      {"app_id": 1, "model_id": "exact", "version": 1, "effective_from": null, "currency": "USD", "windows": [
        {"postback_sequence_index": 0, "fine": {
          "0": [], "1": [{"event": "purchase", "min_revenue": 4.99, "max_revenue": 4.99}]}}]}
      """#
    )
    #expect(present.events == ["purchase"] && present.earningEvent == "purchase" && present.toldEvents == [])
    var assumptions = Assumptions()
    assumptions.tiers = [0, 0, 0, 1]
    let report = World.fit(population, assumptions, present: present)
    #expect(report.errors.map(\.model) == ComparedModel.allCases)
    #expect(report.errors.allSatisfy { $0.total.value < 1e-9 })
    #expect(report.windows.count == 1)
    // A postback without a value counts as the mean, which is learnt from 50 users; the mean error is that of the mean alone.
    assumptions.tiers = [1, 0, 0, 0]
    for error in World.fit(population, assumptions, present: present).errors {
      #expect((error.parts.learning / error.parts.chance - 1000 / 50).magnitude < 1e-6)
    }
  }

  @Test func `the values of a cumulative window are worth their own revenue beyond the windows before`() throws {
    var population = Population(counting: ["purchase"])
    population.currency = "USD"
    for user in 0..<40 {
      population.add(
        [
          .init(age: 0, event: -1, total: 0), .init(age: 9, event: 0, total: 2_000_000),
          .init(age: 300_000, event: 0, total: 5_000_000),
        ],
        bits: UInt64(user) * 77,
        finishedWindows: 2
      )
    }
    let present = try model(
      #"""
      {"app_id": 1, "model_id": "sum", "version": 1, "effective_from": null, "currency": "USD", "windows": [
        {"postback_sequence_index": 0, "coarse": {
          "low": [{"event": "purchase", "min_count": 1, "max_count": 9, "min_revenue": 2, "max_revenue": 2}]}},
        {"postback_sequence_index": 1, "cumulative": true, "coarse": {
          "low": [{"event": "purchase", "min_count": 1, "max_count": 9, "min_revenue": 5, "max_revenue": 5}]}}]}
      """#
    )
    var assumptions = Assumptions()
    assumptions.tiers = [0, 1, 0, 0]
    let errors = World.fit(population, assumptions, present: present).errors
    let error = try #require(errors.first { $0.model == .present })
    #expect(error.total.value == 0 && error.parts.learning == 0)
  }
}
