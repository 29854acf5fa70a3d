internal import Base
public import JSON

/// The Apple framework that sent a postback.
public enum Framework: String, CaseIterable, Sendable {
  /// SKAdNetwork 1.0 to 4.0.
  case skAdNetwork = "skadnetwork"
  case adAttributionKit = "adattributionkit"
}

/// A coarse conversion value (SKAdNetwork 4, AdAttributionKit).
public enum CoarseConversionValue: String, CaseIterable, Sendable {
  case low
  case medium
  case high
}

/// The user's interaction with the ad: a click or a view (AdAttributionKit).
public enum AdInteractionType: String, CaseIterable, Sendable {
  case click
  case view
}

/// A country as two capital letters: an assigned code of ISO 3166-1, or `XK` for Kosovo, which has a storefront of Apple's.
public struct CountryCode: Hashable, Sendable, CustomStringConvertible {
  /// The first letter in the high byte, the second in the low one.
  package let letters: UInt16

  /// The country of two ASCII letters, in any letter case, `GB` for the reserved `UK`; nil for other bytes.
  package init?(_ first: UInt8, _ second: UInt8) {
    let a = UInt8(ascii: "a")
    let (one, two) = ((first | 0x20) &- a, (second | 0x20) &- a)
    guard one < 26, two < 26 else { return nil }
    let letters = UInt16(first & 0xDF) << 8 | UInt16(second & 0xDF)
    let isUK = letters == 0x554B
    guard isUK || Self.assigned[Int(one)] >> UInt32(two) & 1 == 1 else { return nil }
    self.letters = isUK ? 0x4742 : letters
  }

  /// The second letters of the codes with each first letter, as bits.
  private static let assigned: [UInt32] = [
    "DEFGILMOQRSTUWXZ", "ABDEFGHIJLMNOQRSTVWYZ", "ACDFGHIKLMNORUVWXYZ", "EJKMOZ", "CEGHRST", "IJKMOR",
    "ABDEFGHILMNPQRSTUWY", "KMNRTU", "DELMNOQRST", "EMOP", "EGHIMNPRWYZ", "ABCIKRSTUVY",
    "ACDEFGHKLMNOPQRSTUVWXYZ", "ACEFGILOPRUZ", "M", "AEFGHKLMNRSTWY", "A", "EOSUW", "ABCDEGHIJKLMNORSTVXYZ",
    "CDFGHJKLMNORTVWZ", "AGMSYZ", "ACEGINU", "FS", "K", "ET", "AMW",
  ].map { $0.utf8.reduce(0) { $0 | 1 << UInt32($1 - UInt8(ascii: "A")) } }

  /// The number of bytes that `write(to:)` writes.
  public static let length = 2

  /// Writes the two letters.
  public func write(to text: inout OutputSpan<UInt8>) {
    text.append(UInt8(truncatingIfNeeded: letters >> 8))
    text.append(UInt8(truncatingIfNeeded: letters))
  }

  /// The two letters.
  public var description: String { String(capacity: Self.length) { write(to: &$0) } }
}

/// A source identifier: two to four digits, in which leading zeros count.
public struct SourceIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// The digits as a number, without leading zeros.
  let number: UInt16
  /// The number of digits, 2 to 4.
  public internal(set) var digitCount: Int

  /// The identifier with these digits; nil for anything but two to four digits.
  init?(digits text: Span<UInt8>) {
    guard (2...4).contains(text.count) else { return nil }
    var number: UInt16 = 0
    for index in text.indices {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      number = number * 10 + UInt16(digit)
    }
    self.number = number
    digitCount = text.count
  }

  /// The shortest identifier of a number below 10 000, at least two digits.
  init(shortest number: UInt16) {
    self.number = number
    digitCount = number < 100 ? 2 : number < 1000 ? 3 : 4
  }

  /// The most bytes that `write(to:)` writes.
  public static let maximumLength = 4

  /// Writes the digits.
  public func write(to text: inout OutputSpan<UInt8>) {
    let digits: [4 of UInt16] = [number / 1000, number / 100 % 10, number / 10 % 10, number % 10]
    for index in (4 - digitCount)..<4 { text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digits[index])) }
  }

  /// The digits.
  public var description: String { String(capacity: Self.maximumLength) { write(to: &$0) } }
}

