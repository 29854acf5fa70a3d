/// The sizes of crowds from which on Apple tells more of a conversion.
///
/// Apple does not publish the sizes. The bounds are those with which each data tier has its wanted share of the
/// conversions, the smallest crowds being in tier 0.
struct CrowdBounds: Sendable {
  /// The least crowds of tiers 1, 2 and 3.
  private let tiers: [Double]
  /// The least crowds of tier 2 with three and with four digits of the source identifier.
  private let digits: [Double]

  /// Finds the bounds. `crowds` are those of a sample of conversions.
  init(of crowds: [Double], _ shares: Weights<Int>) {
    let sorted = crowds.sorted()
    func bound(_ share: Double) -> Double {
      let place = Int(share * Double(sorted.count))
      return share < 1e-9 ? 0 : place < sorted.count && share < 1 - 1e-9 ? sorted[place] : .infinity
    }
    var sums: [Double] = []
    for tier in 0...2 { sums.append((sums.last ?? 0) + shares.share(of: tier)) }
    let third = shares.share(of: 2) / 3
    tiers = sums.map(bound)
    digits = [bound(sums[1] + third), bound(sums[1] + 2 * third)]
  }

  /// Returns the data tier of a crowd, 0 to 3.
  func tier(of crowd: Double) -> Int { tiers.count { crowd >= $0 } }

  /// Returns the number of digits of the source identifier that Apple tells in the first window, 2 to 4.
  func digits(of crowd: Double) -> Int {
    switch tier(of: crowd) {
    case 0, 1: 2
    case 2: 2 + digits.count { crowd >= $0 }
    default: 4
    }
  }
}
