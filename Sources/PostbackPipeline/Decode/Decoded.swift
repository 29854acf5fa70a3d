package import ConversionModel
internal import JSON
package import PostbackVerification
internal import SKAdNetwork

/// A unique postback with the meaning of its conversion value.
///
/// A class, because it is handed on and would otherwise be copied.
package final class Decoded: Sendable {
  /// The postback.
  package let unique: Unique
  /// The events and the revenue of the conversion value, with the status that tells how certain they are.
  package let decoding: Decoding

  fileprivate init(unique: Unique, decoding: Decoding) {
    self.unique = unique
    self.decoding = decoding
  }
}

extension Batch<Unique> {
  /// Decodes each postback with the model that was in force at the time of the install. Rejects nothing.
  package func decoded(with models: Models) -> Batch<Decoded> {
    map { unique in
      let verified = unique.verified
      let conversion = verified.parsed.conversion(in: bytes, verified.environment)
      return .accepted(Decoded(unique: unique, decoding: models.decode(conversion)))
    }
  }
}

extension Parsed {
  /// Returns the parts of the postback that the decoding depends on. `bytes` holds the postback's text; `environment`
  /// is nil if no trusted key signed it.
  package func conversion(in bytes: [UInt8], _ environment: Environment?) -> ReceivedConversion {
    ReceivedConversion(
      appID: postback.appID,
      family: postback.version.map { $0 < .v4_0 ? .skadnetwork3OrEarlier : .skadnetwork4 } ?? .adAttributionKit,
      window: postback.conversionWindow,
      conversionType: conversionType(in: bytes),
      fineValue: postback.conversionValue.map(Int.init),
      coarseValue: postback.coarseConversionValue.flatMap { CoarseValue(rawValue: $0.rawValue) },
      receivedAt: arrival.receivedAt,
      won: postback.isWin,
      isDevelopment: environment == .development
    )
  }

  /// The conversion type; always an install for SKAdNetwork, which knows no other. nil if it is absent or unknown.
  private func conversionType(in bytes: [UInt8]) -> ConversionType? {
    guard postback.framework == .adAttributionKit else { return .install }
    return postback.conversionType.flatMap { ConversionType(postbackValue: bytes.span.extracting($0.indices)) }
  }
}