/// A parsed postback: well formed, but not verified.
///
/// Texts are ranges of the buffer from which the postback was parsed, as they came. `extras` holds the fields that the
/// version does not define, and unsigned fields that could not be read.
public struct Postback: Sendable {
  /// The format: a version of SKAdNetwork, 1.0 where the postback has none, or AdAttributionKit.
  public let format: PostbackFormat
  /// `ad-network-id`, or `ad-network-identifier`.
  public internal(set) var adNetworkID = ByteRange(start: 0, count: 0)
  /// `transaction-id`, or `postback-identifier`.
  public internal(set) var transactionID = ByteRange(start: 0, count: 0)
  /// `app-id`, or `advertised-item-identifier`.
  public internal(set) var appID: Int64 = 0
  /// `campaign-id`, 1 to 100; before 4.0.
  public internal(set) var campaignID: Int64?
  /// `source-identifier`, two to four digits; from 4.0.
  public internal(set) var sourceIdentifier: SourceIdentifier?
  /// `source-app-id`, or `publisher-item-identifier`. A 0 may have been filled in by a forwarder.
  public internal(set) var sourceAppID: Int64?
  /// `source-domain`, of web ads; from 4.0. A forwarder may have filled in an empty one. Beside a `source-app-id` of 0
  /// it is signed only where the 0 is not; `restoreSigned` removes it where it is not signed.
  public internal(set) var sourceDomain: ByteRange?
  /// `source-domain` beside a signed `source-app-id`, for which Apple neither sends nor signs a domain: the text of
  /// its JSON value. It is among the extras.
  public internal(set) var unsignedSourceDomain: ByteRange?
  /// `redownload`. Not signed in 1.0.
  public internal(set) var redownload: Bool?
  /// `conversion-type` (AdAttributionKit). A re-engagement has the spelling that Apple documents, whichever was
  /// signed.
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
  /// `country-code`. Never signed.
  public internal(set) var countryCode: CountryCode?
  /// `marketplace-identifier` (AdAttributionKit).
  public internal(set) var marketplaceIdentifier: ByteRange?
  /// `impression-type` (AdAttributionKit).
  public internal(set) var impressionType: ByteRange?
  /// Apple's signature in the form of the framework.
  public internal(set) var signature = Signature.attribution(ByteRange(start: 0, count: 0))
  /// The fields that were written in another spelling with the same meaning: numbers and Booleans as strings, words in
  /// another letter case, null as "".
  public internal(set) var coercedFields = FieldSet()
  /// The unsigned fields that could not be read. They are nil here, and among the extras as they came.
  public internal(set) var unreadableFields = FieldSet()
  /// All other keys, as a JSON object on one line; nil where there are none.
  public internal(set) var extras: ByteRange?
  /// The extras to use where `sourceDomain` turns out not to be signed.
  var extrasWithSourceDomain: ByteRange?

  /// A postback of the format, whose fields are yet to be read.
  init(_ format: PostbackFormat) { self.format = format }

  /// Apple's signature, still encoded.
  public enum Signature: Sendable {
    /// The `attribution-signature` of SKAdNetwork: DER in base64.
    case attribution(ByteRange)
    /// The JWS of AdAttributionKit.
    case jws(CompactJWS)
  }

  /// The framework that sent the postback.
  public var framework: Framework { format.framework }

  /// The version of SKAdNetwork; nil for AdAttributionKit.
  public var version: Version? { format.version }

  /// Indicates that the ad network won the attribution; true before 3.0, when only winners received postbacks.
  public var isWin: Bool { didWin ?? true }

  /// The conversion window, 0 to 2; versions before 4.0 have the first only.
  public var conversionWindow: Int { Int(postbackSequenceIndex ?? 0) }
}

extension Postback {
  /// The spelling of a re-engagement in `conversion-type` that Apple documents, and that the tables use.
  public static let reengagement = "re-engagement"
  /// The other spelling of a re-engagement that occurs in what Apple signs.
  public static let otherReengagement = "reengagement"
}
