internal import CBoostMath

/// The mean of a measure over the records of a campaign.
package struct CampaignMean: Sendable {
  let mean: Double
  /// The variance of a single record around the mean.
  let variance: Double
  /// The number of records.
  let count: Int

  package init(mean: Double, variance: Double, count: Int) {
    (self.mean, self.variance, self.count) = (mean, variance, count)
  }
}

/// A comparison of the campaigns of one party with those of all others.
///
/// Campaigns differ without fraud: in their audiences, their countries, their prices. So the campaigns and not their
/// postbacks are what is compared: the hypothesis is that the party's campaigns are drawn from the same population as the
/// others'. The variance between campaigns is estimated from the data, within both groups (DerSimonian and Laird), and the
/// difference of the means is tested with Student's t (Hartung, Knapp, Sidik and Jonkman; never with less variance than
/// the weights imply).
package struct CampaignContrast: Sendable {
  /// The difference of the means, the party's less the others'.
  package let difference: Double
  /// The probability of a difference as large or larger, without a difference between the groups.
  package let pValue: Double
  /// The numbers of campaigns.
  package let campaigns: (own: Int, others: Int)

  private static let leastCampaigns = (own: 2, others: 3)

  /// The least number of campaigns in both groups for which Student's t is taken.
  private static let leastForStudent = 5
  private static let permutations = 999

  /// Indicates that the p-value is the share of all divisions of the campaigns with as large a difference or a larger one.
  package let isPermutation: Bool

  /// Compares the groups; nil if one of them has too few campaigns, or so few that no difference could have a p-value below
  /// `level`.
  ///
  /// With fewer than five campaigns in a group, the variance between campaigns is not known well enough for Student's t.
  package init?(_ own: [CampaignMean], against others: [CampaignMean], level: Double) {
    guard own.count >= Self.leastCampaigns.own, others.count >= Self.leastCampaigns.others else { return nil }
    let found = Statistic(own, others)
    difference = found.difference
    campaigns = (own.count, others.count)
    isPermutation = min(own.count, others.count) < Self.leastForStudent
    guard isPermutation else {
      pValue = cboostmath_student_tail(found.value, found.degrees)
      return
    }
    let all = own + others
    let divisions = Self.divisions(all.count, own.count)
    guard divisions * level > 1 else { return nil }
    var (larger, made) = (0, 0)
    func count(_ chosen: [Int]) {
      let taken = Set(chosen)
      let rest = all.indices.filter { !taken.contains($0) }
      if Statistic(chosen.map { all[$0] }, rest.map { all[$0] }).value >= found.value - 1e-9 { larger += 1 }
      made += 1
    }
    if divisions <= Double(Self.permutations) {
      var chosen = Array(0..<own.count)
      count(chosen)
      while Self.advance(&chosen, below: all.count) { count(chosen) }
    } else {
      (larger, made) = (1, 1)
      var random = DrawnNumbers(of: all.map(\.count))
      for _ in 0..<Self.permutations {
        var places = Array(all.indices)
        for place in 0..<own.count { places.swapAt(place, place + random.below(places.count - place)) }
        count(Array(places.prefix(own.count)))
      }
    }
    pValue = Double(larger) / Double(made)
  }

  /// The number of divisions of campaigns into two groups.
  private static func divisions(_ all: Int, _ own: Int) -> Double {
    (0..<own).reduce(1.0) { $0 * Double(all - $1) / Double($1 + 1) }
  }

  /// Moves on to the next choice; returns false after the last one.
  private static func advance(_ chosen: inout [Int], below all: Int) -> Bool {
    var place = chosen.count - 1
    while place >= 0, chosen[place] == all - chosen.count + place { place -= 1 }
    guard place >= 0 else { return false }
    chosen[place] += 1
    for next in chosen.indices.dropFirst(place + 1) { chosen[next] = chosen[next - 1] + 1 }
    return true
  }
}

/// The difference of the weighted means of two groups of campaigns, and its size in standard errors.
private struct Statistic {
  let difference, value, degrees: Double

  init(_ own: [CampaignMean], _ others: [CampaignMean]) {
    let groups = [own, others]
    degrees = Double(own.count + others.count - 2)
    // The variance between campaigns, by the method of moments.
    var (heterogeneity, scale) = (0.0, 0.0)
    for group in groups {
      let weights = group.map { 1 / $0.samplingVariance }
      let sum = weights.reduce(0, +)
      let mean = zip(group, weights).reduce(0) { $0 + $1.0.mean * $1.1 } / sum
      heterogeneity += zip(group, weights).reduce(0) { $0 + $1.1 * ($1.0.mean - mean) * ($1.0.mean - mean) }
      scale += sum - weights.reduce(0) { $0 + $1 * $1 } / sum
    }
    let between = max(0, (heterogeneity - degrees) / scale)
    var means: [Double] = []
    var (residual, inverse) = (0.0, 0.0)
    for group in groups {
      let weights = group.map { 1 / ($0.samplingVariance + between) }
      let sum = weights.reduce(0, +)
      let mean = zip(group, weights).reduce(0) { $0 + $1.0.mean * $1.1 } / sum
      residual += zip(group, weights).reduce(0) { $0 + $1.1 * ($1.0.mean - mean) * ($1.0.mean - mean) }
      means.append(mean)
      inverse += 1 / sum
    }
    difference = means[0] - means[1]
    let error = (max(1, residual / degrees) * inverse).squareRoot()
    value = difference / error
  }
}

extension CampaignMean {
  fileprivate var samplingVariance: Double { max(variance, 1e-6) / Double(count) }
}
