internal import Base
package import DerivedTables
package import DurableFiles
package import JSON
package import PostbackPipeline
internal import SearchAds
package import TableReading
package import Tables

/// The network of Apple Search Ads in reports, and the note on its numbers.
private enum SearchAdsReport {
  static let network = "Apple Search Ads"
  /// Apple Ads may send a postback for the same install, and another network may claim it.
  static let note = "asa_overlap_unknown"
}

extension Table {
  /// The table of the attributions of Apple Search Ads by day and campaign.
  package static let searchAdsDaily = Table(
    name: "asa_daily",
    description: """
      The installs that Apple Search Ads attributes, by the day of receipt, app, campaign and country. They are counted on \
      devices and are never added to those of `skan_daily`: another network may claim the same install with a postback. \
      Tests are left out. In CSV a null is an empty field.
      """,
    columns: [
      Column(.date, .date, "The day of receipt in UTC. Null if the time of receipt is not known."),
      Column(.networkName, .word([SearchAdsReport.network]), .required, "`Apple Search Ads`."),
      Column(.appID, .identifier, "The app. Null if the records do not name it."),
      Column(.campaignID, .identifier, "The campaign."),
      Column(.campaignName, .nonEmptyText, "The name of the campaign. Null if it is not known."),
      Column(.country, .text(matching: "^[A-Z]{2}$"), "The country of the App Store."),
      Column(.conversions, .count, .required, "The number of attributions."),
      Column(.installs, .count, .required, "Those of the type `Download`."),
      Column(.redownloads, .count, .required, "Those of the type `Redownload`."),
      Column(.preOrders, .count, .required, "Those of the type `PreOrder`."),
      Column(.conversionsClick, .count, .required, "The attributions to a tap."),
      Column(.conversionsView, .count, .required, "The attributions to a view."),
      Column(
        .note,
        .word([SearchAdsReport.note]),
        .required,
        "The number that another network claims too is not known."
      ),
    ]
  )
}

