package import PostbackVerification
package import SKAdNetwork

/// The evidence that a rejected postback's signature gives about changes to the postback.
///
/// A diagnosis is only evidence: a recovered postback is not accepted, and no diagnosis reaches the pipeline.
package struct Diagnosis: Sendable, Equatable {
  /// The result of the search.
  package var finding: Finding
  /// The number of variants that were tested against the signature.
  package var tried: Int

  /// The result of the search for the signed content.
  package enum Finding: Sendable, Equatable {
    /// The signed fields have their signed values. The postback was rejected for a part that is not signed.
    case unaltered(Recovery)
    /// The signed fields have their signed values, but the signature, the JWS or a value is written in another form.
    /// Harmless.
    case reencoded(Recovery)
    /// Signed fields were edited, and their signed values are known.
    case recovered(Recovery)
    /// The signature belongs to a genuine postback of another transaction, whose content is nil if it is not known.
    case stolenSignature(Recovery?, SignatureOwner)
    /// None of the tried variants has this signature.
    case noVariantFound(Reason)
  }

  /// The reason for which no variant was found.
  package enum Reason: String, Sendable, CaseIterable {
    /// All variants of the search were tried.
    case exhausted
    /// The budget ended before all variants were tried.
    case budget
    /// No content can have this signature: it was invented.
    case impossibleSignature = "impossible_signature"
    /// The text in the place of the signature cannot be read as a signature in any known encoding.
    case unreadableSignature = "unreadable_signature"
    /// The record cannot be searched: it is not a JSON object, or its fields are missing.
    case unreadablePostback = "unreadable_postback"
  }

  /// The postback that a trusted key signed, with its differences from the one that arrived.
  package struct Recovery: Sendable, Equatable {
    /// The signed fields that were edited.
    package var edits: [Edit]
    /// The differences in form, which change no value.
    package var reencodings: [Reencoding]
    /// The postback as it was signed: a JSON object of the signed fields and the signature, which verifies.
    package var postback: String
    /// The name of the key that signed.
    package var keyID: String
    /// The key's environment.
    package var environment: Environment
  }

  /// A signed field that was edited; nil stands for an absent field.
  package struct Edit: Sendable, Equatable {
    package var field: Field
    /// The value that was signed.
    package var original: String?
    /// The value that arrived.
    package var arrived: String?
  }

  /// The stable code of the finding.
  package var code: String {
    switch finding {
    case .unaltered: "unaltered"
    case .reencoded: "reencoded"
    case .recovered: "recovered"
    case .stolenSignature: "stolen_signature"
    case .noVariantFound: "no_variant_found"
    }
  }

  /// All values of `code`.
  package static let codes = ["unaltered", "reencoded", "recovered", "stolen_signature", "no_variant_found"]

  /// The signed postback; nil if no variant was found.
  package var recovery: Recovery? {
    switch finding {
    case .unaltered(let recovery), .reencoded(let recovery), .recovered(let recovery): recovery
    case .stolenSignature(let recovery, _): recovery
    case .noVariantFound: nil
    }
  }
}

extension RejectCode {
  /// Indicates that a diagnosis can be useful for rejects with this code, because the signature may show an edit.
  package var isDiagnosable: Bool {
    switch self {
    case .unknownVersion, .unsupportedVersion, .missingField, .wrongType, .outOfRange, .forbiddenCharacter,
      .malformedJWS, .malformedSignature, .signatureInvalid, .unknownKey:
      true
    case .notJSON, .notAnObject, .tooLarge, .tooDeep, .invalidUTF8, .duplicateKey, .truncatedInput, .developmentKey,
      .appNotAllowed, .networkNotAllowed, .duplicateIdentical, .duplicateConflict, .duplicateTransaction,
      .duplicateForgotten:
      false
    }
  }
}
