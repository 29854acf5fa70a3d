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
  package static let postbacks = {
    func place(_ name: ColumnName) -> Int { Table.postbacks.place(name) }
    return DecidedColumns(
      conversionValue: place(.conversionValue),
      coarseValue: place(.coarseConversionValue),
      country: place(.countryCode),
      interaction: place(.adInteractionType),
      decodeStatus: place(.decodeStatus),
      modelID: place(.modelID),
      modelVersion: place(.modelVersion),
      revenue: place(.skanRevenue),
      minRevenue: place(.minRevenue),
      maxRevenue: place(.maxRevenue),
      currency: place(.currency),
      cumulative: place(.cumulative),
      installDate: place(.estimatedInstallDate),
      earliest: place(.installDateEarliest),
      latest: place(.installDateLatest),
      channel: place(.channel),
      forwarder: place(.forwarder),
      redownload: place(.redownload),
      sourceApp: place(.sourceAppID),
      receivedAt: [place(.receivedAt)],
      areSettled: false
    )
  }()

  /// The columns of the copy that decides.
  package static let settled = {
    func place(_ name: ColumnName) -> Int { Table.settled.place(name) }
    return DecidedColumns(
      conversionValue: place(.effectiveConversionValue),
      coarseValue: place(.effectiveCoarseConversionValue),
      country: place(.effectiveCountryCode),
      interaction: place(.effectiveAdInteractionType),
      decodeStatus: place(.effectiveDecodeStatus),
      modelID: place(.effectiveModelID),
      modelVersion: place(.effectiveModelVersion),
      revenue: place(.effectiveRevenue),
      minRevenue: place(.effectiveMinRevenue),
      maxRevenue: place(.effectiveMaxRevenue),
      currency: place(.effectiveCurrency),
      cumulative: place(.effectiveCumulative),
      installDate: place(.effectiveEstimatedInstallDate),
      earliest: place(.effectiveInstallDateEarliest),
      latest: place(.effectiveInstallDateLatest),
      channel: place(.effectiveChannel),
      forwarder: place(.effectiveForwarder),
      redownload: place(.effectiveRedownload),
      sourceApp: place(.effectiveSourceAppID),
      receivedAt: [place(.effectiveReceivedAt), place(.directReceivedAt)],
      areSettled: true
    )
  }()
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
