package import SKAdNetwork

extension RejectCode {
  /// Indicates that a diagnosis can be useful for rejects with this code, because the signature may show an edit.
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
