internal import Glibc
internal import Statistics

/// The evidence against a hypothesis at the end of each day, as the logarithm of an e-value.
///
/// Under the hypothesis the e-values of the days are a non-negative supermartingale that begins with 1. So by Ville's inequality
/// the chance that any of them reaches a number is at most 1 in that number, on however many days one looks. The hypothesis
/// is about the records of a day given those of the days before: dependence on the past is allowed.
struct EvidenceCourse: Sendable {
  private(set) var days: [(day: Int32, log: Double)] = []

  mutating func append(_ day: Int32, _ log: Double) { days.append((day, log)) }

  mutating func removeLast() { days.removeLast() }

  /// The p-value that holds on all days: 1 in the largest e-value.
  var pValue: Double { exp(-max(0, days.map(\.log).max() ?? 0)) }

  /// The mean of both kinds of evidence of each day: against a hypothesis that is true only if both are. Both have the same days.
  func mean(_ other: Self) -> Self { combined(other) { logSum([$0, $1]) - Glibc.log(2) } }

  /// The lesser evidence of each day: against a hypothesis that is true if either is. Both have the same days.
  func lesser(_ other: Self) -> Self { combined(other, min) }

  private func combined(_ other: Self, _ log: (Double, Double) -> Double) -> Self {
    Self(days: zip(days, other.days).map { ($0.day, log($0.log, $1.log)) })
  }
}

/// A mixture of likelihood ratios that favour records with larger numbers, in several strengths and from several days on.
///
/// A factor is exp(θ · sum) / E exp(θ · sum), with the expectation under the hypothesis, which is 1 on average. Half of the weight
/// is that of ratios that begin on the first day, and the other half is spread over those that begin on later ones, so that
/// honest records before a fraud began do not hide it.
struct TiltedEvidence: Sendable {
  /// The strengths θ: of scores from -1 to 1, and the logarithms of odds ratios. Rates that are less than half as large again as
  /// the others' raise no alarm.
  static let ofScores: [Double] = [0.1, 0.2, 0.35, 0.55, 0.8, 1.1, 1.6, 2.2, 3, 4, 5.5, 7]
  static let ofRates: [Double] = [0.3, 0.45, 0.65, 0.95, 1.4, 2, 3, 4.5]

  private let tilts: [Double]
  private var logs: [Double]
  /// The weight of the ratios that begin on one later day, and of those that have not begun.
  private let weight: Double
  private var waiting: Double

  /// Begins with the first of some days.
  init(_ tilts: [Double] = ofScores, days: Int = 1) {
    self.tilts = tilts
    waiting = days > 1 ? 0.5 : 0
    weight = waiting / Double(max(days - 1, 1))
    logs = Array(repeating: Glibc.log(1 - waiting), count: tilts.count)
  }

  /// Begins the next day.
  mutating func beginDay() {
    guard waiting > 0 else { return }
    for place in logs.indices { logs[place] = logSum([logs[place], Glibc.log(weight)]) }
    waiting = max(0, waiting - weight)
  }

  /// The logarithm of the mean of all likelihood ratios.
  var log: Double { logSum([logSum(logs) - Glibc.log(Double(logs.count)), Glibc.log(waiting)]) }

  /// Multiplies with the likelihood ratios of a sum. `logMoment` returns log E exp(θ · sum).
  mutating func add(_ sum: Double, logMoment: (Double) -> Double) {
    for (place, tilt) in tilts.enumerated() { logs[place] += tilt * sum - logMoment(tilt) }
  }

