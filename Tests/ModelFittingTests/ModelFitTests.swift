import ConversionModel
import Testing
import TestSupport

@testable import ModelFitting

@Suite struct ModelFitTests {
  @Test func `values and their means add up to the revenue of all users`() throws {
    let population = World.population(users: 3000, payers: 0.1, seed: 3, idleInstalls: 1000)
    let report = World.fit(population)
    #expect(report.windows.count == 3)
    for (index, window) in report.windows.enumerated() {
      let revenue = population.revenue[index].reduce(0, +)
      for values in [window.fine, window.coarse] where !values.isEmpty {
        #expect(values.reduce(0) { $0 + $1.installs } == 4000)
        let sum = values.reduce(0.0) { $0 + $1.mean.approximation * Double($1.installs) }
        #expect((sum - Double(revenue) / 1_000_000).magnitude < 0.01)
        #expect(values.allSatisfy { value in value.least <= value.mean && value.below.map { value.mean < $0 } ?? true })
      }
    }
  }

  @Test func `the model is read, and encodes each user into the range of the user's revenue`() throws {
    let population = World.population(users: 2000, payers: 0.2, seed: 5, events: ["sign_up"])
    let report = World.fit(population, keptEvents: ["sign_up"])
    let models = try Models(parsing: Array(report.text(World.labels).utf8))
    let model = try #require(models.all.first)
    #expect(model.window(0)?.fineValues.count == report.windows[0].fine.count)
    #expect(report.windows[0].fine.count <= 64)
    for user in 0..<population.count {
      let hasSignedUp = population.steps(of: user).contains { $0.event == 0 && $0.age < 172_800 }
      for window in 0...2 {
        let amount = population.revenue[window][user]
        let activity = Activity(
          counts: amount > 0 ? ["purchase": 1, "sign_up": hasSignedUp ? 1 : 0] : ["sign_up": hasSignedUp ? 1 : 0],
          revenue: Amount(millionths: amount)
        )
        let encoding = try #require(model.encode(activity, window: window))
        #expect(encoding.isExact)
        if window == 0 {
          let meaning = try #require(model.meaning(window: 0, fine: encoding.fine, coarse: nil))
          #expect(meaning.revenue?.contains(activity.revenue) == true)
          #expect(meaning.events.contains { $0.name == "sign_up" } == hasSignedUp)
        }
        let coarse = try #require(model.meaning(window: window, fine: nil, coarse: encoding.coarse))
        #expect(coarse.revenue?.contains(activity.revenue) == true)
      }
    }
  }

  @Test func `an event that no user has is told from one that a user has`() {
    let population = World.population(users: 20, payers: 0.2, seed: 5, events: ["sign_up", "nosuch"])
    #expect(population.has("sign_up"))
    #expect(!population.has("nosuch") && !population.has("other"))
  }

  @Test func `the fitted model errs less than ranges of equal frequency and on a logarithmic scale`() throws {
    for seed in UInt64(1)...3 {
      let report = World.fit(World.population(users: 4000, payers: 0.05, seed: seed))
      #expect(report.errors.map(\.model) == [.fitted, .equalFrequency, .logarithmic])
      #expect(report.errors[0].ratio.value == 1)
      #expect(report.errors.dropFirst().allSatisfy { $0.total.value > report.errors[0].total.value })
    }
  }

  @Test(arguments: Objective.allCases)
  func `the same users and seed give the same report`(objective: Objective) throws {
    var assumptions = Assumptions()
    (assumptions.pairs, assumptions.campaignInstalls) = (200, 50)
    let population = World.population(users: 600, payers: 0.2, seed: 9)
    let reports = (0..<2).map { _ in World.fit(population, assumptions, objective: objective) }
    #expect(reports[0].text(World.labels) == reports[1].text(World.labels))
    #expect(reports[0].errors.map(\.total.value) == reports[1].errors.map(\.total.value))
    #expect(reports[0].errors.map(\.rank.value) == reports[1].errors.map(\.rank.value))
    #expect(ModelFit.powers.contains(reports[0].power))
  }

  @Test func `an error is that of campaigns which are drawn one by one`() throws {
    var assumptions = Assumptions()
    (assumptions.campaignInstalls, assumptions.tiers) = (40, [0.1, 0.2, 0.3, 0.4])
    let population = World.population(users: 2000, payers: 0.2, seed: 11)
    let sums = AmountCounts(population.revenue[0]) { _ in 1 }
    let ladders = WindowLadders(fine: [sums.best(ranges: 5)], coarse: sums.best(ranges: 3))
    var predictions = population.predictions(0, folds: 5, .never) { _ in ladders }
    // A mean error too, which adds up with the square of the installs.
    for user in 0..<population.count { predictions.values[2][user] += 0.5 }
    let parts = ErrorSums(population, 0...0, predictions, assumptions).total.parts(40)
    let expected = (parts.chance + parts.mean).squareRoot()
    var random = SplitMix(seed: 1)
    var squares = 0.0
    let draws = 20_000
    for _ in 0..<draws {
      var error = 0.0
      for _ in 0..<40 {
        let user = Int.random(in: 0..<population.count, using: &random)
        let place = Double.random(in: 0..<1, using: &random)
        let kind = place < 0.1 ? 0 : place < 0.3 ? 1 : 2
        error += predictions.values[kind][user] - Double(population.revenue[0][user]) / 1_000_000
      }
      squares += error * error
    }
    let drawn = (squares / Double(draws)).squareRoot()
    #expect((drawn / expected - 1).magnitude < 0.05, "drawn \(drawn), expected \(expected)")
  }

