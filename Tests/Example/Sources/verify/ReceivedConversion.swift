import Base
import ConversionModel
import PostbackVerification
import SKAdNetwork

extension ReceivedConversion {
  /// The conversion that a verified postback reports.
  init(_ postback: VerifiedPostback, receivedAt time: Timestamp?) {
    let fields = postback.fields
    let family: PostbackFamily =
      switch postback.format {
      case .skAdNetwork(let version): version < .v4_0 ? .skadnetwork3OrEarlier : .skadnetwork4
      case .adAttributionKit: .adAttributionKit
      }
    self.init(
      appID: fields.appID,
      family: family,
      window: fields.conversionWindow,
      conversionType: fields.conversionType.flatMap { ConversionType(postbackValue: Array($0.utf8).span) },
      fineValue: fields.conversionValue,
      coarseValue: fields.coarseConversionValue.flatMap { CoarseValue(rawValue: $0.rawValue) },
      receivedAt: time,
      won: fields.isWin,
      isDevelopment: postback.environment == .development
    )
  }
}
