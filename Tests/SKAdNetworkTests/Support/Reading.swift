import Base
import JSON

@testable import SKAdNetwork

/// The parser's result for a text, with the texts of its ranges.
struct Reading {
  let bytes: [UInt8]
  let result: Result<Postback, PostbackDefect>
  let claims: Claims
  let envelope: Envelope?
  let receivedAtField: JSONField

  init(_ text: [UInt8], receivedAtField: String? = nil) throws {
    var parser = PostbackParser(receivedAtField: receivedAtField)
    self.init(text, with: &parser)
  }

  init(_ text: String, receivedAtField: String? = nil) throws {
    try self.init(Array(text.utf8), receivedAtField: receivedAtField)
  }

  /// Other bytes before and after the text, which must not matter.
  init(_ text: [UInt8], with parser: inout PostbackParser) {
    var bytes = Array("{\"".utf8) + text + [UInt8](repeating: UInt8(ascii: "}"), count: JSONParser.padding)
    do throws(PostbackDefect) {
      result = .success(try parser.parse(2..<2 + text.count, of: &bytes))
    } catch {
      result = .failure(error)
    }
    self.bytes = bytes
    claims = parser.claims
    envelope = parser.envelope
    receivedAtField = parser.receivedAtField
  }

  var postback: Postback {
    get throws { try result.get() }
  }

  /// The defect; nil if there is none.
  var defect: PostbackDefect? {
    if case .failure(let defect) = result { defect } else { nil }
  }

  func text(_ range: ByteRange?) -> String? { range.map { String(decoding: bytes[$0.indices], as: UTF8.self) } }

  var extras: String? {
    get throws { text(try postback.extras) }
  }

  func signedMessage(_ layout: SignedLayout = .asSent) throws -> String {
    var message: [UInt8] = []
    try postback.appendSignedMessage(layout, of: bytes, to: &message)
    return String(decoding: message, as: UTF8.self)
  }

  var unsignedFields: UnsignedFields {
    get throws { UnsignedFields(try postback, of: bytes) }
  }

  /// The text of a field of the postback; nil if it is absent.
  func value(of field: Field) throws -> String? {
    let postback = try postback
    return switch field {
    case .version: postback.version?.rawValue
    case .adNetworkID, .adNetworkIdentifier: text(postback.adNetworkID)
    case .campaignID: postback.campaignID.map { "\($0)" }
    case .sourceIdentifier: postback.sourceIdentifier?.description
    case .appID, .advertisedItemIdentifier: "\(postback.appID)"
    case .transactionID, .postbackIdentifier: text(postback.transactionID)
    case .redownload: postback.redownload.map { "\($0)" }
    case .sourceAppID, .publisherItemIdentifier: postback.sourceAppID.map { "\($0)" }
    case .sourceDomain: text(postback.sourceDomain)
    case .fidelityType: postback.fidelityType.map { "\($0)" }
    case .didWin: postback.didWin.map { "\($0)" }
    case .postbackSequenceIndex: postback.postbackSequenceIndex.map { "\($0)" }
    case .conversionValue: postback.conversionValue.map { "\($0)" }
    case .coarseConversionValue: postback.coarseConversionValue?.rawValue
    case .countryCode: postback.countryCode?.description
    case .adInteractionType: postback.adInteractionType?.rawValue
    case .marketplaceIdentifier: text(postback.marketplaceIdentifier)
    case .conversionType: text(postback.conversionType)
    case .impressionType: text(postback.impressionType)
    case .attributionSignature:
      if case .attribution(let signature) = postback.signature { text(signature) } else { nil }
    case .jwsString, .algorithm, .keyID, .critical, .receivedAt, .channel, .forwarder, .remoteAddress, .query, .body,
      .bodyBase64, .leftOut:
      nil
    }
  }
}

extension FieldSet {
  var names: [String] { Field.allCases.filter(contains).map(\.name) }
}
