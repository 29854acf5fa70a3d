internal import LookupTables
internal import Statistics

/// The comparisons of campaigns, from the counts of all clusters.
struct ClusterStatistics {
  private typealias Clusters = [(key: SignalCluster, counts: ClusterCounts)]

  private let clusters: Clusters
  /// The clusters of forwarders' own copies.
  private let sent: Clusters

  /// The campaigns whose target is known, so that their countries are no difference.
  private let targeted: Set<SenderValues.Campaign>

  init(_ counts: SignalCounts) {
    // Sums have the same last digit if they are added up in the same order.
    func sorted(_ entries: [SignalCluster: ClusterCounts]) -> Clusters {
      entries.map { ($0.key, $0.value) }.sorted { $0.key < $1.key }
    }
    (clusters, sent) = (sorted(counts.clusters.entries), sorted(counts.sent.entries))
    targeted = counts.values.targeted
  }

  /// The counts of a cluster for a measure; empty if the measure is not about it.
  private func histogram(_ key: SignalCluster, _ counts: ClusterCounts, _ measure: ClusterMeasure) -> [Int] {
    let campaign = SenderValues.Campaign(app: key.app, network: key.network, campaign: key.campaign)
    if case .country = measure, targeted.contains(campaign) { return [] }
    return counts.histogram(measure)
  }

  private static let mostCountries = 3
  private static let leastRecords = 30

  /// All tests, of which some are not possible.
  func all() -> [SignalTest] {
    var measures: [ClusterMeasure] = [.fine, .coarse, .nulls, .redownload, .viewThrough]
    measures += countries.map { .country($0) }
    return measures.flatMap { measure in
      [SignalParty.Kind.network, .forwarder].flatMap { tests(measure, $0) }
    }
  }

