internal import JSON

/// A well-formed postback whose signature is not verified: each field is a claim of the sender.
///
/// `PostbackVerifier` of the library PostbackVerification verifies it.
public struct UnverifiedPostback: Sendable {
  /// The fields as they were received.
  public let fields: PostbackFields
  /// The postback as ranges of `bytes`.
  package let postback: Postback
  /// The text of the postback, and the texts that were decoded from it.
  package let bytes: [UInt8]

  /// The length of the longest text that is parsed, in bytes: 64 KiB.
  ///
  /// Apple's postbacks have less than 2 KB.
  public static let maximumByteCount = 64 * 1024

  /// Parses a postback, bare or in the envelope of a receiver.
  ///
  /// - Parameter json: The JSON text in UTF-8, such as the body of the HTTP request: `[UInt8]`, `Data`, a slice.
  /// - Throws: An error if the text is not a postback of a known version. Its code is one of the stages `parse` and
  ///   `schema`.
  public init(parsing json: some Sequence<UInt8>) throws(PostbackError) {
    var parser = PostbackParser()
    try self.init(parsing: json, with: &parser)
  }

  /// Parses a postback with a parser that is kept for the next one.
  package init(parsing json: some Sequence<UInt8>, with parser: inout PostbackParser) throws(PostbackError) {
    var bytes = Array(json)
    guard bytes.count <= Self.maximumByteCount else {
      let detail = "The text has \(bytes.count) bytes, and a postback has at most \(Self.maximumByteCount)."
      throw PostbackError(PostbackDefect(.tooLarge, detail: detail), of: [])
    }
    let text = bytes.indices
    bytes.append(contentsOf: repeatElement(0, count: JSONParser.padding))
    do throws(PostbackDefect) {
      self.init(try parser.parse(text, of: &bytes), of: bytes)
    } catch {
      throw PostbackError(error, of: bytes)
    }
  }

  /// A postback whose texts are ranges of `bytes`.
  package init(_ postback: Postback, of bytes: [UInt8]) {
    fields = PostbackFields(postback, of: bytes)
    (self.postback, self.bytes) = (postback, bytes)
  }

  /// The format: a version of SKAdNetwork, or AdAttributionKit.
  public var format: PostbackFormat { postback.format }

  /// The layouts under which Apple may have signed the postback, `asSent` first.
  public var layouts: [SignedLayout] { postback.layouts }

  /// The fields that are signed under the layout, in the order of the signed text.
  ///
  /// Empty for AdAttributionKit, whose JWS is signed as a whole.
  public func signedFields(_ layout: SignedLayout = .asSent) -> [Field] { postback.signedFields(layout) }

  /// The bytes that Apple signed, provided that the postback is genuine and the layout is right.
  ///
  /// SKAdNetwork: the values as text, joined by U+2063. AdAttributionKit: the JWS signing input.
  ///
  /// Source: Apple, "Verifying an install-validation postback"; RFC 7515, section 5.1.
  public func signedText(_ layout: SignedLayout = .asSent) -> [UInt8] {
    var message: [UInt8] = []
    postback.appendSignedMessage(layout, of: bytes, to: &message)
    return message
  }
}

/// The fields of a postback of any version. A field that the version does not have is nil.
///
/// Source: Apple, "Identifying the parameters in install-validation postbacks" (SKAdNetwork) and "Identifying the
/// parameters in a postback" (AdAttributionKit).
public struct PostbackFields: Sendable {
  /// `ad-network-id`, or `ad-network-identifier`.
  public let adNetworkID: String
  /// `transaction-id`, or `postback-identifier`.
  public let transactionID: String
  /// `app-id`, or `advertised-item-identifier`.
  public let appID: Int64
  /// `campaign-id`, 1 to 100; before 4.0.
  public let campaignID: Int?
  /// `source-identifier`, two to four digits, of which leading zeros count; from 4.0.
  public let sourceIdentifier: String?
  /// `source-app-id`, or `publisher-item-identifier`.
  public let sourceAppID: Int64?
  /// `source-domain`, of web ads; from 4.0.
  public let sourceDomain: String?
  /// `redownload`.
  public let redownload: Bool?
  /// `conversion-type` (AdAttributionKit): download, redownload or re-engagement.
  public let conversionType: String?
  /// `fidelity-type`: 0 view-through, 1 StoreKit-rendered.
  public let fidelityType: Int?
  /// `ad-interaction-type` (AdAttributionKit). Never signed.
  public let adInteractionType: AdInteractionType?
  /// `did-win`; nil before 3.0, when only wins were sent.
  public let didWin: Bool?
  /// `postback-sequence-index`, the conversion window; nil before 4.0.
  public let postbackSequenceIndex: Int?
  /// `conversion-value`, 0 to 63. Never signed.
  public let conversionValue: Int?
  /// `coarse-conversion-value`. Never signed.
  public let coarseConversionValue: CoarseConversionValue?
  /// `country-code` as two capital letters. Never signed.
  public let countryCode: String?
  /// `marketplace-identifier` (AdAttributionKit).
  public let marketplaceIdentifier: String?
  /// `impression-type` (AdAttributionKit).
  public let impressionType: String?
  /// All other keys, as a JSON object on one line; nil where there are none.
  public let extras: String?

  package init(_ postback: Postback, of bytes: [UInt8]) {
    func text(_ range: ByteRange) -> String { String(decoding: bytes[range.indices], as: UTF8.self) }
    adNetworkID = text(postback.adNetworkID)
    transactionID = text(postback.transactionID)
    appID = postback.appID
    campaignID = postback.campaignID.map { Int($0) }
    sourceIdentifier = postback.sourceIdentifier?.description
    sourceAppID = postback.sourceAppID
    sourceDomain = postback.sourceDomain.map(text)
    redownload = postback.redownload
    conversionType = postback.conversionType.map(text)
    fidelityType = postback.fidelityType.map { Int($0) }
    adInteractionType = postback.adInteractionType
    didWin = postback.didWin
    postbackSequenceIndex = postback.postbackSequenceIndex.map { Int($0) }
    conversionValue = postback.conversionValue.map { Int($0) }
    coarseConversionValue = postback.coarseConversionValue
    countryCode = postback.countryCode?.description
    marketplaceIdentifier = postback.marketplaceIdentifier.map(text)
    impressionType = postback.impressionType.map(text)
    extras = postback.extras.map(text)
  }

  /// Indicates that the ad network won the attribution; true before 3.0, when only winners received postbacks.
  public var isWin: Bool { didWin ?? true }

  /// The conversion window, 0 to 2; versions before 4.0 have the first only.
  public var conversionWindow: Int { postbackSequenceIndex ?? 0 }
}
