internal import CBoostMath

/// The mean of a measure over the records of a campaign.
struct CampaignMean: Sendable {
  let mean: Double
  /// The variance of a single record around the mean.
  let variance: Double
  /// The number of records.
  let count: Int
}

/// A comparison of the campaigns of one party with those of all others.
///
/// Campaigns differ without fraud: in their audiences, their countries, their prices. So the campaigns and not their
/// postbacks are what is compared: the hypothesis is that the party's campaigns are drawn from the same population as the
/// others'. The variance between campaigns is estimated from the data, within both groups (DerSimonian and Laird), and the
/// difference of the means is tested with Student's t (Hartung, Knapp, Sidik and Jonkman; never with less variance than
/// the weights imply).
struct CampaignContrast: Sendable {
  /// The difference of the means, the party's less the others'.
  let difference: Double
  /// The probability of a difference as large or larger, without a difference between the groups.
  let pValue: Double
  /// The numbers of campaigns.
  let campaigns: (own: Int, others: Int)

  private static let leastCampaigns = (own: 2, others: 3)

  /// Compares the groups; nil if one of them has too few campaigns.
  init?(_ own: [CampaignMean], against others: [CampaignMean]) {
    guard own.count >= Self.leastCampaigns.own, others.count >= Self.leastCampaigns.others else { return nil }
    let groups = [own, others]
    let degrees = Double(own.count + others.count - 2)
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
    pValue = cboostmath_student_tail(difference / error, degrees)
    campaigns = (own.count, others.count)
  }
}

extension CampaignMean {
  fileprivate var samplingVariance: Double { max(variance, 1e-6) / Double(count) }
}
