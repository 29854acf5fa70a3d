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
}
