/// The JSON keys that the system knows. The raw value is a field's index in a parsed document.
///
/// Source: Apple, "Identifying the parameters in install-validation postbacks" (SKAdNetwork) and "Identifying the
/// parameters in a postback" (AdAttributionKit).
public enum Field: Int, CaseIterable, Sendable {
  // SKAdNetwork
  case version
  case adNetworkID
  case campaignID
  case sourceIdentifier
  case appID
  case transactionID
  case redownload
  case sourceAppID
  case sourceDomain
  case fidelityType
  case didWin
  case postbackSequenceIndex
  case conversionValue
  case coarseConversionValue
  case countryCode
  case attributionSignature

  // AdAttributionKit, beside the JWS
  case jwsString
  case adInteractionType

  // AdAttributionKit, in the payload of the JWS
  case postbackIdentifier
  case adNetworkIdentifier
  case advertisedItemIdentifier
  case publisherItemIdentifier
  case marketplaceIdentifier
  case conversionType
  case impressionType

  // The header of the JWS (RFC 7515, section 4.1)
  case algorithm
  case keyID
  case critical

  // The envelope that a receiver puts around a postback
  case receivedAt
  case channel
  case forwarder
  case remoteAddress
  case query
  case body
  case bodyBase64
  case leftOut

  /// The key as it is written in JSON.
  public var name: String {
    switch self {
    case .version: "version"
    case .adNetworkID: "ad-network-id"
    case .campaignID: "campaign-id"
    case .sourceIdentifier: "source-identifier"
    case .appID: "app-id"
    case .transactionID: "transaction-id"
    case .redownload: "redownload"
    case .sourceAppID: "source-app-id"
    case .sourceDomain: "source-domain"
    case .fidelityType: "fidelity-type"
    case .didWin: "did-win"
    case .postbackSequenceIndex: "postback-sequence-index"
    case .conversionValue: "conversion-value"
    case .coarseConversionValue: "coarse-conversion-value"
    case .countryCode: "country-code"
    case .attributionSignature: "attribution-signature"
    case .jwsString: "jws-string"
    case .adInteractionType: "ad-interaction-type"
    case .postbackIdentifier: "postback-identifier"
    case .adNetworkIdentifier: "ad-network-identifier"
    case .advertisedItemIdentifier: "advertised-item-identifier"
    case .publisherItemIdentifier: "publisher-item-identifier"
    case .marketplaceIdentifier: "marketplace-identifier"
    case .conversionType: "conversion-type"
    case .impressionType: "impression-type"
    case .algorithm: "alg"
    case .keyID: "kid"
    case .critical: "crit"
    case .receivedAt: "received_at"
    case .channel: "channel"
    case .forwarder: "forwarder"
    case .remoteAddress: "remote_address"
    case .query: "query"
    case .body: "body"
    case .bodyBase64: "body_base64"
    case .leftOut: "left_out"
    }
  }

  /// The field with that key; nil for an unknown key.
  public init?(name: String) {
    guard let field = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = field
  }
}

/// A set of fields.
public struct FieldSet: Sendable, Equatable {
  private var bits: UInt64 = 0

  /// The empty set.
  public init() {}

  /// The set of all fields.
  static let all = FieldSet(Field.allCases)

  /// The set of these fields.
  init(_ fields: [Field]) { for field in fields { insert(field) } }

  /// Indicates that the set has no fields.
  public var isEmpty: Bool { bits == 0 }

  /// Tells if the set contains the field.
  public func contains(_ field: Field) -> Bool { bits & Self.bit(field) != 0 }

  /// Adds a field.
  public mutating func insert(_ field: Field) { bits |= Self.bit(field) }

  mutating func remove(_ field: Field) { bits &= ~Self.bit(field) }

  private static func bit(_ field: Field) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: field.rawValue) }

  /// Adds all fields of another set.
  public mutating func formUnion(_ other: FieldSet) { bits |= other.bits }
}
