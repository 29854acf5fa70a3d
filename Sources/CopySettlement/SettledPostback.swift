internal import Base
internal import ConversionModel
internal import PostbackCopies
internal import PostbackVerification
internal import TableReading
internal import Tables

/// An accepted postback with all its copies, and with what its decoding depends on.
struct SettledPostback: Sendable {
  let key: PostbackKey?
  /// The name of the network, or its id in lower case.
  let network: String
  let appID: Int64
  let family: PostbackFamily
  let window: Int
  let conversionType: ConversionType?
  let hasWon: Bool
  let isDevelopment: Bool
  let rule: SettlementRule
  let settlement: PostbackSettlement

  /// The day of the first receipt, in days since 1970-01-01; nil if no copy has a time.
  var day: Int64? { settlement.firstAt.map { Timestamp(milliseconds: $0).daysSince1970 } }

  /// Indicates that the device sends the developer a copy of such a postback: Apple does so for wins, and for
  /// re-engagements only on request.
  var mayHaveDirectCopy: Bool { hasWon && !isDevelopment && conversionType != .reEngagement }

  /// The conversion with some unsigned values, received at a time.
  func conversion(_ values: UnsignedValues, _ receivedAt: Int64?) -> ReceivedConversion {
    let (fine, coarse) = (values[.conversionValue], values[.coarseConversionValue])
    return ReceivedConversion(
      appID: appID,
      family: family,
      window: window,
      conversionType: conversionType,
      fineValue: fine < 0 ? nil : Int(fine),
      coarseValue: coarse < 0 ? nil : CoarseValue(rank: Int(coarse)),
      receivedAt: receivedAt.map { Timestamp(milliseconds: $0) },
      won: hasWon,
      isDevelopment: isDevelopment
    )
  }
}

/// The decoding of a row of `skan_postbacks`.
struct BaseDecoding: Sendable {
  let status: String
  let modelID: String?
  let modelVersion: Int64?
  let revenue: Amount?
  let minimum: Amount?
  let maximum: Amount?
  let currency: String?

  /// Reads the current row of a cursor.
  init(_ cursor: borrowing RowCursor, _ columns: PostbackColumns) {
    status = cursor.text(columns.decodeStatus) ?? ""
    modelID = cursor.text(columns.modelID)
    modelVersion = cursor.integer(columns.modelVersion)
    revenue = cursor.amount(columns.revenue)
    minimum = cursor.amount(columns.minRevenue)
    maximum = cursor.amount(columns.maxRevenue)
    currency = cursor.text(columns.currency)
  }
}