/// The attributions of Apple Search Ads by day and campaign, a line of the daily report beside the postbacks.
package struct SearchAdsDaily: Sendable {
  /// The key of a row.
  private struct Group: Hashable, Sendable {
    var day: Int64?
    var app: Int64?
    var campaign: Int64?
    var country: String?
  }

  private struct Part: Sendable {
    var groups: [Group: SearchAdsCounts] = [:]
    var placements: [String?: Int64] = [:]
    var others = CountedAttribution.Others(0, 0)
  }

  private var sums = Part()

  /// The counts of all days.
  package var total: SearchAdsCounts { sums.groups.values.reduce(into: SearchAdsCounts()) { $0 += $1 } }
  /// The installs by the place of the ad, beside the postbacks of Apple Ads; empty if they were not compared.
  package private(set) var placements: [SearchAdsPlacement] = []
  /// The number of tests, which are left out.
  package var tests: Int { sums.others.tests }

  /// The number of attributions that are not counted, because they came after the rows of their days were removed.
  package private(set) var late: Int64 = 0

  /// Counts the rows of `asa_attributions` in an output; nil if it does not have the table.
  package init?(in output: String, jobs: Int) async throws {
    guard let files = try TableFiles(derived: .searchAdsAttributions, in: output) else { return nil }
    var sums = Part()
    try await files.scan(jobs: jobs) {
      Self.count($0)
    } take: { part in
      sums.groups.merge(part.groups, uniquingKeysWith: +)
      sums.placements.merge(part.placements, uniquingKeysWith: +)
      sums.others.tests += part.others.tests
      sums.others.notAttributed += part.others.notAttributed
    }
    self.sums = sums
  }

  /// Takes the days before one from `asa_daily` in a folder, because rows of these days were removed. Returns false if there is no such
  /// table; then the days are left out.
  package mutating func keepDays(before first: Int64, from folder: String) throws(FileFailure) -> Bool {
    for (group, counts) in sums.groups {
      guard let day = group.day, day < first else { continue }
      late += counts.conversions
      sums.groups[group] = nil
    }
    guard let stored = try Self.stored(in: folder) else { return false }
    for (group, counts) in stored where group.day.map({ $0 < first }) ?? false { sums.groups[group] = counts }
    return true
  }

  /// Returns the number of attributions of some days that `asa_daily` in a folder does not have yet.
  package func uncounted(of days: Range<Int64>, in folder: String) throws(FileFailure) -> Int64 {
    let stored = try Self.stored(in: folder) ?? [:]
    return sums.groups.reduce(0) { count, one in
      guard let day = one.key.day, days.contains(day) else { return count }
      return count + max(one.value.conversions - (stored[one.key]?.conversions ?? 0), 0)
    }
  }

  /// The counts of `asa_daily` in a folder; nil if there is no such table.
  private static func stored(in folder: String) throws(FileFailure) -> [Group: SearchAdsCounts]? {
    guard var stored = try StoredRows(.searchAdsDaily, in: folder) else { return nil }
    let place = Table.searchAdsDaily.place
    var groups: [Group: SearchAdsCounts] = [:]
    while let batch = try stored.next() {
      var row = RowCursor(batch, of: .searchAdsDaily)
      while row.next() {
        var counts = SearchAdsCounts()
        func count(_ column: ColumnName) -> Int64 { row.integer(place(column)) ?? 0 }
        (counts.conversions, counts.installs) = (count(.conversions), count(.installs))
        (counts.redownloads, counts.preOrders) = (count(.redownloads), count(.preOrders))
        (counts.clicks, counts.views) = (count(.conversionsClick), count(.conversionsView))
        counts.name = row.text(place(.campaignName))
        let group = Group(
          day: row.text(place(.date)).flatMap { Timestamp(dateOrTime: $0)?.daysSince1970 },
          app: row.integer(place(.appID)),
          campaign: row.integer(place(.campaignID)),
          country: row.text(place(.country))
        )
        groups[group] = counts
      }
    }
    return groups
  }

  /// Sets the installs beside the postbacks of Apple Ads of some environments, by the place of the ad.
  package mutating func compare(
    with accepted: TableFiles,
    of environments: Set<String>,
    cache: PartCache?,
    jobs: Int
  ) async throws(PipelineFailure) {
    let parts = try PipelineFailure.state { () throws(FileFailure) in try accepted.divided() }
    var postbacks = SearchAdsPostbacks()
    let merging = PartMerging(.appleAds, empty: postbacks, cache: cache, jobs: jobs)
    try await merging.add(parts, to: &postbacks) { SearchAdsPostbacks($0) }
    placements = SearchAdsPlacement.all(postbacks.byPlacement(environments), sums.placements)
  }

  private static func count(_ batch: RawBatch) -> Part {
    var part = Part()
    let others = CountedAttribution.forEach(in: batch) { one in
      let group = Group(day: one.day, app: one.app, campaign: one.campaign, country: one.country)
      part.groups[group, default: SearchAdsCounts()] += one.counts
      part.placements[one.placement, default: 0] += 1
    }
    part.others = others
    return part
  }

  /// Writes `asa_daily` into a folder.
  package func write(_ encoding: TableEncoding, in folder: String) throws(FileFailure) {
    let table = try DerivedTable(.searchAdsDaily, encoding, in: folder)
    var encoder = RowEncoder(.searchAdsDaily, encoding)
    let sorted = sums.groups.sorted { left, right in
      let (first, second) = (left.key, right.key)
      let keys = [(first.day, second.day), (first.app, second.app), (first.campaign, second.campaign)]
      for (one, other) in keys where one != other { return (one ?? .max) < (other ?? .max) }
      return (first.country ?? "") < (second.country ?? "")
    }
    for (group, counts) in sorted {
      encoder.date(.date, group.day)
      encoder.word(.networkName, SearchAdsReport.network)
      encoder.integer(.appID, group.app)
      encoder.integer(.campaignID, group.campaign)
      encoder.text(.campaignName, counts.name)
      encoder.text(.country, group.country)
      encoder.integer(.conversions, counts.conversions)
      encoder.integer(.installs, counts.installs)
      encoder.integer(.redownloads, counts.redownloads)
      encoder.integer(.preOrders, counts.preOrders)
      encoder.integer(.conversionsClick, counts.clicks)
      encoder.integer(.conversionsView, counts.views)
      encoder.word(.note, SearchAdsReport.note)
      encoder.endRow()
    }
    try table.append(encoder.take())
    try table.complete(summary: json.description)
  }

  package var json: JSONValue {
    let total = total
    return .object([
      .init("network_name", .string(SearchAdsReport.network)), .init("rows", .integer(sums.groups.count)),
      .init("conversions", .integer(total.conversions)), .init("installs", .integer(total.installs)),
      .init("redownloads", .integer(total.redownloads)), .init("pre_orders", .integer(total.preOrders)),
      .init("conversions_click", .integer(total.clicks)), .init("conversions_view", .integer(total.views)),
      .init("not_attributed", .integer(sums.others.notAttributed)), .init("tests_left_out", .integer(tests)),
      .init("note", .string(SearchAdsReport.note)), .init("by_placement", .array(placements.map(\.json))),
    ])
  }
}

extension SearchAdsPlacement {
  /// Reads the comparison that the daily report in a folder has; empty if it has none.
  package static func read(in folder: String) throws(FileFailure) -> [SearchAdsPlacement] {
    let table = "\(folder)/\(Table.searchAdsDaily.name)"
    guard try DurableFolder(table).byteCount(of: DerivedTable.summaryName) != nil else { return [] }
    let bytes = try WholeFile.read("\(table)/\(DerivedTable.summaryName)", upTo: 1 << 20)
    guard case .array(let placements)? = (try? JSONValue(parsing: bytes))?["by_placement"] else { return [] }
    return placements.map { SearchAdsPlacement($0) }
  }
}
