internal import LookupTables
internal import Statistics

/// Steps in the values of a forwarder's campaigns, which others of the same app do not make on the same day.
///
/// Values are compared by their ranks among those of the same forwarder, campaign, window, model and form, so that neither
/// audiences nor a new model make a step. The mean of the others' ranks on the day is taken off.
struct ValueSteps {
  private let rows: [(key: SenderValues.Key, counts: SenderValues.Counts)]
  private let names: [String]
  private let apps: [String]

  private static let simulations = 9999
  private static let leastDays = 4
  /// The least number of values before a step, and after it.
  private static let leastValues = 20.0

  init(_ values: SenderValues) {
    rows = values.rows
    names = values.forwarders.values
    apps = values.campaigns.values.map(\.app)
  }

  func all() -> [SignalTest] { [.fine, .coarse].flatMap(tests) }

  private struct Source: Hashable {
    let group: SenderValues.Group
    let forwarder: Int32
  }

  /// Days of an app and a window.
  private struct Place: Hashable, Comparable {
    let app: String
    let window, family: UInt8
    let model: UInt64
    let day: Int32

    static func < (left: Self, right: Self) -> Bool {
      (left.app, left.window, left.family, left.model, left.day)
        < (right.app, right.window, right.family, right.model, right.day)
    }
  }

  private struct Day {
    var score = 0.0
    var squares = 0.0
    var top = Rate()

    static func += (left: inout Self, right: Self) {
      left.score += right.score
      left.squares += right.squares
      left.top += right.top
    }
  }

  private func tests(_ measure: ClusterMeasure) -> [SignalTest] {
    var pooled: [Source: [Int]] = [:]
    for (key, counts) in rows where key.day > 0 {
      let histogram = counts.histogram(measure)
      let source = Source(group: key.group, forwarder: key.forwarder)
      pooled[source] = pooled[source].map { zip($0, histogram).map(+) } ?? histogram
    }
    let scores = pooled.mapValues { RankScores.of($0) }
    var all: [Place: Day] = [:]
    var own: [Int32: [Place: Day]] = [:]
    for (key, counts) in rows where key.day > 0 {
      let histogram = counts.histogram(measure)
      guard let scores = scores[Source(group: key.group, forwarder: key.forwarder)],
        histogram.contains(where: { $0 > 0 })
      else { continue }
      var day = Day()
      for (count, score) in zip(histogram, scores) where count > 0 {
        day.score += Double(count) * score
        day.squares += Double(count) * score * score
      }
      day.top = RankScores.top(histogram, scores)
      let place = Place(
        app: apps[Int(key.group.campaign)],
        window: key.group.window,
        family: key.group.family,
        model: key.group.model,
        day: key.day
      )
      all[place, default: Day()] += day
      own[key.forwarder, default: [:]][place, default: Day()] += day
    }
    return own.sorted { $0.key < $1.key }.compactMap { forwarder, days in test(measure, forwarder, days, all) }
  }

  private func test(
    _ measure: ClusterMeasure,
    _ forwarder: Int32,
    _ own: [Place: Day],
    _ all: [Place: Day]
  ) -> SignalTest? {
    struct Sum {
      var score = 0.0
      var variance = 0.0
      var top = Rate()
    }
    var sums: [Int32: Sum] = [:]
    for (place, day) in own.sorted(by: { $0.key < $1.key }) {
      guard let together = all[place] else { continue }
      let (count, others) = (Double(day.top.total), Double(together.top.total - day.top.total))
      let spread = day.squares / count
      var sum = sums[place.day] ?? Sum()
      sum.score += day.score
      sum.variance += count * spread
      if others > 0 {
        let share = count / others
        sum.score -= share * (together.score - day.score)
        sum.variance += share * share * (together.squares - day.squares)
      }
      sum.top += day.top
      sums[place.day] = sum
    }
    let days = sums.sorted { $0.key < $1.key }
    let total = days.reduce(into: Rate()) { $0 += $1.value.top }
    guard days.count >= Self.leastDays, total.total >= SignalRates.leastRecords else { return nil }
    let scores = days.map(\.value.score)
    let counts = days.map { Double($0.value.top.total) }
    let variances = Self.dispersed(days.map { max($0.value.variance, 1e-9) }, scores, counts)
    let found = MeanStep(scores, variances, counts, least: Self.leastValues)
    guard found.place > 0 else { return nil }
    var random = DrawnNumbers(of: days.flatMap { [Int($0.key), $0.value.top.total, $0.value.top.count] })
    let pValue = found.pValue(
      variances,
      counts,
      least: Self.leastValues,
      simulations: Self.simulations,
      using: &random
    )
    let after = days[found.place...].reduce(into: Rate()) { $0 += $1.value.top }
    let before = total - after
    var test = SignalTest(
      name: measure.name,
      basis: .past,
      method: .change,
      party: SignalParty(kind: .forwarder, name: names[Int(forwarder)]),
      own: after,
      others: before,
      effect: found.step,
      pValue: pValue
    )
    var series = DaySeries()
    for (day, sum) in days {
      series.add(DaySeries.Cell(day: day, count: Int32(clamping: sum.top.count), total: Int32(clamping: sum.top.total)))
    }
    let onset = ChangePoint.onset(series)
    let day = days[found.place].key
    test.since = SignalOnset(day: day, low: min(onset?.low ?? day, day), high: max(onset?.high ?? day, day))
    return test
  }

  /// The variances of the days, as large as the differences of days that follow each other say. A step is only one of these.
  private static func dispersed(_ variances: [Double], _ scores: [Double], _ counts: [Double]) -> [Double] {
    let ratios = scores.indices.dropLast().map { place -> Double in
      let difference = scores[place + 1] / counts[place + 1] - scores[place] / counts[place]
      let expected = [place, place + 1].reduce(0.0) { $0 + variances[$1] / (counts[$1] * counts[$1]) }
      return difference * difference / expected
    }
    // The largest may be the step itself.
    let usual = ratios.sorted().dropLast()
    let dispersion = max(1, usual.isEmpty ? 1 : usual.reduce(0, +) / Double(usual.count))
    return variances.map { $0 * dispersion }
  }
}