  /// Adds records of a party and of others of one day, under the hypothesis that the party's rate is neither above the others'
  /// nor above a limit.
  ///
  /// A likelihood ratio takes the party's rate above the limit, and the others' as usual. Its divisor is the likelihood of the
  /// common rate that is nearest to both, at most the limit. By the inequality of the means, the ratio is 1 on average at most
  /// under each pair of rates of the hypothesis, which may change from day to day.
  mutating func add(_ own: Rate, and others: Rate, limit: Double, usual: Double) {
    guard own.total > 0 else { return }
    func log(_ rate: Rate, _ chance: Double, to common: Double) -> Double {
      let rest = Double(rate.total - rate.count)
      return Double(rate.count) * Glibc.log(chance / common) + rest * (log1p(-chance) - log1p(-common))
    }
    for (place, tilt) in tilts.enumerated() {
      let chance = limit * exp(tilt) / (1 + limit * expm1(tilt))
      let sum = Double(own.total) * chance + Double(others.total) * usual
      let common = min(limit, sum / Double(own.total + others.total))
      logs[place] += log(own, chance, to: common) + log(others, usual, to: common)
    }
  }

  /// Adds records of which each has a property with a chance of at most `chance`, given those before.
  mutating func add(_ rate: Rate, chance: Double) {
    add(Double(rate.count)) { Double(rate.total) * log1p(chance * expm1($0)) }
  }

  /// Adds records of a party that are drawn among those of all, without an order (hypergeometric distribution).
  mutating func add(_ own: Rate, among others: Rate) {
    let (successes, all) = (own.count + others.count, own.total + others.total)
    guard own.total > 0, others.total > 0, successes > 0, successes < all else { return }
    let (least, most) = (max(0, successes - others.total), min(own.total, successes))
    guard most > least else { return }
    guard most - least <= 400 else {
      let counts = [own, others].map { [$0.total - $0.count, $0.count] }
      return addScores([0, 1], own: counts[0], others: counts[1])
    }
    // P(k + 1) / P(k) is a ratio of small numbers.
    var terms: [Double] = [0]
    for k in least..<most {
      let (k, n, m, s) = (Double(k), Double(own.total), Double(others.total), Double(successes))
      terms.append((terms.last ?? 0) + Glibc.log((n - k) * (s - k) / ((k + 1) * (m - s + k + 1))))
    }
    let total = logSum(terms)
    add(Double(own.count - least)) { tilt in
      logSum(terms.enumerated().map { $1 + tilt * Double($0) }) - total
    }
  }

  /// Adds values of a party that are drawn among those of all, without an order, by the scores of the values.
  ///
  /// Drawing without replacement varies less than with (Hoeffding 1963, theorem 4), so that the moments of independent draws are a
  /// bound. It is the better the fewer are drawn, so that the smaller group is taken for the draw.
  mutating func addScores(_ scores: [Double], own: [Int], others: [Int]) {
    let (ownCount, otherCount) = (own.reduce(0, +), others.reduce(0, +))
    guard ownCount > 0, otherCount > 0 else { return }
    let isOwnSmaller = ownCount <= otherCount
    let (drawn, sign) = isOwnSmaller ? (own, 1.0) : (others, -1.0)
    let count = Double(min(ownCount, otherCount))
    let sum = zip(drawn, scores).reduce(0) { $0 + Double($1.0) * $1.1 }
    add(sign * sum) { tilt in
      var (mean, all) = (0.0, 0.0)
      for (place, score) in scores.enumerated() where own[place] + others[place] > 0 {
        let weight = Double(own[place] + others[place])
        mean += weight * exp(sign * tilt * score)
        all += weight
      }
      return count * Glibc.log(mean / all)
    }
  }
}

/// The logarithm of the sum of numbers whose logarithms are given.
func logSum(_ logs: [Double]) -> Double {
  guard let largest = logs.max(), largest > -.infinity else { return -.infinity }
  return largest + log(logs.reduce(0) { $0 + exp($1 - largest) })
}

/// The evidence that a rate is above a tolerated one, and above that of others.
enum RateEvidence {
  /// The evidence, by day, that records of a party have a property more often than tolerated.
  static func aboveTolerance(_ own: DaySeries, _ chance: Double, on days: [Int32]) -> EvidenceCourse {
    course(on: days) { day, evidence in evidence.add(own.on(day), chance: chance) }
  }

