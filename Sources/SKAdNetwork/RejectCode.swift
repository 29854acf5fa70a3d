/// The stage of processing at which a postback was rejected.
public enum RejectStage: String, CaseIterable, Sendable {
  /// The bytes are not a JSON object that could be a postback.
  case parse
  /// The object is not a postback of the version that it claims.
  case schema
  /// No trusted key verifies the signature.
  case signature
  /// The postback is genuine, but not allowed here.
  case policy
  /// The postback duplicates an earlier one.
  case dedup
}

/// The weight of a reject: harmless, unusable or suspicious. Each code has one class.
public enum RejectClass: String, CaseIterable, Sendable {
  /// A further copy of an accepted postback, or of a removed one. It is harmless.
  case copies
  /// A record that is damaged, of an unknown kind, a test, or not for this receiver.
  case noise
  /// A record that was edited or invented, or whose key is not trusted.
  case suspicious
}

/// The reason for which a postback was rejected. The raw values are stable: tables and queries of other parties use
/// them.
public enum RejectCode: String, CaseIterable, Sendable {
  // parse
  case notJSON = "not_json"
  case notAnObject = "not_an_object"
  case tooLarge = "too_large"
  case tooDeep = "too_deep"
  case invalidUTF8 = "invalid_utf8"
  case duplicateKey = "duplicate_key"
  case truncatedInput = "truncated_input"

  // schema
  case unknownVersion = "unknown_version"
  case unsupportedVersion = "unsupported_version"
  case missingField = "missing_field"
  case wrongType = "wrong_type"
  case outOfRange = "out_of_range"
  case forbiddenCharacter = "forbidden_character"
  case malformedJWS = "malformed_jws"

  // signature
  case malformedSignature = "malformed_signature"
  case signatureInvalid = "signature_invalid"
  case unknownKey = "unknown_key"
  case developmentKey = "development_key"

  // policy
  case appNotAllowed = "app_not_allowed"
  case networkNotAllowed = "network_not_allowed"

  // dedup
  case duplicateIdentical = "duplicate_identical"
  case duplicateConflict = "duplicate_conflict"
  case duplicateTransaction = "duplicate_transaction"
  case duplicateForgotten = "duplicate_forgotten"

  /// The stage that produces the code.
  public var stage: RejectStage {
    switch self {
    case .notJSON, .notAnObject, .tooLarge, .tooDeep, .invalidUTF8, .duplicateKey, .truncatedInput: .parse
    case .unknownVersion, .unsupportedVersion, .missingField, .wrongType, .outOfRange, .forbiddenCharacter,
      .malformedJWS:
      .schema
    case .malformedSignature, .signatureInvalid, .unknownKey, .developmentKey: .signature
    case .appNotAllowed, .networkNotAllowed: .policy
    case .duplicateIdentical, .duplicateConflict, .duplicateTransaction, .duplicateForgotten: .dedup
    }
  }

  /// The weight of the rejects with this code.
  public var rejectClass: RejectClass {
    switch self {
    case .duplicateIdentical, .duplicateForgotten: .copies
    case .notJSON, .notAnObject, .tooLarge, .tooDeep, .invalidUTF8, .duplicateKey, .truncatedInput, .unknownVersion,
      .unsupportedVersion, .missingField, .wrongType, .outOfRange, .malformedJWS, .malformedSignature,
      .developmentKey, .appNotAllowed, .networkNotAllowed:
      .noise
    case .forbiddenCharacter, .signatureInvalid, .unknownKey, .duplicateConflict, .duplicateTransaction: .suspicious
    }
  }

  /// The meaning of the code as a sentence.
  public var explanation: String {
    switch self {
    case .notJSON: "The bytes are not JSON."
    case .notAnObject: "The JSON is not an object."
    case .tooLarge: "The record is longer than the allowed maximum."
    case .tooDeep: "The objects and arrays of the record are nested too deeply."
    case .invalidUTF8: "The bytes are not UTF-8."
    case .duplicateKey: "An object of the record has the same key twice."
    case .truncatedInput: "The input is truncated or damaged, so the record is incomplete."
    case .unknownVersion: "SKAdNetwork has no version with this number."
    case .unsupportedVersion:
      "The version of SKAdNetwork is later than those that this program knows. Update the program."
    case .missingField: "A field that Apple signs is missing or null."
    case .wrongType: "A field that Apple signs has a value of the wrong type."
    case .outOfRange: "A field that Apple signs has a value that Apple never sends."
    case .forbiddenCharacter: "A value contains a character that would make the signed text ambiguous."
    case .malformedJWS: "The jws-string is not a valid JWS of an AdAttributionKit postback."
    case .malformedSignature: "The signature cannot be decoded. It is truncated, or in another encoding than Apple's."
    case .signatureInvalid:
      "No trusted key signed this content. A signed field was changed, or the postback was invented."
    case .unknownKey: "The postback names a key that is not trusted."
    case .developmentKey:
      "The postback is signed with a development key of Apple, so it is a test and not an install. Such keys are "
        + "not allowed here."
    case .appNotAllowed: "The advertised app is not on the list of allowed apps."
    case .networkNotAllowed: "The ad network is not on the list of allowed networks."
    case .duplicateIdentical:
      "The same postback was accepted before. This copy is a retry, or came through another channel."
    case .duplicateConflict:
      "The same signed postback was accepted before with other unsigned values, so one of the copies was edited."
    case .duplicateTransaction: "Another postback with the same transaction was accepted before."
    case .duplicateForgotten:
      "The postback was removed on a person's request and came again. Nothing of it is kept."
    }
  }
}
