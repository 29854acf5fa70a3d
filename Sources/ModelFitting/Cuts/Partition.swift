/// The best partitions of points on a line into runs of neighbours: those with the least squared distances to the means of the
/// runs.
///
/// This is the one-dimensional k-means of Fisher and Jenks, solved exactly. The cost of a run satisfies the quadrangle
/// inequality, so the best last run begins no earlier for a later end, and each number of runs takes O(n log n). Sums are
/// exact integers.
package struct Partition {
  /// The least cost with 1, 2 and more runs, in squared units.
  package private(set) var costs: [Double] = []
  /// The place of the first point of the last run, by the number of runs and of points.
  private var choices: [[Int32]] = []
  private let count: Int

  /// Finds the best partitions into at most `limit` runs. Positions rise, and weights are positive.
  package init(positions: [Int64], weights: [Int64], limit: Int) {
    count = positions.count
    guard count > 0 else { return }
    let sums = RunSums(positions: positions, weights: weights)
    var least = (0...count).map { $0 == 0 ? 0 : sums.cost(0, $0) }
    costs.append(least[count])
    choices.append([Int32](repeating: 0, count: count + 1))
    while costs.count < min(limit, count) {
      var next = [Double](repeating: 0, count: count + 1)
      var choice = [Int32](repeating: 0, count: count + 1)
      // With more runs than points a run would be empty.
      let runs = costs.count + 1
      Self.fill(runs...count, runs - 1...count - 1, least, sums, &next, &choice)
      least = next
      costs.append(least[count])
      choices.append(choice)
    }
  }

  /// Finds for each end in `ends` the best first point of the last run, which is among `firsts`: first for the end in the
  /// middle, which divides the candidates of the others.
  private static func fill(
    _ ends: ClosedRange<Int>,
    _ firsts: ClosedRange<Int>,
    _ before: [Double],
    _ sums: RunSums,
    _ least: inout [Double],
    _ choice: inout [Int32]
  ) {
    let end = (ends.lowerBound + ends.upperBound) / 2
    var (best, place) = (Double.infinity, firsts.lowerBound)
    for first in firsts.lowerBound...max(firsts.lowerBound, min(firsts.upperBound, end - 1)) {
      let cost = before[first] + sums.cost(first, end)
      if cost < best { (best, place) = (cost, first) }
    }
    (least[end], choice[end]) = (best, Int32(place))
    if ends.lowerBound < end {
      fill(ends.lowerBound...end - 1, firsts.lowerBound...place, before, sums, &least, &choice)
    }
    if end < ends.upperBound {
      fill(end + 1...ends.upperBound, place...firsts.upperBound, before, sums, &least, &choice)
    }
  }

  /// Returns the places of the first points of the second and the further runs, for the best partition into `runs` runs.
  package func starts(_ runs: Int) -> [Int] {
    var starts: [Int] = []
    var end = count
    for run in (0..<min(runs, costs.count)).reversed() where run > 0 {
      end = Int(choices[run][end])
      starts.append(end)
    }
    return starts.reversed()
  }
}

/// Sums of the points before each place: of weights, of positions and of their squares, exact.
private struct RunSums {
  private var weights: [Int128] = [0]
  private var sums: [Int128] = [0]
  private var squares: [Int128] = [0]
  /// The divisor of positions that are too large for exact products, else 1.
  private var unit: Double = 1

  init(positions: [Int64], weights: [Int64]) {
    let total = weights.reduce(into: Int128(0)) { $0 += Int128($1) }
    var divisor = positions.reduce(Int64(0)) { greatestCommonDivisor($0, $1) }
    divisor = max(divisor, 1)
    // Products of the total weight and of squares stay below 2^126.
    while Int128(positions.last ?? 0) / Int128(divisor) * total >= 1 << 63 { divisor *= 2 }
    unit = Double(divisor)
    for (position, weight) in zip(positions, weights) {
      let (place, mass) = (Int128(position / divisor), Int128(weight))
      self.weights.append(self.weights[self.weights.count - 1] + mass)
      sums.append(sums[sums.count - 1] + place * mass)
      squares.append(squares[squares.count - 1] + place * place * mass)
    }
  }

  /// The sum of the squared distances of the points `first` to below `end` to their mean.
  func cost(_ first: Int, _ end: Int) -> Double {
    let weight = weights[end] - weights[first]
    guard weight > 0 else { return 0 }
    let sum = sums[end] - sums[first]
    let square = squares[end] - squares[first]
    return Double(nearestTo: weight * square - sum * sum) / Double(nearestTo: weight) * unit * unit
  }
}

extension Double {
  /// The double nearest to a whole number from 0 on, and of two that are as near the even one. The conversion of the standard
  /// library does the same with arithmetic that is generic.
  init(nearestTo number: Int128) {
    let high = UInt64(truncatingIfNeeded: number >> 64)
    guard high > 0 else { self = Double(UInt64(truncatingIfNeeded: number)); return }
    // The highest 64 bits. The last of them tells whether any below is set, which is all that rounding has to know of these.
    let excess = 64 - high.leadingZeroBitCount
    let top = UInt64(truncatingIfNeeded: number &>> Int128(excess))
    let rest: UInt64 = number & ((1 &<< Int128(excess)) - 1) == 0 ? 0 : 1
    self = Double(sign: .plus, exponent: excess, significand: Double(top | rest))
  }
}

/// The greatest common divisor of two numbers from 0 on; of 0 and another number that number.
func greatestCommonDivisor(_ one: Int64, _ other: Int64) -> Int64 {
  var (left, right) = (one, other)
  while right != 0 { (left, right) = (right, left % right) }
  return left
}
