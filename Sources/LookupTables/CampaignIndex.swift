internal import Base
internal import Synchronization

/// The properties of a postback that rows of `campaigns` are compared with.
package struct CampaignLookup {
  /// The identifier of the campaign in a postback.
  package enum Identifier: Hashable {
    /// `campaign-id`.
    case campaign(Int)
    /// `source-identifier`, as a number and the number of its digits.
    case source(Int, digits: Int)
  }

  /// The number of the key of the network.
  package var network: UInt32
  package var app: Int64
  package var identifier: Identifier
  /// The digits that remain of a source identifier that Apple shortened.
  package var digits = Network.Digits.trailing
  /// The earliest possible time of the impression; nil if it is not known.
  package var earliest: Int64?
  /// The latest possible time of the impression; nil if it is not known.
  package var latest: Int64?
  package var country: Country?
  package var sourceApp: Int64?
  package var redownload: Bool?

  /// Makes a query of which nothing else is known.
  package init(network: UInt32, app: Int64, identifier: Identifier) {
    (self.network, self.app, self.identifier) = (network, app, identifier)
  }
}

/// The rows of `campaigns`, indexed by the identifiers in postbacks, and the results of earlier queries.
///
/// A query costs two binary searches for the rows with its identifier. The result depends on the times of the query only
/// by their order among the validities of these rows, so that the rows are compared once for each such order.
package final class CampaignIndex: Sendable {
  /// The texts in the results.
  package let texts: TextPool
  /// The rows of a network, an app and a kind, sorted by their number as it is written, or from its last digit.
  private struct Group: Sendable {
    var leading: [(number: Int, row: Int32)] = []
    var trailing: [(number: Int, row: Int32)] = []
  }

  private struct GroupKey: Hashable, Sendable {
    let network: UInt32
    /// The app; 0 for the rows that are of all apps.
    let app: Int64
    let kind: CampaignRow.Kind
  }

  private let rows: [CampaignRow]
  private let groups: [GroupKey: Group]
  private let cache = Mutex(Cache())

  init(_ campaigns: Campaigns) {
    texts = campaigns.texts
    rows = campaigns.rows
    var groups: [GroupKey: Group] = [:]
    for (index, row) in rows.enumerated() {
      for network in [row.key.network] + (campaigns.aliases[row.networkID] ?? []) {
        let key = GroupKey(network: network, app: row.key.app, kind: row.key.kind)
        groups[key, default: Group()].leading.append((row.key.number, Int32(index)))
      }
    }
    self.groups = groups.mapValues { group in
      Group(
        leading: group.leading.sorted { $0 < $1 },
        trailing: group.leading.map { (Self.reversed($0.number), $0.row) }.sorted { $0 < $1 }
      )
    }
  }

  /// Returns the number of the key of a network; nil if no row names it.
  package func network(name: String) -> UInt32? { texts.knownNumber(of: Campaigns.key(name: name)) }

  /// Returns the number of the key of a network without a name; nil if no row names it.
  package func network(id: String) -> UInt32? { texts.knownNumber(of: Campaigns.key(id: id)) }

  /// Returns the campaign of a postback.
  package func match(_ query: CampaignLookup) -> CampaignMatch {
    let key = bucketKey(query)
    return cache.withLock { cache in
      let bucket: Int
      if let known = cache.places[key] {
        bucket = known
      } else {
        bucket = cache.add(Bucket(candidates(key), of: rows), key)
      }
      let signature = cache.buckets[bucket].signature(of: query)
      if let known = cache.buckets[bucket].matches[signature] { return known }
      let found = cache.buckets[bucket].rows.map { rows[Int($0)] }
      let match = CampaignMatch(of: query, in: found)
      cache.add(match, signature, toBucket: bucket)
      return match
    }
  }

  /// Tells if rows, valid at any time, have a number with these two digits at the end, and at the beginning.
  package func matches(twoDigits number: Int, _ query: CampaignLookup) -> (trailing: Bool, leading: Bool) {
    var key = bucketKey(query)
    key.identifier = .source(number, digits: 2)
    func exist(_ digits: Network.Digits) -> Bool {
      key.digits = digits
      return candidates(key).contains { !$0.isEmpty }
    }
    return (exist(.trailing), exist(.leading))
  }

  // MARK: - Candidates

  private struct BucketKey: Hashable, Sendable {
    let network: UInt32
    /// The app; 0 if no row is of this app alone.
    let app: Int64
    var identifier: CampaignLookup.Identifier
    var digits: Network.Digits

    var kind: CampaignRow.Kind {
      if case .campaign = identifier { .campaignID } else { .sourceIdentifier }
    }
  }

  private func bucketKey(_ query: CampaignLookup) -> BucketKey {
    let key = BucketKey(network: query.network, app: query.app, identifier: query.identifier, digits: query.digits)
    if groups[GroupKey(network: key.network, app: key.app, kind: key.kind)] != nil { return key }
    return BucketKey(network: query.network, app: 0, identifier: query.identifier, digits: query.digits)
  }

  /// The rows with the identifier: those of the app, and those of all apps.
  private func candidates(_ key: BucketKey) -> [ArraySlice<(number: Int, row: Int32)>] {
    (key.app == 0 ? [0] : [key.app, 0]).compactMap { app in
      guard let group = groups[GroupKey(network: key.network, app: app, kind: key.kind)] else { return nil }
      switch key.identifier {
      case .campaign(let number): return Self.slice(group.leading, number...number)
      case .source(let number, let digits):
        let scale = [1, 1000, 100, 10, 1][digits]
        // A shortened identifier is the beginning of four digits, counted from the side that remains.
        let start = key.digits == .leading ? number * scale : Self.reversed(number)
        return Self.slice(key.digits == .leading ? group.leading : group.trailing, start...start + scale - 1)
      }
    }
  }

  private static func slice(
    _ entries: [(number: Int, row: Int32)],
    _ range: ClosedRange<Int>
  ) -> ArraySlice<(number: Int, row: Int32)> {
    let start = entries.partitioningIndex { $0.number >= range.lowerBound }
    return entries[start..<max(start, entries.partitioningIndex { $0.number > range.upperBound })]
  }

  /// The four digits of a number, from the last to the first.
  private static func reversed(_ number: Int) -> Int {
    number % 10 * 1000 + number / 10 % 10 * 100 + number / 100 % 10 * 10 + number / 1000 % 10
  }

  // MARK: - Earlier results

  private struct Cache {
    /// The number of results that are kept.
    static let limit = 1 << 20

    var places: [BucketKey: Int] = [:]
    var buckets: [Bucket] = []
    private var count = 0

    mutating func add(_ bucket: Bucket, _ key: BucketKey) -> Int {
      places[key] = buckets.count
      buckets.append(bucket)
      return buckets.count - 1
    }

    mutating func add(_ match: CampaignMatch, _ signature: Signature, toBucket bucket: Int) {
      if count >= Self.limit {
        for index in buckets.indices { buckets[index].matches = [:] }
        count = 0
      }
      buckets[bucket].matches[signature] = match
      count += 1
    }
  }

  /// The properties of queries that decide the result among the rows of a bucket.
  private struct Signature: Hashable {
    /// The number of different beginnings that are not after the latest impression.
    let begun: Int32
    /// The number of different ends that are not after the earliest impression.
    let ended: Int32
    /// The country, 0 if it is unknown, 1 if no row names it.
    let country: UInt16
    /// The source app, -1 if it is unknown, -2 if no row names it.
    let sourceApp: Int64
    let redownload: Bool?
  }

  /// The rows with an identifier, in the order of the file, and the results for them.
  private struct Bucket {
    let rows: [Int32]
    var matches: [Signature: CampaignMatch] = [:]
    private let beginnings: [Int64]
    private let ends: [Int64]
    private let countries: Set<Country>
    private let sourceApps: Set<Int64>
    private let hasRedownload: Bool

    init(_ slices: [ArraySlice<(number: Int, row: Int32)>], of all: [CampaignRow]) {
      rows = slices.joined().map(\.row).sorted()
      let rows = rows.map { all[Int($0)] }
      beginnings = Set(rows.map(\.validity.from)).sorted()
      ends = Set(rows.map(\.validity.to)).sorted()
      countries = Set(rows.compactMap(\.key.country))
      sourceApps = Set(rows.compactMap(\.key.sourceApp))
      hasRedownload = rows.contains { $0.key.redownload != nil }
    }

    func signature(of query: CampaignLookup) -> Signature {
      let begun = query.latest.map { latest in beginnings.partitioningIndex { $0 > latest } } ?? beginnings.count
      let ended = query.earliest.map { earliest in ends.partitioningIndex { $0 > earliest } } ?? 0
      return Signature(
        begun: Int32(begun),
        ended: Int32(ended),
        country: query.country.map { countries.contains($0) ? $0.code : 1 } ?? 0,
        sourceApp: query.sourceApp.map { sourceApps.contains($0) ? $0 : -2 } ?? -1,
        redownload: hasRedownload ? query.redownload : nil
      )
    }
  }
}
