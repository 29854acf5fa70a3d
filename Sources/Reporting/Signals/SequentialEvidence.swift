internal import Glibc

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

  /// The lesser evidence of each day: against a hypothesis that is true if either is. Both have the same days.
  func lesser(_ other: Self) -> Self {
    var course = Self()
    for (one, another) in zip(days, other.days) { course.append(one.day, min(one.log, another.log)) }
    return course
  }
}

/// A mixture of likelihood ratios that favour records with larger numbers, in several strengths.
///
/// A factor is exp(θ · sum) / E exp(θ · sum), with the expectation under the hypothesis, which is 1 on average.
struct TiltedEvidence: Sendable {
  /// The strengths θ; for rates, the logarithms of odds ratios.
  static let tilts: [Double] = [0.1, 0.2, 0.35, 0.55, 0.8, 1.1, 1.6, 2.2, 3, 4, 5.5, 7]

  private var logs = [Double](repeating: 0, count: tilts.count)

  /// The logarithm of the mean of all likelihood ratios.
  var log: Double { logSum(logs) - Glibc.log(Double(logs.count)) }

  /// Multiplies with the likelihood ratios of a sum. `logMoment` returns log E exp(θ · sum).
  mutating func add(_ sum: Double, logMoment: (Double) -> Double) {
    for (place, tilt) in Self.tilts.enumerated() { logs[place] += tilt * sum - logMoment(tilt) }
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
    var (course, evidence) = (EvidenceCourse(), TiltedEvidence())
    for day in days {
      evidence.add(own.on(day), chance: chance)
      course.append(day, evidence.log)
    }
    return course
  }

  /// The evidence, by day, that records of a party have a property more often than those of others.
  ///
  /// The hypothesis is that the records of a day are exchangeable, so that rates may change from day to day for all. If less than
  /// half of the party's records have others beside them on their day, it is that rates are the same on all days.
  static func aboveOthers(_ own: DaySeries, _ others: DaySeries, on days: [Int32]) -> EvidenceCourse {
    let days = days.map { (day: $0, own: own.on($0), others: others.on($0)) }
    let beside = days.reduce(0) { $0 + ($1.others.total * 4 >= $1.own.total ? $1.own.total : 0) }
    let isByDay = beside * 2 >= own.rate.total
    var (course, evidence) = (EvidenceCourse(), TiltedEvidence())
    var (sum, sumOfOthers) = (Rate(), Rate())
    for day in days {
      sum += day.own
      sumOfOthers += day.others
      if isByDay { evidence.add(day.own, among: day.others) }
      course.append(day.day, isByDay ? evidence.log : universal(sum, sumOfOthers))
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

  static func logGamma(_ value: Double) -> Double {
    var sign: Int32 = 0
    return unsafe lgamma_r(value, &sign)
  }
}
