package import ConversionModel

/// A range of revenue, with the events that happened besides and the mean revenue of its users.
package struct FittedValue: Sendable, Equatable {
  package let events: [String]
  package let least: Amount
  /// The exclusive upper limit; nil if there is none.
  package let below: Amount?
  package let mean: Amount
  /// The installs of the range.
  package let installs: Int
}

/// The values of a window of a fitted model.
package struct FittedWindow: Sendable {
  package let fine: [FittedValue]
  package let coarse: [FittedValue]
  package let lock: LockCondition

  /// Makes the values of a window from all users: exact means of the revenue of the whole window.
  init(_ population: Population, _ window: Int, _ ladders: WindowLadders, _ lock: LockCondition, events: [String]) {
    self.lock = lock
    let told = population.told(window, lock, ladders)
    let setCount = ladders.fine.count
    var fine = ExactSums(count: ladders.fineValueCount)
    var coarse = ExactSums(count: ladders.coarse.count + 1)
    for user in 0..<population.count where population.weights[window][user] > 0 {
      let (weight, revenue) = (population.weights[window][user], population.revenue[window][user])
      coarse.add(ladders.coarse.range(of: told.amounts[user]), revenue, weight)
      guard setCount > 0 else { continue }
      fine.add(ladders.fineValue(told.amounts[user], set: Int(told.sets[user]) & (setCount - 1)), revenue, weight)
    }
    self.fine = (0..<ladders.fineValueCount).map { value in
      let (set, least, below) = ladders.meaning(fine: value)
      let happened = events.enumerated().filter { set >> $0.offset & 1 == 1 }.map(\.element)
      return fine.value(value, happened, least, below, worth: ladders.fineWorths[value])
    }
    self.coarse = (0...ladders.coarse.count).map { value in
      let (least, below) = ladders.coarse.limits(value)
      return coarse.value(value, [], least, below, worth: ladders.coarseWorths[value])
    }
  }
}

/// Sums of revenue in millionths, exact.
private struct ExactSums {
  private var sums: [Int128]
  private var installs: [Int]

  init(count: Int) {
    sums = [Int128](repeating: 0, count: count)
    installs = [Int](repeating: 0, count: count)
  }

  mutating func add(_ value: Int, _ revenue: Int64, _ weight: Int) {
    sums[value] += Int128(revenue) * Int128(weight)
    installs[value] += weight
  }

  /// Returns a value with its mean, rounded half to even to millionths, within its range.
  /// A range without users has the expected worth.
  func value(_ value: Int, _ events: [String], _ least: Int64, _ below: Int64?, worth: Int64) -> FittedValue {
    var mean = worth
    if installs[value] > 0 { mean = Int64(sums[value].dividedToNearestOrEven(by: Int128(installs[value]))) }
    mean = max(mean, least)
    if let below { mean = min(mean, below - 1) }
    return FittedValue(
      events: events,
      least: Amount(millionths: least),
      below: below.map { Amount(millionths: $0) },
      mean: Amount(millionths: mean),
      installs: installs[value]
    )
  }
}
