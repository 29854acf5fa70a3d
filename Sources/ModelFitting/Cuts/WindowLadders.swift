/// The ranges of revenue that the values of a window stand for.
package struct WindowLadders: Sendable {
  /// The ranges of fine values, a ladder for each set of events: set 0 has none of them, bit n is the n-th event. Empty in
  /// windows without fine values.
  package var fine: [Ladder]
  /// The ranges of the coarse values.
  package var coarse: Ladder
  /// The worths of the fine values of which there are no users, in millionths.
  var fineWorths: [Int64]
  /// The worths of the coarse values of which there are no users, in millionths.
  var coarseWorths: [Int64]

  package static let fineCount = 64
  package static let coarseCount = 3

  /// Creates ladders whose ranges without users are worth their middle.
  package init(fine: [Ladder], coarse: Ladder) {
    (self.fine, self.coarse) = (fine, coarse)
    fineWorths = fine.flatMap { $0.worths([Int64?](repeating: nil, count: $0.count + 1)) }
    coarseWorths = coarse.worths([Int64?](repeating: nil, count: coarse.count + 1))
  }

  /// Returns the fine value of a user; the values of a set follow those of the sets before it.
  package func fineValue(_ amount: Int64, set: Int) -> Int {
    var value = 0
    for ladder in fine[..<set] { value += ladder.count + 1 }
    return value + fine[set].range(of: amount)
  }

  /// The number of fine values in use.
  package var fineValueCount: Int { fine.reduce(0) { $0 + $1.count + 1 } }

  /// Returns the set of events and the limits of a fine value.
  package func meaning(fine value: Int) -> (set: Int, least: Int64, below: Int64?) {
    var rest = value
    for (set, ladder) in fine.enumerated() {
      if rest <= ladder.count {
        let (least, below) = ladder.limits(rest)
        return (set, least, below)
      }
      rest -= ladder.count + 1
    }
    preconditionFailure("fine value \(value) is not among \(fineValueCount)")
  }
}

/// A way to divide revenue into ranges.
package enum Spacing: String, CaseIterable, Sendable {
  /// The ranges with the least error.
  case fitted
  /// As many paying users in each range.
  case equalFrequency = "equal_frequency"
  /// A constant ratio of neighbouring limits.
  case logarithmic

  /// The ranges of a window for the users whose weight is positive.
  ///
  /// - Parameters:
  ///   - amounts: The revenue by user.
  ///   - sets: The events by user, as bits; empty if events are not told.
  ///   - setCount: The number of sets of events.
  ///   - hasFine: Indicates that the window has fine values.
  ///   - power: The power of the revenue whose squared error is least.
  ///   - weight: The installs that a user stands for.
  /// - Returns: The ranges.
  package func ladders(
    _ amounts: [Int64],
    sets: [UInt8],
    setCount: Int,
    hasFine: Bool,
    power: Double,
    weight: (Int) -> Int
  ) -> WindowLadders {
    let counts = AmountCounts(amounts, weight: weight)
    let all = self == .fitted ? counts.expected : counts
    func ladder(_ ranges: Int) -> Ladder {
      switch self {
      case .fitted: all.best(ranges: ranges, power: power)
      case .equalFrequency: all.equalFrequency(ranges: ranges)
      case .logarithmic: all.logarithmic(ranges: ranges)
      }
    }
    let fine = hasFine ? ladder(WindowLadders.fineCount) : nil
    var ladders = WindowLadders(fine: fine.map { [$0] } ?? [], coarse: ladder(WindowLadders.coarseCount))
    guard self == .fitted else { return ladders }
    ladders.coarseWorths = ladders.coarse.worths(all.means(ladders.coarse))
    guard let fine else { return ladders }
    guard setCount > 1 else {
      ladders.fineWorths = fine.worths(all.means(fine))
      return ladders
    }
    let bySet = (0..<setCount).map { set in AmountCounts(amounts) { Int(sets[$0]) == set ? weight($0) : 0 }.expected }
    ladders.fine = Self.shared(bySet, power)
    ladders.fineWorths = zip(bySet, ladders.fine).flatMap { $1.worths($0.means($1)) }
    return ladders
  }

  /// Divides the fine values among sets of events so that the sum of the errors is least.
  private static func shared(_ sets: [AmountCounts], _ power: Double) -> [Ladder] {
    let most = WindowLadders.fineCount - sets.count + 1
    let largest = sets.compactMap(\.amounts.last).max() ?? 0
    let partitions = sets.map { $0.partition(limit: most, power: power, largest: largest) }
    // The least error of the first sets, by the number of values; and the number that the last of them has.
    var least: [Double?] = [0]
    var given: [[Int]] = []
    for (set, (partition, _)) in zip(sets, partitions) {
      let costs = partition.costs.isEmpty ? [0] : partition.costs.map { $0 / Double(set.weightOfOne) }
      var next = [Double?](repeating: nil, count: WindowLadders.fineCount + 1)
      var own = [Int](repeating: 0, count: WindowLadders.fineCount + 1)
      for (used, cost) in least.enumerated() {
        guard let cost else { continue }
        for values in 1...costs.count where used + values <= WindowLadders.fineCount {
          let sum = cost + costs[values - 1]
          if next[used + values].map({ sum < $0 }) ?? true { (next[used + values], own[used + values]) = (sum, values) }
        }
      }
      least = next
      given.append(own)
    }
    var left = least.indices.filter { least[$0] != nil }.min { (least[$0] ?? 0, $0) < (least[$1] ?? 0, $1) } ?? 0
    var counts: [Int] = []
    for own in given.reversed() {
      counts.insert(own[left], at: 0)
      left -= own[left]
    }
    return zip(zip(sets, partitions), counts).map { pair, values in
      let (set, (partition, groups)) = pair
      return set.ladder(partition.starts(values), groups)
    }
  }
}
