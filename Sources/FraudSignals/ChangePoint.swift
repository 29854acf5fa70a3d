internal import Glibc
internal import Statistics

/// A rise in a share that is constant before it and after it.
enum ChangePoint {
  private static let permutations = 999
  /// The largest p-value with which there is a change, and the chance that the interval does not have its day.
  private static let level = 0.05

  /// Returns the most likely day of a rise, with its 95 % interval; nil if the share does not rise within the days, or the interval has
  /// more than half of them. If one day of several has all records with the property, it is this day.
  ///
  /// The largest likelihood ratio of all days is compared with that of records in random order. The interval has the days that
  /// the likelihood, integrated over the shares before and after, gives 95 % of the weight to. The share of the day itself may be
  /// anything between both.
  static func onset(_ series: DaySeries) -> SignalOnset? {
    let cells = series.cells.filter { $0.day > 0 }
    guard cells.count > 1 else { return nil }
    let (rates, all) = (cells.map(\.rate), series.rate)
    guard all.count > 0, all.count < all.total else { return nil }
    let days = cells.filter { $0.count > 0 }.map(\.day)
    if days.count == 1, all.count > 1 { return SignalOnset(day: days[0], low: days[0], high: days[0], isOnlyDay: true) }
    guard isChange(rates) else { return nil }
    var weights: [(place: Int, log: Double)] = []
    for place in 1..<rates.count { weights.append((place, logWeight(rates, place))) }
    weights.sort { ($1.log, $0.place) < ($0.log, $1.place) }
    guard let best = weights.first, best.log > -.infinity else { return nil }
    let total = logSum(weights.map(\.log))
    var (sum, low, high) = (0.0, best.place, best.place)
    for (place, log) in weights where sum < 1 - level {
      sum += exp(log - total)
      (low, high) = (min(low, place), max(high, place))
    }
    // The change may be on any day without records before.
    let onset = SignalOnset(day: cells[best.place].day, low: cells[low - 1].day + 1, high: cells[high].day)
    return 2 * (onset.high - onset.low) > cells[cells.count - 1].day - cells[0].day ? nil : onset
  }

  /// The logarithm of the weight of a change on a day.
  private static func logWeight(_ rates: [Rate], _ place: Int) -> Double {
    let before = rates[..<place].reduce(into: Rate()) { $0 += $1 }
    let after = rates[(place + 1)...].reduce(into: Rate()) { $0 += $1 }
    let day = rates[place]
    func share(_ rate: Rate) -> Double { (Double(rate.count) + 0.5) / (Double(rate.total) + 1) }
    let (low, high) = (share(before), share(after.total > 0 ? after : day))
    guard high > low else { return -.infinity }
    let steps = 20
    let likelihoods = (0..<steps).map { step in
      let share = low + (high - low) * (Double(step) + 0.5) / Double(steps)
      return Double(day.count) * log(share) + Double(day.total - day.count) * log1p(-share)
    }
    return RateEvidence.predicted(before) + RateEvidence.predicted(after) + logSum(likelihoods) - log(Double(steps))
  }

  private static func isChange(_ rates: [Rate]) -> Bool {
    let all = rates.reduce(into: Rate()) { $0 += $1 }
    let found = largestRatio(rates, all)
    var random = DrawnNumbers(of: rates.flatMap { [$0.count, $0.total] })
    var larger = 1
    let allowed = Int(level * Double(permutations + 1))
    for _ in 0..<permutations {
      if largestRatio(random.shuffled(rates, all), all) >= found { larger += 1 }
      if larger > allowed { return false }
    }
    return true
  }

  /// The largest logarithm of the likelihood ratio of a rise at the beginning of a day.
  private static func largestRatio(_ rates: [Rate], _ all: Rate) -> Double {
    var (before, largest) = (Rate(), 0.0)
    let none = RateEvidence.largestLikelihood(all)
    for rate in rates.dropLast() {
      before += rate
      let after = all - before
      guard before.count * after.total < after.count * before.total else { continue }
      largest = max(
        largest,
        RateEvidence.largestLikelihood(before) + RateEvidence.largestLikelihood(after) - none
      )
    }
    return largest
  }
}

extension DrawnNumbers {
  /// The days with as many records, when all records are put in a random order.
  fileprivate mutating func shuffled(_ rates: [Rate], _ all: Rate) -> [Rate] {
    var rest = all
    return rates.map { rate in
      let drawn = Rate(count: hypergeometric(rest, rate.total), total: rate.total)
      rest = rest - drawn
      return drawn
    }
  }

  /// The number of records with a property among some that are drawn.
  private mutating func hypergeometric(_ all: Rate, _ drawn: Int) -> Int {
    let (least, most) = (max(0, drawn - (all.total - all.count)), min(drawn, all.count))
    guard most > least, all.total > 1 else { return least }
    let (n, k, m) = (Double(all.total), Double(all.count), Double(drawn))
    let mean = m * k / n
    let variance = mean * (1 - k / n) * (n - m) / (n - 1)
    if variance > 25 {
      return min(max(Int((mean + variance.squareRoot() * normal()).rounded()), least), most)
    }
    func choices(_ n: Double, _ k: Double) -> Double {
      logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1)
    }
    let middle = min(max(Int(mean), least), most)
    let start = exp(choices(k, Double(middle)) + choices(n - k, m - Double(middle)) - choices(n, m))
    var rest = uniform() - start
    var (below, above) = (middle, middle)
    var (down, up) = (start, start)
    while rest > 0, below > least || above < most {
      if above < most {
        let place = Double(above)
        up *= (k - place) * (m - place) / ((place + 1) * (n - k - m + place + 1))
        above += 1
        rest -= up
        if rest <= 0 { return above }
      }
      if below > least {
        let place = Double(below)
        down *= place * (n - k - m + place) / ((k - place + 1) * (m - place + 1))
        below -= 1
        rest -= down
        if rest <= 0 { return below }
      }
    }
    return middle
  }
}
