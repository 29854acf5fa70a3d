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

  /// The stage that produces the code.
  public var stage: RejectStage {
    switch self {
    case .notJSON, .notAnObject, .tooLarge, .tooDeep, .invalidUTF8, .duplicateKey, .truncatedInput: .parse
    case .unknownVersion, .unsupportedVersion, .missingField, .wrongType, .outOfRange, .forbiddenCharacter,
      .malformedJWS:
      .schema
    case .malformedSignature, .signatureInvalid, .unknownKey, .developmentKey: .signature
    case .appNotAllowed, .networkNotAllowed: .policy
    case .duplicateIdentical, .duplicateConflict, .duplicateTransaction: .dedup
    }
  }

  /// The meaning of the code as a sentence.
  public var explanation: String {
    switch self {
    case .notJSON: "The bytes are not JSON."
    case .notAnObject: "The JSON is not an object."
    case .tooLarge: "The record is larger than a postback may be."
    case .tooDeep: "The JSON is nested deeper than a postback may be."
    case .invalidUTF8: "The bytes are not UTF-8."
    case .duplicateKey: "An object has the same key twice."
    case .truncatedInput: "The input ends before the record does."
    case .unknownVersion: "SKAdNetwork has no version with this number."
    case .unsupportedVersion: "This program does not know this later version of SKAdNetwork. Look for an update."
    case .missingField: "A required field is missing."
    case .wrongType: "A field has a value of the wrong type."
    case .outOfRange: "A field has a value that Apple never sends."
    case .forbiddenCharacter: "A field has a character that could shift the boundaries of the signed values."
    case .malformedJWS: "The jws-string is not a JWS that Apple could have sent."
    case .malformedSignature: "The signature cannot be decoded: it is cut, or written in another encoding."
    case .signatureInvalid: "No trusted key signed this: a signed field was changed, or the postback was invented."
    case .unknownKey: "The key that the postback names is not trusted."
    case .developmentKey: "A development key signed this test postback. Development keys are not allowed here."
    case .appNotAllowed: "The advertised app is not on the list of allowed apps."
    case .networkNotAllowed: "The ad network is not on the list of allowed networks."
    case .duplicateIdentical: "The same postback came before: this is a retry, or the copy of another channel."
    case .duplicateConflict: "The same signed postback came before with other unsigned values: one copy was edited."
    case .duplicateTransaction: "Another postback with the same transaction came before."
    }
  }
}
