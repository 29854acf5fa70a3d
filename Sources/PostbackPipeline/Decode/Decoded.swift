package import ConversionModel
internal import JSON
internal import SKAdNetwork

/// A postback with what its conversion value means.
package struct Decoded: Sendable {
  /// The postback.
  package let unique: Unique
  /// What it means, and how sure that is.
  package let decoding: Decoding

  fileprivate init(unique: Unique, decoding: Decoding) {
    self.unique = unique
    self.decoding = decoding
  }
}

extension Batch<Unique> {
  /// Says what each postback means under the model that was in force when the app was installed. Rejects nothing.
  package func decoded(with models: Models) -> Batch<Decoded> {
    map { unique in
      let verified = unique.verified
      let conversion = verified.parsed.conversion(in: bytes, verified.environment)
      return .accepted(Decoded(unique: unique, decoding: models.decode(conversion)))
    }
  }
}

extension Parsed {
  /// What of the postback, whose text stands in `bytes`, decides what it means; `environment` is nil where nobody signed it.
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

  /// SKAdNetwork knows installs only.
  private func conversionType(in bytes: [UInt8]) -> ConversionType? {
    guard postback.framework == .adAttributionKit else { return .install }
    return postback.conversionType.flatMap { ConversionType(postbackValue: bytes.span.extracting($0.indices)) }
  }
}
