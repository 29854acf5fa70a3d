internal import JSON
internal import Tables

/// The columns with the values of a postback that count, in `skan_postbacks` or in `skan_settled`.
struct DailyValueColumns: Sendable {
  let conversionValue, coarseValue, country, decodeStatus, modelID, modelVersion: Int
  let revenue, minRevenue, maxRevenue, currency, cumulative, installDate: Int

  /// The columns of the copy that was accepted.
  static let postbacks = {
    func place(_ name: ColumnName) -> Int { Table.postbacks.place(name) }
    return DailyValueColumns(
      conversionValue: place(.conversionValue),
      coarseValue: place(.coarseConversionValue),
      country: place(.countryCode),
      decodeStatus: place(.decodeStatus),
      modelID: place(.modelID),
      modelVersion: place(.modelVersion),
      revenue: place(.skanRevenue),
      minRevenue: place(.minRevenue),
      maxRevenue: place(.maxRevenue),
      currency: place(.currency),
      cumulative: place(.cumulative),
      installDate: place(.estimatedInstallDate)
    )
  }()

  /// The columns of the copy that decides.
  static let settled = {
    func place(_ name: ColumnName) -> Int { Table.settled.place(name) }
    return DailyValueColumns(
      conversionValue: place(.effectiveConversionValue),
      coarseValue: place(.effectiveCoarseConversionValue),
      country: place(.effectiveCountryCode),
      decodeStatus: place(.effectiveDecodeStatus),
      modelID: place(.effectiveModelID),
      modelVersion: place(.effectiveModelVersion),
      revenue: place(.effectiveRevenue),
      minRevenue: place(.effectiveMinRevenue),
      maxRevenue: place(.effectiveMaxRevenue),
      currency: place(.effectiveCurrency),
      cumulative: place(.effectiveCumulative),
      installDate: place(.effectiveEstimatedInstallDate)
    )
  }()
}

/// The certainty of the values of a row of `skan_settled`.
struct DailyTrust: Sendable {
  /// The trust level, 0 to 4.
  var level: Int
  /// Indicates that a device's own copy has the values, and not a forwarder's alone.
  var isOfDevice: Bool

  private static let levelColumn = Table.settled.place(.trustLevel)
  private static let decidedBy = Table.settled.place(.effectiveDecidedBy)
  private static let direct = "direct"

  /// Reads the current row of `skan_settled`.
  init(_ row: borrowing RowCursor) {
    level = row.integer(Self.levelColumn).map { Int($0) } ?? 1
    isOfDevice = level == 4 || row.has(Self.direct, in: Self.decidedBy)
  }
}
