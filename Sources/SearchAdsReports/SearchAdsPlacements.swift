internal import DerivedTables
internal import JSON
internal import LookupTables
internal import PostbackPipeline
package import TableReading
package import Tables

/// The postbacks of Apple Ads by the place of the ad: those of winning installs and redownloads, in the first window.
package struct SearchAdsPostbacks: PartResult {
  /// The count of each environment and place; the place is nil if the postback does not name it.
  private var counts: [Key: Int64] = [:]
  package private(set) var unreadable = UnreadableRows()
  package var isWhole: Bool { true }

  private struct Key: Hashable {
    let environment: String
    let placement: String?
  }

  /// The places of ads by the campaign ids that postbacks have for them.
  ///
  /// Source: Apple Ads Help, "Measuring ad performance", as vendors quote it: 10, 20, 30 and 40. Apple publishes no source
  /// identifiers for places, so that a postback of SKAdNetwork 4 or AdAttributionKit has none.
  private static let placements: [Int64: String] = [
    10: "APPSTORE_SEARCH_RESULTS", 20: "APPSTORE_SEARCH_TAB", 30: "APPSTORE_TODAY_TAB", 40: "APPSTORE_PRODUCT_PAGES",
  ]

  package init() {}

  /// Counts the rows of `skan_postbacks` in a batch.
  init(_ batch: RawBatch) {
    let columns = PostbackColumns()
    var cursor = RowCursor(batch, of: .postbacks)
    while cursor.next() {
      guard let network = cursor.text(columns.adNetworkID), Networks.isAppleAds(network) else { continue }
      guard cursor.boolean(columns.didWin) != false, cursor.integer(columns.window) ?? 0 == 0,
        !cursor.has("re-engagement", in: columns.conversionType)
      else { continue }
      let placement = cursor.integer(columns.campaignID).flatMap { Self.placements[$0] }
      counts[Key(environment: cursor.text(columns.environment) ?? "", placement: placement), default: 0] += 1
    }
    unreadable = cursor.unreadable
  }

  package mutating func merge(_ later: Self) {
    counts.merge(later.counts, uniquingKeysWith: +)
    unreadable += later.unreadable
  }

  package func encode(_ writer: inout ResultWriter) {
    writer.append(counts) { writer, count in
      writer.append(count.key.environment)
      writer.append(count.key.placement)
      writer.append(count.value)
    }
  }

  package init(_ reader: inout ResultReader) {
    counts = reader.dictionary { (Key(environment: $0.text(), placement: $0.optionalText()), $0.integer(Int64.self)) }
  }

  /// The counts by place of some environments.
  func byPlacement(_ environments: Set<String>) -> [String?: Int64] {
    var sums: [String?: Int64] = [:]
    for (key, count) in counts where environments.contains(key.environment) {
      sums[key.placement, default: 0] += count
    }
    return sums
  }
}

/// The installs of Apple Ads at one place of ads, as postbacks and AdServices tell of them.
///
/// An install may be told of by one of both, or by both. So the numbers are never added: there are at least as many installs as
/// the greater number, and at most as many as both together.
package struct SearchAdsPlacement: Sendable, Equatable {
  /// The place as Apple names it; nil for all that do not name theirs.
  package let placement: String?
  package let postbacks: Int64
  /// The number of attributions of AdServices.
  package let attributions: Int64
  /// The least number of installs.
  package var least: Int64 { max(postbacks, attributions) }
  /// The greatest number of installs.
  package var most: Int64 { postbacks + attributions }

  /// Counts of both sides.
  package init(_ placement: String?, postbacks: Int64, attributions: Int64) {
    (self.placement, self.postbacks, self.attributions) = (placement, postbacks, attributions)
  }

  /// The places of both sides, by their names, that of unknown places last.
  static func all(_ postbacks: [String?: Int64], _ attributions: [String?: Int64]) -> [SearchAdsPlacement] {
    Set(postbacks.keys).union(attributions.keys).sorted { left, right in
      guard let left, let right else { return left != nil }
      return left < right
    }.map {
      SearchAdsPlacement($0, postbacks: postbacks[$0] ?? 0, attributions: attributions[$0] ?? 0)
    }
  }

  /// The counts of all places together.
  package static func total(_ placements: [SearchAdsPlacement]) -> SearchAdsPlacement {
    SearchAdsPlacement(
      nil,
      postbacks: placements.reduce(0) { $0 + $1.postbacks },
      attributions: placements.reduce(0) { $0 + $1.attributions }
    )
  }

  var json: JSONValue {
    .object([
      .init("placement", .text(placement)), .init("postbacks", .integer(postbacks)),
      .init("attributions", .integer(attributions)), .init("installs_at_least", .integer(least)),
      .init("installs_at_most", .integer(most)),
    ])
  }

  /// Reads such a JSON object.
  init(_ json: JSONValue) {
    self.init(
      json["placement"]?.text,
      postbacks: json["postbacks"]?.integer ?? 0,
      attributions: json["attributions"]?.integer ?? 0
    )
  }
}