  /// The evidence, by day, that records of a party have a property more often than those of others, or than a limit.
  ///
  /// The hypothesis is that the records of a day are exchangeable, so that rates may change from day to day for all. If the days
  /// of the party and of the others do not match, it is that rates are the same on all days. With a limit, it is also that the
  /// party's rate is at most the limit: half of the evidence is that against both, so that few others hide no large rate.
  static func aboveOthers(
    _ own: DaySeries,
    _ others: DaySeries,
    limit: Double?,
    usual: Double,
    on days: [Int32]
  ) -> EvidenceCourse {
    let among =
      isMatched(own, others)
      ? course(on: days) { day, evidence in evidence.add(own.on(day), among: others.on(day)) }
      : universal(own, others, on: days)
    guard let limit else { return among }
    // The others' rate is that of the days before, with some records of the usual rate.
    let weight = Double(SignalRates.leastRecords)
    var past = Rate()
    let both = course(on: days) { day, evidence in
      let rate = (Double(past.count) + usual * weight) / (Double(past.total) + weight)
      evidence.add(own.on(day), and: others.on(day), limit: limit, usual: min(rate, limit))
      past += others.on(day)
    }
    return among.mean(both)
  }

  private static func course(on days: [Int32], _ add: (Int32, inout TiltedEvidence) -> Void) -> EvidenceCourse {
    var (course, evidence) = (EvidenceCourse(), TiltedEvidence(TiltedEvidence.ofRates, days: days.count))
    for (place, day) in days.enumerated() {
      if place > 0 { evidence.beginDay() }
      add(day, &evidence)
      course.append(day, evidence.log)
    }
    return course
  }

  /// Indicates that a comparison by day has at least half of the information of one of all days together.
  private static func isMatched(_ own: DaySeries, _ others: DaySeries) -> Bool {
    func information(_ one: Rate, _ other: Rate) -> Double {
      Double(one.total) * Double(other.total) / Double(max(one.total + other.total, 1))
    }
    let byDay = own.cells.reduce(0) { $0 + information($1.rate, others.on($1.day)) }
    return byDay * 2 >= information(own.rate, others.rate)
  }

  private static func universal(_ own: DaySeries, _ others: DaySeries, on days: [Int32]) -> EvidenceCourse {
    var (course, sum, sumOfOthers) = (EvidenceCourse(), Rate(), Rate())
    for day in days {
      sum += own.on(day)
      sumOfOthers += others.on(day)
      course.append(day, universal(sum, sumOfOthers))
    }
    return course
  }

  /// The likelihood of both rates, predicted from the records before, by the largest that one common rate or a lower one of
  /// the party can have (universal inference, Wasserman, Ramdas and Balakrishnan 2020).
  private static func universal(_ own: Rate, _ others: Rate) -> Double {
    let isAbove = own.count * others.total > others.count * own.total
    let largest =
      isAbove ? largestLikelihood(own, and: others) : largestLikelihood(own) + largestLikelihood(others)
    return predicted(own) + predicted(others) - largest
  }

  /// The logarithm of the likelihood that Krichevsky and Trofimov's predictions have.
  static func predicted(_ rate: Rate) -> Double {
    logGamma(Double(rate.count) + 0.5) + logGamma(Double(rate.total - rate.count) + 0.5)
      - logGamma(Double(rate.total) + 1) - Glibc.log(Double.pi)
  }

  /// The logarithm of the largest likelihood of records with one rate.
  static func largestLikelihood(_ one: Rate, and other: Rate = Rate()) -> Double {
    var rate = one
    rate += other
    let (count, total) = (Double(rate.count), Double(rate.total))
    guard rate.count > 0, rate.count < rate.total else { return 0 }
    return count * Glibc.log(count / total) + (total - count) * log1p(-count / total)
  }
}
