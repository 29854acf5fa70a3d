package import ConversionModel
package import DerivedTables
internal import DurableFiles
internal import NullValueModelling
package import PostbackPipeline
internal import TableReading
internal import Tables

/// A total of `skan_modelled`: the revenue of an app's null postbacks in a conversion window and a period.
package struct NullRevenueTotal: Sendable {
  /// The advertised app.
  package let app: String
  /// The conversion window.
  package let window: Int
  /// The first and the last install date of the period; nil if install dates are not known.
  package let period: (start: String, end: String)?
  /// The number of conversions, and of those without a value.
  package let conversions, nulls: Int
  /// `modelled`, or `not_modelled:` and the reason.
  package let status: String
  /// The currency; nil if there are no amounts.
  package let currency: String?
  /// The observed revenue.
  package let observed: Amount?
  /// The estimated revenue of the null postbacks, with the ends of its interval, of which the upper one may be open;
  /// nil if there is no estimate.
  package let nullRevenue: (estimate: Amount, low: Amount, high: Amount?)?
  /// The revenue if all null postbacks are worth the least, and the most; nil if that has no limit.
  package let bounds: (low: Amount?, high: Amount?)
  /// The modelled revenue if null postbacks are worth half as much as estimated, and half as much again.
  package let sensitivity: (half: Amount, threeHalves: Amount)?

  /// Reads the totals from derived tables, in the order of the table; nil if there is none. Throws if it is damaged.
  package static func read(
    of snapshot: DerivedSnapshot,
    jobs: Int
  ) async throws(PipelineFailure) -> [NullRevenueTotal]? {
    let files = try PipelineFailure.state { () throws(FileFailure) in
      try TableFiles(derived: .modelled, of: snapshot)
    }
    guard let files else { return nil }
    var totals: [NullRevenueTotal] = []
    try await files.scan(jobs: jobs) { batch -> [NullRevenueTotal] in
      var cursor = RowCursor(batch, of: .modelled)
      var totals: [NullRevenueTotal] = []
      while cursor.next() {
        if cursor.text(Table.modelled.place(.scope)) == "total" { totals.append(NullRevenueTotal(cursor)) }
      }
      return totals
    } take: {
      totals += $0
    }
    return totals
  }

  private init(_ row: borrowing RowCursor) {
    func place(_ name: ColumnName) -> Int { Table.modelled.place(name) }
    app = row.text(place(.appID)) ?? ""
    window = Int(row.integer(place(.postbackSequenceIndex)) ?? 0)
    if let start = row.text(place(.periodStart)), let end = row.text(place(.periodEnd)) {
      period = (start, end)
    } else {
      period = nil
    }
    conversions = Int(row.integer(place(.conversions)) ?? 0)
    nulls = Int(row.integer(place(.nulls)) ?? 0)
    status = row.text(place(.modelStatus)) ?? ""
    currency = row.text(place(.currency))
    observed = row.amount(place(.observedRevenue))
    if let estimate = row.amount(place(.nullRevenue)), let low = row.amount(place(.nullRevenueLow)) {
      nullRevenue = (estimate, low, row.amount(place(.nullRevenueHigh)))
    } else {
      nullRevenue = nil
    }
    bounds = (row.amount(place(.boundLow)), row.amount(place(.boundHigh)))
    if let half = row.amount(place(.modelledRevenueHalf)), let more = row.amount(place(.modelledRevenueThreeHalves)) {
      sensitivity = (half, more)
    } else {
      sensitivity = nil
    }
  }
}
