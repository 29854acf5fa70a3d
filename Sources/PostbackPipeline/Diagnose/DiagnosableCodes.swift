package import SKAdNetwork

extension RejectCode {
  /// Whether a signature may tell what was done to a postback that was rejected with the code.
  package var isDiagnosable: Bool {
    switch self {
    case .unknownVersion, .unsupportedVersion, .missingField, .wrongType, .outOfRange, .forbiddenCharacter,
      .malformedJWS, .malformedSignature, .signatureInvalid, .unknownKey:
      true
    case .notJSON, .notAnObject, .tooLarge, .tooDeep, .invalidUTF8, .duplicateKey, .truncatedInput, .developmentKey,
      .appNotAllowed, .networkNotAllowed, .duplicateIdentical, .duplicateConflict, .duplicateTransaction:
      false
    }
  }
}
