internal import JSON

/// The fields of a postback that no signature covers, packed, so that copies can be compared.
///
/// Extra keys are not among them: forwarders add their own.
public struct UnsignedFields: Equatable, Sendable {
  private var conversionValue: UInt8?
  private var coarseConversionValue: CoarseConversionValue?
  private var adInteractionType: AdInteractionType?
  private var countryCode: UInt16?
  /// These two in version 1.0 only.
  private var redownload: Bool?
  private var sourceAppID: Int64?

  /// The unsigned fields of a postback.
  public init(_ postback: Postback, of bytes: [UInt8]) {
    conversionValue = postback.conversionValue.map { UInt8(truncatingIfNeeded: $0) }
    coarseConversionValue = postback.coarseConversionValue
    adInteractionType = postback.adInteractionType
    countryCode = postback.countryCode.map { code in
      bytes[code.indices].reduce(0) { $0 << 8 | UInt16($1) }
    }
    if postback.version == .v1_0 {
      redownload = postback.redownload
      sourceAppID = postback.sourceAppID
    }
  }

  /// A field that two copies of a postback do not agree on. A nil is an absent field.
  public struct Conflict: Equatable, Sendable {
    /// The field.
    public var field: Field
    /// What the copy that came first has.
    public var first: String?
    /// What this copy has.
    public var later: String?
  }

  /// Where `later` differs.
  public func conflicts(with later: UnsignedFields) -> [Conflict] {
    func country(_ code: UInt16) -> String {
      String(decoding: [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)], as: UTF8.self)
    }
    let values: [(Field, first: String?, later: String?)] = [
      (.conversionValue, conversionValue.map { "\($0)" }, later.conversionValue.map { "\($0)" }),
      (.coarseConversionValue, coarseConversionValue?.rawValue, later.coarseConversionValue?.rawValue),
      (.adInteractionType, adInteractionType?.rawValue, later.adInteractionType?.rawValue),
      (.countryCode, countryCode.map(country), later.countryCode.map(country)),
      (.redownload, redownload.map { "\($0)" }, later.redownload.map { "\($0)" }),
      (.sourceAppID, sourceAppID.map { "\($0)" }, later.sourceAppID.map { "\($0)" }),
    ]
    return values.compactMap { $0.first == $0.later ? nil : Conflict(field: $0.0, first: $0.first, later: $0.later) }
  }
}
