internal import CBoostMath

/// Pearson's chi-square test of homogeneity, for the hypothesis that two samples of counts by bin come from one
/// distribution.
package struct ChiSquare: Sendable, Equatable {
  /// The chi-square statistic.
  package let statistic: Double
  /// The number of bins less one.
  package let degreesOfFreedom: Int
  /// The probability of a statistic this large or larger if both samples come from one distribution.
  package let pValue: Double
  /// Cramér's V: the strength of the difference, from 0 to 1, independent of the sample sizes.
  package let cramersV: Double
  /// The total count of both samples.
  package let sampleSize: Int

  /// The smallest expected count of a bin; those below are pooled (Cochran's rule of thumb).
  static let smallestExpectation = 5.0

  /// Tests two samples, whose counts are for the same bins. Returns nil if fewer than two bins are left after small
  /// ones are pooled, or if a sample is empty.
  package init?(_ one: [Int], against other: [Int]) {
    let bins = Self.pooled(zip(one, other).map { Bin($0, $1) }.filter { $0.count > 0 })
    let (ones, others) = (bins.reduce(0) { $0 + $1.one }, bins.reduce(0) { $0 + $1.other })
    guard bins.count > 1, ones > 0, others > 0 else { return nil }
    let total = Double(ones + others)
    var statistic = 0.0
    for bin in bins {
      for (observed, size) in [(bin.one, ones), (bin.other, others)] {
        let expected = Double(size) * Double(bin.count) / total
        let difference = Double(observed) - expected
        statistic += difference * difference / expected
      }
    }
    self.statistic = statistic
    degreesOfFreedom = bins.count - 1
    pValue = Self.tail(of: statistic, degreesOfFreedom: bins.count - 1)
    // With two rows, the smaller dimension less one is 1.
    cramersV = (statistic / total).squareRoot()
    sampleSize = ones + others
  }

  /// Returns the probability of a statistic this large or larger.
  static func tail(of statistic: Double, degreesOfFreedom: Int) -> Double {
    cboostmath_upper_gamma(Double(degreesOfFreedom) / 2, statistic / 2)
  }

  private struct Bin {
    let one, other: Int

    init(_ one: Int, _ other: Int) { (self.one, self.other) = (one, other) }

    var count: Int { one + other }
  }

  /// The bins with a large enough expected count, and all others as one bin. If that bin is too small, it is merged
  /// with the smallest of the large ones.
  private static func pooled(_ bins: [Bin]) -> [Bin] {
    let smaller = Double(min(bins.reduce(0) { $0 + $1.one }, bins.reduce(0) { $0 + $1.other }))
    let total = Double(bins.reduce(0) { $0 + $1.count })
    func isLarge(_ bin: Bin) -> Bool { smaller * Double(bin.count) / total >= smallestExpectation }
    var large = bins.filter(isLarge)
    let small = bins.filter { !isLarge($0) }
    guard !small.isEmpty else { return large }
    var pool = small.reduce(Bin(0, 0)) { Bin($0.one + $1.one, $0.other + $1.other) }
    if !isLarge(pool), let index = large.indices.min(by: { large[$0].count < large[$1].count }) {
      let smallest = large.remove(at: index)
      pool = Bin(pool.one + smallest.one, pool.other + smallest.other)
    }
    return large + [pool]
  }
}

/// Returns the p-values of several tests, corrected by Holm's step-down method: each is the smallest family-wise error rate at
/// which the test is still significant.
package func holmCorrected(_ pValues: [Double]) -> [Double] {
  var corrected = pValues
  var largest = 0.0
  for (rank, index) in pValues.indices.sorted(by: { pValues[$0] < pValues[$1] }).enumerated() {
    largest = max(largest, min(pValues[index] * Double(pValues.count - rank), 1))
    corrected[index] = largest
  }
  return corrected
}
