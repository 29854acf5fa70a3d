/// A word that occurs as a field's value.
public protocol FieldWord: RawRepresentable<String>, CaseIterable, Sendable {}

extension CoarseConversionValue: FieldWord {}
extension AdInteractionType: FieldWord {}
extension Channel: FieldWord {}

/// The type of a field's value, with the values that Apple sends.
public enum FieldType: Sendable {
  /// A string that is not empty.
  case text
  /// A domain; not a number, because source app and source domain have the same place in the signed text.
  case domain
  /// An integer in the range.
  case integer(ClosedRange<Int64>)
  /// `true` or `false`.
  case boolean
  /// A string of two to four digits.
  case sourceIdentifier
  /// A country code of two letters, which is assigned to a country.
  case countryCode
  /// One of a few words.
  case word(any FieldWord.Type)
  /// Apple's signature, or the JWS that contains it.
  case signature
  /// JSON that belongs to a header or an envelope and has rules of its own.
  case json
}

extension Field {
  /// The type of the field's values.
  public var type: FieldType {
    switch self {
    case .campaignID: .integer(1...100)
    case .fidelityType: .integer(0...1)
    case .postbackSequenceIndex: .integer(0...2)
    case .conversionValue: .integer(0...63)
    case .appID, .sourceAppID, .advertisedItemIdentifier, .publisherItemIdentifier: .integer(0...Int64.max)
    case .redownload, .didWin: .boolean
    case .sourceIdentifier: .sourceIdentifier
    case .sourceDomain: .domain
    case .countryCode: .countryCode
    case .coarseConversionValue: .word(CoarseConversionValue.self)
    case .adInteractionType: .word(AdInteractionType.self)
    case .channel: .word(Channel.self)
    case .attributionSignature, .jwsString: .signature
    case .critical, .body, .leftOut: .json
    case .version, .adNetworkID, .transactionID, .postbackIdentifier, .adNetworkIdentifier, .marketplaceIdentifier,
      .conversionType, .impressionType, .algorithm, .keyID, .receivedAt, .forwarder, .remoteAddress, .query,
      .bodyBase64:
      .text
    }
  }

  /// The range of an integer field: the values that Apple sends.
  package var range: ClosedRange<Int64> { if case .integer(let range) = type { range } else { .min ... .max } }

  /// The values of a text field that Apple documents; other values are accepted too.
  package var documentedTexts: [String] {
    switch self {
    case .conversionType: ["download", "redownload", Postback.reengagement]
    case .impressionType: ["app-impression", "web-impression"]
    case .marketplaceIdentifier: ["com.apple.AppStore"]
    default: []
    }
  }
}

extension FieldType {
  /// A description of the values that are accepted, for the defect of another value.
  var expectation: String {
    switch self {
    case .text, .signature: "a string"
    case .domain: "a domain, not a number"
    case .integer(let range): "an integer from \(range.lowerBound) to \(range.upperBound)"
    case .boolean: "true or false"
    case .sourceIdentifier: "a string of two to four digits"
    case .countryCode: "a country code of two letters"
    case .word(let type): "one of " + Self.words(type).map { "\"\($0)\"" }.joined(separator: ", ")
    case .json: "JSON"
    }
  }

  /// A description of the value, for the defect of a required field without one.
  var expectationOfMissing: String {
    switch self {
    case .signature: "Apple's signature, DER in base64"
    case .integer(0...Int64.max): "an integer"
    case .integer(0...1): "0 or 1"
    case .integer(0...2): "0, 1 or 2"
    default: expectation
    }
  }

  /// All values as the signed text has them; nil for a type with more than a hundred.
  package var values: [String]? {
    switch self {
    case .boolean: ["true", "false"]
    case .integer(let range) where range.upperBound - range.lowerBound < 100: range.map { String($0) }
    case .word(let type): Self.words(type)
    case .text, .domain, .integer, .sourceIdentifier, .countryCode, .signature, .json: nil
    }
  }

  /// The value that forwarders fill in for an absent field, as the signed text would have it: 0 for an integer, an
  /// empty text for a domain. Nil for other types.
  package var filler: String? {
    switch self {
    case .integer: "0"
    case .domain: ""
    case .text, .boolean, .sourceIdentifier, .countryCode, .word, .signature, .json: nil
    }
  }

  private static func words<Word: FieldWord>(_ type: Word.Type) -> [String] { type.allCases.map(\.rawValue) }
}
