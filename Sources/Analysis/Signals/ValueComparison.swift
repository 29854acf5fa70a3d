/// A comparison of the fine conversion values of an ad network for an app with those of all other networks for that
/// app.
package struct ValueComparison: Sendable {
  /// The App Store ID of the app. Values are compared within one app only, because each app gives them its own meaning.
  package let app: String
  /// The ad network.
  package let network: String
  /// The number of its postbacks with a fine value.
  package let valueCount: Int
  /// The number of such postbacks of all other networks.
  package let otherValueCount: Int
  /// The test that both samples of values come from one distribution.
  package let test: ChiSquare
  /// The p-value, corrected for all comparisons (Holm).
  package let correctedPValue: Double
  /// The value whose share among the network's postbacks exceeds its share among the others' the most. The shares are from 0 to 1.
  package let excess: (value: Int, share: Double, otherShare: Double)

  /// An app, and an ad network that advertises it.
  struct Pair: Hashable, Comparable, Sendable {
    let app, network: String

    static func < (left: Pair, right: Pair) -> Bool { (left.app, left.network) < (right.app, right.network) }
  }

  /// Counts of the values 0 to 63, all 0.
  static let noValues = [Int](repeating: 0, count: 64)

  /// All comparisons for which there are enough values, the strongest difference first.
  static func all(_ histograms: [Pair: [Int]]) -> [ValueComparison] {
    var totals: [String: [Int]] = [:]
    for (pair, counts) in histograms {
      totals[pair.app] = zip(totals[pair.app] ?? noValues, counts).map { $0 + $1 }
    }
    let tested = histograms.sorted { $0.key < $1.key }.compactMap { pair, counts -> (Pair, [Int], [Int], ChiSquare)? in
      let others = zip(totals[pair.app] ?? noValues, counts).map { $0 - $1 }
      return ChiSquare(counts, against: others).map { (pair, counts, others, $0) }
    }
    let corrected = holmCorrected(tested.map(\.3.pValue))
    return zip(tested, corrected).map { found, pValue in
      let (pair, counts, others, test) = found
      return ValueComparison(pair, counts, others, test, correctedPValue: pValue)
    }
    .sorted { ($1.test.cramersV, $0.app, $0.network) < ($0.test.cramersV, $1.app, $1.network) }
  }

  private init(_ pair: Pair, _ counts: [Int], _ others: [Int], _ test: ChiSquare, correctedPValue: Double) {
    (app, network) = (pair.app, pair.network)
    let (ownCount, othersCount) = (counts.reduce(0, +), others.reduce(0, +))
    (valueCount, otherValueCount) = (ownCount, othersCount)
    self.test = test
    self.correctedPValue = correctedPValue
    // A test of two samples has values in both.
    let shares = counts.map { Double($0) / Double(ownCount) }
    let otherShares = others.map { Double($0) / Double(othersCount) }
    let excess = shares.indices.max { shares[$0] - otherShares[$0] < shares[$1] - otherShares[$1] } ?? 0
    self.excess = (excess, shares[excess], otherShares[excess])
  }
}
