internal import DurableFiles
package import PostbackPipeline
internal import SearchAds
internal import TableReading

/// The attributions of Apple Search Ads by campaign, keyword, country and day, as a page shows them.
package struct SearchAdsBreakdown: Sendable {
  /// The counts of what has one id, name or day; nil where it is not known, or there is none.
  package typealias Line<Key> = (key: Key?, counts: SearchAdsCounts)

  private struct Part: Sendable {
    var campaigns: [Int64?: SearchAdsCounts] = [:]
    var keywords: [Int64?: SearchAdsCounts] = [:]
    var countries: [String?: SearchAdsCounts] = [:]
    var days: [Int64?: SearchAdsCounts] = [:]
    var others = CountedAttribution.Others(0, 0)

    mutating func add(_ one: CountedAttribution) {
      campaigns[one.campaign, default: SearchAdsCounts()] += one.counts
      countries[one.country, default: SearchAdsCounts()] += one.counts
      days[one.day, default: SearchAdsCounts()] += one.counts
      var counts = one.counts
      counts.name = one.keywordName
      keywords[one.keyword, default: SearchAdsCounts()] += counts
    }

    mutating func add(_ other: Part) {
      campaigns.merge(other.campaigns, uniquingKeysWith: +)
      keywords.merge(other.keywords, uniquingKeysWith: +)
      countries.merge(other.countries, uniquingKeysWith: +)
      days.merge(other.days, uniquingKeysWith: +)
      others.tests += other.others.tests
      others.notAttributed += other.others.notAttributed
    }
  }

  private var sums = Part()

  /// Counts the rows of `asa_attributions` in an output; nil if it does not have the table.
  package init?(in output: String, jobs: Int) async throws(PipelineFailure) {
    let files = try PipelineFailure.state { () throws(FileFailure) in
      try TableFiles(derived: .searchAdsAttributions, in: output)
    }
    guard let files else { return nil }
    var sums = Part()
    try await files.scan(jobs: jobs) { batch in
      var part = Part()
      let others = CountedAttribution.forEach(in: batch) { part.add($0) }
      part.others = others
      return part
    } take: {
      sums.add($0)
    }
    self.sums = sums
  }

  /// The counts of all attributions.
  package var total: SearchAdsCounts { sums.days.values.reduce(into: SearchAdsCounts()) { $0 += $1 } }
  /// The number of payloads of tests, which are in no count.
  package var tests: Int { sums.others.tests }
  /// The number of payloads without an attribution.
  package var notAttributed: Int { sums.others.notAttributed }

  /// The campaigns, those with the most attributions first.
  package var campaigns: [Line<Int64>] { Self.ranked(sums.campaigns) }
  /// The keywords, those with the most attributions first.
  package var keywords: [Line<Int64>] { Self.ranked(sums.keywords) }
  /// The countries, those with the most attributions first.
  package var countries: [Line<String>] { Self.ranked(sums.countries) }
  /// The days of receipt as numbers of days since 1970-01-01, the latest first.
  package var days: [Line<Int64>] {
    sums.days.map { ($0.key, $0.value) }.sorted { ($0.0 ?? .min) > ($1.0 ?? .min) }
  }

  private static func ranked<Key: Comparable>(_ counts: [Key?: SearchAdsCounts]) -> [Line<Key>] {
    counts.map { ($0.key, $0.value) }.sorted { left, right in
      if left.1.conversions != right.1.conversions { return left.1.conversions > right.1.conversions }
      guard let one = left.0, let other = right.0 else { return left.0 != nil }
      return one < other
    }
  }
}
