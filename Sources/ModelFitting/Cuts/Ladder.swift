internal import Base

/// Amounts that divide revenue into ranges: from 0 to below the first one, and so on.
package typealias Ladder = [Int64]

/// The place of a cut between two neighbouring amounts.
package enum CutPlace {
  /// Returns the amount with the fewest digits in the middle half of the gap, and the one nearest to the middle of those: above
  /// `low`, at most `high`.
  package static func between(_ low: Int64, _ high: Int64) -> Int64 {
    let (gap, middle) = (high - low, low + (high - low) / 2)
    var unit: Int64 = 1_000_000_000_000_000
    while unit > 1 {
      let place = (middle + unit / 2) / unit * unit
      if place > low, place <= high, (place - middle).magnitude * 4 <= gap.magnitude { return place }
      unit /= 10
    }
    return middle > low ? middle : high
  }
}

extension Ladder {
  /// The number of the range of an amount, from 0.
  package func range(of amount: Int64) -> Int { partitioningIndex { $0 > amount } }

  /// The limits of a range: from the first, to below the second, which the last range does not have.
  package func limits(_ range: Int) -> (least: Int64, below: Int64?) {
    (range == 0 ? 0 : self[range - 1], range < count ? self[range] : nil)
  }

  /// The worths of ranges without users, in millionths: `means`, or the middle of a range without one, and of an open range its
  /// least amount.
  func worths(_ means: [Int64?]) -> [Int64] {
    means.enumerated().map { range, mean in
      let (least, below) = limits(range)
      return mean ?? (below.map { least + ($0 - least) / 2 } ?? least)
    }
  }
}
