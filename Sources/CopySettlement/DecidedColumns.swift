internal import SKAdNetwork
package import TableReading
package import Tables

/// The columns with the values of a postback that count, in `skan_postbacks` or in `skan_settled`.
package struct DecidedColumns: Sendable {
  package let conversionValue, coarseValue, country, interaction, decodeStatus, modelID, modelVersion: Int
  package let revenue, minRevenue, maxRevenue, currency, cumulative: Int
  package let installDate, earliest, latest, channel, forwarder: Int
  /// The columns of values that are signed from version 2.0 on; in these versions they are those of `skan_postbacks`.
  package let redownload, sourceApp: Int
  /// The columns with the time of receipt, the first of them that has one.
  let receivedAt: [Int]
  /// Indicates that the columns are of `skan_settled`.
  package let areSettled: Bool

  /// The columns of the copy that was accepted.
  package static let postbacks = DecidedColumns(areSettled: false)
  /// The columns of the copy that decides.
  package static let settled = DecidedColumns(areSettled: true)

  private init(areSettled: Bool) {
    func place(_ name: ColumnName, _ settled: ColumnName) -> Int {
      areSettled ? Table.settled.place(settled) : Table.postbacks.place(name)
    }
    self.areSettled = areSettled
    conversionValue = place(.conversionValue, .effectiveConversionValue)
    coarseValue = place(.coarseConversionValue, .effectiveCoarseConversionValue)
    country = place(.countryCode, .effectiveCountryCode)
    interaction = place(.adInteractionType, .effectiveAdInteractionType)
    decodeStatus = place(.decodeStatus, .effectiveDecodeStatus)
    modelID = place(.modelID, .effectiveModelID)
    modelVersion = place(.modelVersion, .effectiveModelVersion)
    revenue = place(.skanRevenue, .effectiveRevenue)
    minRevenue = place(.minRevenue, .effectiveMinRevenue)
    maxRevenue = place(.maxRevenue, .effectiveMaxRevenue)
    currency = place(.currency, .effectiveCurrency)
    cumulative = place(.cumulative, .effectiveCumulative)
    installDate = place(.estimatedInstallDate, .effectiveEstimatedInstallDate)
    earliest = place(.installDateEarliest, .effectiveInstallDateEarliest)
    latest = place(.installDateLatest, .effectiveInstallDateLatest)
    channel = place(.channel, .effectiveChannel)
    forwarder = place(.forwarder, .effectiveForwarder)
    redownload = place(.redownload, .effectiveRedownload)
    sourceApp = place(.sourceAppID, .effectiveSourceAppID)
    let direct = areSettled ? [Table.settled.place(.directReceivedAt)] : []
    receivedAt = [place(.receivedAt, .effectiveReceivedAt)] + direct
  }
}

extension DecidedColumns {
  /// Calls `body` with the cursor and the column of a value that Apple does not sign in version 1.0 alone: these of the current
  /// row, or those of `row`, the one of `skan_postbacks`.
  package func withUnsigned<Value>(
    _ column: KeyPath<DecidedColumns, Int>,
    _ values: borrowing RowCursor,
    _ row: borrowing RowCursor,
    _ columns: PostbackColumns,
    _ body: (borrowing RowCursor, Int) -> Value
  ) -> Value {
    if areSettled, !row.has(Version.v1_0.rawValue, in: columns.version) {
      return body(row, DecidedColumns.postbacks[keyPath: column])
    }
    return body(values, self[keyPath: column])
  }

  /// The time of receipt of the copy that decides, in milliseconds since 1970; nil if it is not known.
  package func received(_ values: borrowing RowCursor) -> Int64? {
    for column in receivedAt {
      if let time = values.time(column) { return time }
    }
    return nil
  }
}
