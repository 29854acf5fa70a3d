internal import Base
package import PostbackPipeline
package import TableReading
internal import Tables

/// The sums of `skan_vendor_daily` of one vendor, as a page shows them.
package struct VendorBreakdown: Sendable {
  /// The postbacks of one campaign.
  package struct Campaign: Hashable, Sendable, Comparable {
    package let app: Int64?
    package let network: String?
    /// The campaign id, or the source identifier.
    package let campaign: String?

    package static func < (left: Self, right: Self) -> Bool {
      (left.app ?? .max, left.network ?? "", left.campaign ?? "") < (
        right.app ?? .max, right.network ?? "", right.campaign ?? ""
      )
    }
  }

  package let vendor: String
  /// The sums by campaign, those with the largest difference first.
  package var campaigns: [(key: Campaign, sums: VendorSums)] {
    byCampaign.sorted { left, right in
      let (one, other) = (left.value.distance, right.value.distance)
      return one == other ? left.key < right.key : one > other
    }.map { ($0.key, $0.value) }
  }
  /// The sums by day since 1970-01-01, the first day first; nil comes last.
  package var days: [(day: Int64?, sums: VendorSums)] {
    byDay.sorted { ($0.key ?? .max) < ($1.key ?? .max) }.map { ($0.key, $0.value) }
  }
  private var byCampaign: [Campaign: VendorSums] = [:]
  private var byDay: [Int64?: VendorSums] = [:]

  private init(_ vendor: String) { self.vendor = vendor }

  private mutating func add(_ one: Row) {
    byCampaign[one.campaign, default: VendorSums()] += one.sums
    byDay[one.day, default: VendorSums()] += one.sums
  }

  private struct Row: Sendable {
    let vendor: String
    let day: Int64?
    let campaign: Campaign
    let sums: VendorSums
  }

  /// Reads the rows of a table, by vendor.
  package static func read(_ files: TableFiles, jobs: Int) async throws(PipelineFailure) -> [VendorBreakdown] {
    var found: [String: VendorBreakdown] = [:]
    try await files.scan(jobs: jobs) {
      rows(in: $0)
    } take: { rows in
      for row in rows { found[row.vendor, default: VendorBreakdown(row.vendor)].add(row) }
    }
    return found.values.sorted { $0.vendor < $1.vendor }
  }

  private static func rows(in batch: RawBatch) -> [Row] {
    let table = Table.vendorDaily
    var row = RowCursor(batch, of: table)
    var rows: [Row] = []
    while row.next() {
      func count(_ name: ColumnName, _ row: borrowing RowCursor) -> Int64 { row.integer(table.place(name)) ?? 0 }
      var sums = VendorSums()
      (sums.imported, sums.verified) = (count(.imported, row), count(.verified, row))
      (sums.transactions, sums.matched) = (count(.transactions, row), count(.matched, row))
      sums.values.equal = count(.valuesEqual, row)
      sums.values.different = count(.valuesDifferent, row)
      sums.values.zeroForNull = count(.valuesZeroForNull, row)
      sums.values.importedOnly = count(.valuesImportedOnly, row)
      sums.values.verifiedOnly = count(.valuesVerifiedOnly, row)
      sums.values.absentBoth = count(.valuesAbsentBoth, row)
      if let currency = row.text(table.place(.currency)) {
        sums.importedRevenue[currency] = row.amount(table.place(.importedRevenue))
        sums.verifiedRevenue[currency] = row.amount(table.place(.verifiedRevenue))
      }
      let source = row.text(table.place(.sourceIdentifier))
      rows.append(
        Row(
          vendor: row.text(table.place(.vendor)) ?? "",
          day: row.text(table.place(.date)).flatMap { Timestamp(dateOrTime: $0)?.daysSince1970 },
          campaign: Campaign(
            app: row.integer(table.place(.appID)),
            network: row.text(table.place(.adNetworkID)),
            campaign: row.text(table.place(.campaignID)) ?? source
          ),
          sums: sums
        )
      )
    }
    return rows
  }
}

extension VendorSums {
  /// The size of the difference.
  fileprivate var distance: Int64 { abs(imported - verified) }
}