  /// The most frequent countries.
  private var countries: [UInt16] {
    var sums: [UInt16: Int] = [:]
    for (key, counts) in clusters
    where !targeted.contains(SenderValues.Campaign(app: key.app, network: key.network, campaign: key.campaign)) {
      for (country, count) in counts.countries { sums[country, default: 0] += Int(count) }
    }
    return sums.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.mostCountries).map(\.key)
  }

  /// Postbacks that are like each other but for their campaign.
  private struct Stratum: Hashable {
    let app: String
    let week: Int32
    let window, family, form: UInt8
    let model: UInt64

    init(_ key: SignalCluster, _ measure: ClusterMeasure) {
      (app, week, window, family, form) = (key.app, key.week, key.window, key.family, key.form)
      // Only values have a model, and only for them it matters.
      model = measure.isRanked ? key.model : 0
    }
  }

  private struct Campaign: Hashable {
    let party, app, network, campaign: String
  }

  /// The sums of scores of a campaign.
  private struct Sums {
    var score = 0.0
    var variance = 0.0
    var count = 0
    var top = Rate()
  }

  /// Returns the scores of values: the share of lower ones less the share of higher ones in the stratum; for shares 0 and
  /// 1. Their variance is the second result.
  private static func scores(_ histogram: [Int], isRanked: Bool) -> (scores: [Double], variance: Double) {
    let all = Double(histogram.reduce(0, +))
    let scores = isRanked ? RankScores.of(histogram) : histogram.indices.map { Double($0) }
    let mean = zip(histogram, scores).reduce(0) { $0 + Double($1.0) * $1.1 } / all
    let variance = zip(histogram, scores).reduce(0) { $0 + Double($1.0) * ($1.1 - mean) * ($1.1 - mean) } / all
    return (scores, variance)
  }

  private func tests(_ measure: ClusterMeasure, _ kind: SignalParty.Kind) -> [SignalTest] {
    var histograms: [Stratum: [Int]] = [:]
    let clusters = kind == .forwarder ? sent : clusters
    for (key, counts) in clusters {
      let histogram = histogram(key, counts, measure)
      guard !histogram.isEmpty else { continue }
      histograms[Stratum(key, measure), default: Array(repeating: 0, count: histogram.count)].add(histogram)
    }
    let scores = histograms.filter { $0.value.contains { $0 > 0 } }
      .mapValues { Self.scores($0, isRanked: measure.isRanked) }
    // In a small stratum all values may be the same by chance. That must not count as certainty.
    let total = histograms.values.reduce(0) { $0 + $1.reduce(0, +) }
    let variances = histograms.map { Double($0.value.reduce(0, +)) * (scores[$0.key]?.variance ?? 0) }
    let typical = variances.sorted().reduce(0, +) / Double(max(total, 1))
    var sums: [Campaign: Sums] = [:]
    for (key, counts) in clusters {
      let party = kind == .forwarder ? key.forwarder : key.network
      guard let party, let scores = scores[Stratum(key, measure)] else { continue }
      let histogram = histogram(key, counts, measure)
      let count = histogram.reduce(0, +)
      guard count > 0 else { continue }
      let campaign = Campaign(party: party, app: key.app, network: key.network, campaign: key.campaign)
      var sum = sums[campaign] ?? Sums()
      sum.score += zip(histogram, scores.scores).reduce(0) { $0 + Double($1.0) * $1.1 }
      sum.variance += Double(count) * max(scores.variance, typical)
      sum.count += count
      // The highest values are those above the middle of all values of the stratum.
      sum.top +=
        measure == .coarse
        ? Rate(count: histogram.last ?? 0, total: count) : RankScores.top(histogram, scores.scores)
      sums[campaign] = sum
    }
    let campaigns = sums.sorted {
      ($0.key.app, $0.key.network, $0.key.campaign, $0.key.party)
        < ($1.key.app, $1.key.network, $1.key.campaign, $1.key.party)
    }
    let parties = Set(campaigns.map(\.key.party)).sorted()
    guard parties.count > 1 else { return [] }
    let apps = Set(campaigns.map(\.key.app)).sorted()
    let scopes: [String?] = measure.isRanked && apps.count > 1 ? [nil] + apps.map { $0 } : [nil]
    return scopes.flatMap { app in
      let inScope = app == nil ? campaigns : campaigns.filter { $0.key.app == app }
      return parties.compactMap { party in
        var (own, others): ([Sums], [Sums]) = ([], [])
        for campaign in inScope {
          if campaign.key.party == party { own.append(campaign.value) } else { others.append(campaign.value) }
        }
        return Self.test(measure, SignalParty(kind: kind, name: party), app, own, others)
      }
    }
  }

  private static func test(
    _ measure: ClusterMeasure,
    _ party: SignalParty,
    _ app: String?,
    _ own: [Sums],
    _ others: [Sums]
  ) -> SignalTest? {
    let ownRate = own.reduce(into: Rate()) { $0 += $1.top }
    let otherRate = others.reduce(into: Rate()) { $0 += $1.top }
    guard ownRate.total >= leastRecords, otherRate.total >= leastRecords else { return nil }
    // Without a possible event there is nothing to test.
    guard measure.isRanked || ownRate.count + otherRate.count > 0 else { return nil }
    func means(_ sums: [Sums]) -> [CampaignMean] {
      sums.map {
        CampaignMean(mean: $0.score / Double($0.count), variance: $0.variance / Double($0.count), count: $0.count)
      }
    }
    guard let contrast = CampaignContrast(means(own), against: means(others), level: SignalTest.level) else {
      return nil
    }
    return SignalTest(
      name: measure.name,
      basis: .campaigns,
      method: contrast.isPermutation ? .permutation : .campaigns,
      party: party,
      app: app,
      value: measure.value,
      own: ownRate,
      others: otherRate,
      effect: contrast.difference,
      campaigns: contrast.campaigns,
      pValue: contrast.pValue
    )
  }
}

extension [Int] {
  fileprivate mutating func add(_ other: [Int]) {
    for index in other.indices { self[index] += other[index] }
  }
}
