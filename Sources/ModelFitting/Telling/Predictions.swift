/// The revenue that postbacks of a user decode to, by kind of value, in whole units of the currency.
struct Predictions: Sendable {
  /// The predictions by `ToldKind`, and by user.
  var values: [[Double]]
  /// The parts of their errors that have the mean 0 among the users from whom they are learnt: the whole errors where all
  /// worths are means.
  var learnt: [[Double]]

  init(count: Int) {
    values = ToldKind.allCases.map { _ in [Double](repeating: 0, count: count) }
    learnt = values
  }

  static func + (left: Predictions, right: Predictions) -> Predictions {
    var sum = left
    for kind in left.values.indices {
      for user in left.values[kind].indices {
        sum.values[kind][user] += right.values[kind][user]
        sum.learnt[kind][user] += right.learnt[kind][user]
      }
    }
    return sum
  }
}

/// The number of millionths in a whole unit of a currency.
let millionths = 1_000_000.0

/// The mean revenue of the users with each value, learnt from some of the users.
struct LearntValues {
  private var sums: [Double]
  private var weights: [Double]

  init(count: Int) {
    sums = [Double](repeating: 0, count: count)
    weights = sums
  }

  mutating func add(_ value: Int, _ amount: Int64, _ weight: Int) {
    sums[value] += Double(amount) * Double(weight)
    weights[value] += Double(weight)
  }

  /// The mean, in millionths; nil if no user has the value.
  func mean(_ value: Int) -> Double? { weights[value] > 0 ? sums[value] / weights[value] : nil }

  /// The share of users with some of the values.
  func share(_ isAmong: (Int) -> Bool) -> Double {
    let weight = weights.reduce(0, +)
    return weight > 0 ? weights.indices.reduce(0) { $0 + (isAmong($1) ? weights[$1] : 0) } / weight : 0
  }

  /// The mean of all users.
  var overall: Double {
    let weight = weights.reduce(0, +)
    return weight > 0 ? sums.reduce(0, +) / weight : 0
  }
}

extension Population {
  /// Returns the predictions of a window for users of whom nothing was learnt: the values of a fold are learnt from the other
  /// folds, as the mean revenue of the whole window, within the limits of the range.
  ///
  /// - Parameters:
  ///   - window: The window.
  ///   - folds: The number of folds.
  ///   - condition: The condition of the lock.
  ///   - ladders: Returns the ranges that were fitted without a fold.
  /// - Returns: The predictions.
  func predictions(
    _ window: Int,
    folds: Int,
    _ condition: LockCondition,
    _ ladders: (Int) -> WindowLadders
  ) -> Predictions {
    var predictions = Predictions(count: count)
    for fold in 0..<folds {
      let ranges = ladders(fold)
      let told = told(window, condition, ranges)
      func isHeldOut(_ user: Int) -> Bool { self.fold(user, of: folds) == fold }
      predict(window, ranges, told, &predictions, learnsFrom: { !isHeldOut($0) }, isPredicted: isHeldOut)
    }
    return predictions
  }

  /// Sets the predictions of some users by the values that are learnt from some.
  func predict(
    _ window: Int,
    _ ranges: WindowLadders,
    _ told: Told,
    _ predictions: inout Predictions,
    learnsFrom isLearnt: (Int) -> Bool,
    isPredicted: (Int) -> Bool
  ) {
    let setCount = ranges.fine.count
    func fineValue(_ user: Int) -> Int {
      ranges.fineValue(told.amounts[user], set: Int(told.sets[user]) & (setCount - 1))
    }
    var fine = LearntValues(count: max(ranges.fineValueCount, 1))
    var coarse = LearntValues(count: WindowLadders.coarseCount)
    for user in 0..<count where weights[window][user] > 0 && isLearnt(user) {
      let (amount, weight) = (revenue[window][user], weights[window][user])
      if setCount > 0 { fine.add(fineValue(user), amount, weight) }
      coarse.add(ranges.coarse.range(of: told.amounts[user]), amount, weight)
    }
    let fineValues = (0..<ranges.fineValueCount).map { value in
      let (_, least, below) = ranges.meaning(fine: value)
      return Self.value(fine.mean(value) ?? Double(ranges.fineWorths[value]), least, below)
    }
    let coarseValues = (0...ranges.coarse.count).map { value in
      let (least, below) = ranges.coarse.limits(value)
      return Self.value(coarse.mean(value) ?? Double(ranges.coarseWorths[value]), least, below)
    }
    let overall = coarse.overall / millionths
    for user in 0..<count where weights[window][user] > 0 && isPredicted(user) {
      let coarseValue = coarseValues[ranges.coarse.range(of: told.amounts[user])]
      predictions.values[ToldKind.nothing.rawValue][user] = overall
      predictions.values[ToldKind.coarse.rawValue][user] = coarseValue
      predictions.values[ToldKind.fine.rawValue][user] = setCount > 0 ? fineValues[fineValue(user)] : coarseValue
      for kind in ToldKind.allCases.map(\.rawValue) {
        predictions.learnt[kind][user] = predictions.values[kind][user] - Double(revenue[window][user]) / millionths
      }
    }
  }

  /// Returns a value within the limits of its range, in whole units.
  private static func value(_ mean: Double, _ least: Int64, _ below: Int64?) -> Double {
    let value = max(mean, Double(least))
    return min(value, below.map { Double($0 - 1) } ?? value) / millionths
  }
}