  @Test func `the part of learning is that of models which are learnt from other users each time`() throws {
    let population = World.population(users: 10_000, payers: 0.5, seed: 29)
    let counts = AmountCounts(population.revenue[0]) { _ in 1 }
    let ladders = WindowLadders(fine: [counts.best(ranges: 4)], coarse: counts.best(ranges: 3))
    let told = population.told(0, .never, ladders)
    var squares = 0.0
    for sample in 0..<100 {
      var predictions = Predictions(count: population.count)
      population.predict(0, ladders, told, &predictions, learnsFrom: { $0 / 100 == sample }, isPredicted: { _ in true })
      let total = ErrorSums(population, 0...0, predictions, Assumptions()).total
      squares += (total.error / total.installs) * (total.error / total.installs)
    }
    let predictions = population.predictions(0, folds: 5, .never) { _ in ladders }
    let total = ErrorSums(population, 0...0, predictions, Assumptions()).total
    // The part falls with the users of the fit: here it is of 100 of the 10 000.
    let expected = (total.parts(1).learning * 100).squareRoot()
    #expect(((squares / 100).squareRoot() / expected - 1).magnitude < 0.3, "\(squares / 100), \(expected)")
    #expect(
      total.parts(3).learning > 8.9 * total.parts(1).learning && total.parts(3).chance < 3.1 * total.parts(1).chance
    )
  }

  @Test func `an error of few users or of one user says so`() throws {
    let few = World.fit(World.population(users: 60, payers: 0.2, seed: 31)).cautionSentences
    #expect(few.count == 2)
    #expect(
      few.first?.contains("the means of 60 installs, which are few beside the 1000 of a campaign") == true,
      "\(few)"
    )
    #expect(few.last?.contains("users paid") == true, "\(few)")
    var assumptions = Assumptions()
    assumptions.campaignInstalls = 100
    var population = World.population(users: 4000, payers: 0.5, seed: 33)
    #expect(World.fit(population, assumptions).cautionSentences == [])
    let large = [Population.Step(age: 0, event: -1, total: 0), .init(age: 9, event: -1, total: 100_000_000_000)]
    population.add(large, bits: 5, finishedWindows: 3)
    let report = World.fit(population, assumptions)
    #expect(report.errors[0].largestUserShare > 0.9)
    #expect(report.cautionSentences.count == 1 && report.cautionSentences[0].contains("one user has"))
  }

  @Test func `nothing is locked unless a day is worth something, and then the worth exceeds the error`() throws {
    let population = World.population(users: 2000, payers: 0.2, seed: 13)
    let patient = World.fit(population)
    #expect(patient.chosenLocks.allSatisfy { $0 == .never })
    #expect(!patient.text(World.labels).contains("lock_window"))
    var assumptions = Assumptions()
    assumptions.dayWorth = 1_000_000
    let hasty = World.fit(population, assumptions)
    #expect(hasty.chosenLocks.allSatisfy { $0 != .never })
    let models = try Models(parsing: Array(hasty.text(World.labels).utf8))
    #expect(models.all.first?.windows.allSatisfy(\.isLockedEarly) == true)
    for (effects, chosen) in zip(hasty.locks, hasty.chosenLocks) {
      let effect = try #require(effects.first { $0.condition == chosen })
      #expect(effect.daysEarlier == effects.map(\.daysEarlier).max())
    }
    #expect(hasty.errors[0].total.value > patient.errors[0].total.value)
  }

  @Test func `shares of tiers change the error, and no range`() throws {
    let population = World.population(users: 1500, payers: 0.1, seed: 17)
    var assumptions = Assumptions()
    assumptions.tiers = [0, 0, 0, 1]
    let (fine, usual) = (World.fit(population, assumptions), World.fit(population))
    #expect(fine.text(World.labels) == usual.text(World.labels))
    #expect(fine.errors[0].total.value < usual.errors[0].total.value)
  }

  @Test(arguments: [(1, 0.0), (1, 1.0), (7, 1.0), (40, 0.0)])
  func `few users, and users without revenue, give a model that is read`(users: Int, payers: Double) throws {
    let report = World.fit(World.population(users: users, payers: payers, seed: 19))
    _ = try Models(parsing: Array(report.text(World.labels).utf8))
    #expect(report.errors.allSatisfy { $0.total.value.isFinite })
    _ = try FitPage(report, World.labels).html()
  }
}
