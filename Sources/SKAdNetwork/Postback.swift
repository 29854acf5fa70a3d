public import JSON

/// Which of Apple's frameworks sent a postback.
public enum Framework: String, CaseIterable, Sendable {
  /// SKAdNetwork 1.0 to 4.0.
  case skAdNetwork = "skadnetwork"
  /// AdAttributionKit.
  case adAttributionKit = "adattributionkit"
}

/// A coarse conversion value (SKAdNetwork 4, AdAttributionKit).
public enum CoarseConversionValue: String, CaseIterable, Sendable {
  case low
  case medium
  case high
}

/// How a person met the ad (AdAttributionKit).
public enum AdInteractionType: String, CaseIterable, Sendable {
  case click
  case view
}

/// A postback as it claims to be: well formed, not verified.
///
/// Plain data. Texts are ranges of the buffer that it was parsed from; nothing is normalised. Fields that the version
/// does not define are in `extras`.
public struct Postback: Sendable {
  /// The framework.
  public internal(set) var framework: Framework
  /// The version; 1.0 where there is none. Nil for AdAttributionKit.
  public internal(set) var version: Version?
  /// `ad-network-id`, or `ad-network-identifier`.
  public internal(set) var adNetworkID: ByteRange
  /// `transaction-id`, or `postback-identifier`.
  public internal(set) var transactionID: ByteRange
  /// `app-id`, or `advertised-item-identifier`.
  public internal(set) var appID: Int64
  /// `campaign-id`, 1 to 100; before 4.0.
  public internal(set) var campaignID: Int64?
  /// `source-identifier`, two to four digits; from 4.0.
  public internal(set) var sourceIdentifier: ByteRange?
  /// `source-app-id`, or `publisher-item-identifier`. A 0 may have been filled in by a forwarder.
  public internal(set) var sourceAppID: Int64?
  /// `source-domain`, of web ads; from 4.0. An empty one may have been filled in by a forwarder.
  public internal(set) var sourceDomain: ByteRange?
  /// `redownload`. Not signed in 1.0.
  public internal(set) var redownload: Bool?
  /// `conversion-type` (AdAttributionKit), of a re-engagement in one of Apple's two spellings, whichever was signed.
  public internal(set) var conversionType: ByteRange?
  /// `fidelity-type`: 0 view-through, 1 StoreKit-rendered.
  public internal(set) var fidelityType: Int64?
  /// `ad-interaction-type` (AdAttributionKit). Never signed.
  public internal(set) var adInteractionType: AdInteractionType?
  /// `did-win`; nil before 3.0, when only wins were sent.
  public internal(set) var didWin: Bool?
  /// `postback-sequence-index`, the conversion window; nil before 4.0.
  public internal(set) var postbackSequenceIndex: Int64?
  /// `conversion-value`, 0 to 63. Never signed.
  public internal(set) var conversionValue: Int64?
  /// `coarse-conversion-value`. Never signed.
  public internal(set) var coarseConversionValue: CoarseConversionValue?
  /// `country-code`, two letters. Never signed.
  public internal(set) var countryCode: ByteRange?
  /// `marketplace-identifier` (AdAttributionKit).
  public internal(set) var marketplaceIdentifier: ByteRange?
  /// `impression-type` (AdAttributionKit).
  public internal(set) var impressionType: ByteRange?
  /// What stands for Apple's signature.
  public internal(set) var signature: Signature
  /// The fields that came as another type with the same meaning: numbers and Booleans as strings, nulls as "".
  public internal(set) var coercedFields = FieldSet()
  /// All other keys, as a JSON object on one line.
  public internal(set) var extras: ByteRange?

  /// What stands for Apple's signature, not yet decoded.
  public enum Signature: Sendable {
    /// SKAdNetwork's `attribution-signature`: base64 of DER.
    case attribution(ByteRange)
    /// AdAttributionKit's JWS.
    case jws(CompactJWS)
  }

  /// Whether the ad network won the attribution. Versions before 3.0 told winners only.
  public var isWin: Bool { didWin ?? true }

  /// The conversion window, 0 to 2; versions before 4.0 have the first only.
  public var conversionWindow: Int { Int(postbackSequenceIndex ?? 0) }
}

/// The parts of a JWS in compact serialization (RFC 7515, section 7.1) whose header says ES256.
public struct CompactJWS: Sendable {
  /// Header, period and payload as they were sent: the bytes that are signed.
  public var signingInput: ByteRange
  /// The signature, base64url.
  public var signature: ByteRange
  /// `kid`, which names the key.
  public var keyID: ByteRange
}
