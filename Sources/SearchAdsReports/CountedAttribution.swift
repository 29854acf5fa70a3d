internal import Base
internal import PostbackPipeline
internal import SearchAds
internal import TableReading
internal import Tables

/// The counts of some attributions of Apple Search Ads.
package struct SearchAdsCounts: Sendable, Equatable {
  package var conversions: Int64 = 0
  package var installs: Int64 = 0
  package var redownloads: Int64 = 0
  package var preOrders: Int64 = 0
  package var clicks: Int64 = 0
  package var views: Int64 = 0
  /// The name of what is counted; nil if it has none.
  package var name: String?

  package static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum += right
    return sum
  }

  package static func += (left: inout Self, right: Self) {
    left.conversions += right.conversions
    left.installs += right.installs
    left.redownloads += right.redownloads
    left.preOrders += right.preOrders
    left.clicks += right.clicks
    left.views += right.views
    // The names of a campaign are those of one file; payloads of long ago may have others.
    left.name = right.name ?? left.name
  }
}

/// A row of `asa_attributions` whose install is attributed.
struct CountedAttribution {
  /// The numbers of payloads without an attribution that counts.
  typealias Others = (tests: Int, notAttributed: Int)

  let day: Int64?
  let app: Int64?
  let campaign: Int64?
  let keyword: Int64?
  let keywordName: String?
  let country: String?
  /// The place of the ad; nil if the payload does not name it.
  let placement: String?
  /// The counts of this one attribution, with the name of the campaign.
  let counts: SearchAdsCounts

  /// Calls `body` for each attribution of a batch. Returns the numbers of other payloads.
  static func forEach(in batch: RawBatch, _ body: (CountedAttribution) -> Void) -> Others {
    var others = Others(0, 0)
    let table = Table.searchAdsAttributions
    var cursor = RowCursor(batch, of: table)
    while cursor.next() {
      func text(_ name: ColumnName) -> String? { cursor.text(table.place(name)) }
      guard text(.outcome) == AttributionOutcome.payload.rawValue else { continue }
      guard text(.environment) != AttributionEnvironment.test.rawValue else {
        others.tests += 1
        continue
      }
      guard text(.attribution) == "true" else {
        others.notAttributed += 1
        continue
      }
      var counts = SearchAdsCounts()
      counts.conversions = 1
      switch text(.conversionType) {
      case "Download": counts.installs = 1
      case "Redownload": counts.redownloads = 1
      case "PreOrder": counts.preOrders = 1
      default: break
      }
      let claim = text(.claimType) ?? (text(.clickAt) != nil ? "Click" : text(.impressionAt) != nil ? "Impression" : "")
      if claim == "Click" { counts.clicks = 1 } else if claim == "Impression" { counts.views = 1 }
      counts.name = text(.campaignName)
      body(
        CountedAttribution(
          day: text(.receivedAt).flatMap { Timestamp($0)?.daysSince1970 },
          app: text(.appID).flatMap { Int64($0) },
          campaign: text(.campaignID).flatMap { Int64($0) },
          keyword: text(.keywordID).flatMap { Int64($0) },
          keywordName: text(.keyword),
          country: text(.country),
          placement: text(.supplyPlacement),
          counts: counts
        )
      )
    }
    return others
  }
}
