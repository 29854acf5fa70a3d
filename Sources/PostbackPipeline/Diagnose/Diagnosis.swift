package import SKAdNetwork

/// What a rejected postback's signature tells about what was done to it.
///
/// Evidence, never more: a postback that was recovered is not accepted, and nothing of this reaches the pipeline.
package struct Diagnosis: Sendable, Equatable {
  /// What was found.
  package var finding: Finding
  /// How many variants the signature was held against.
  package var tried: Int

  /// What was found.
  package enum Finding: Sendable, Equatable {
    /// The signed fields are as they were signed: it was rejected for something that is not signed.
    case unaltered(Recovery)
    /// They are as they were signed, but the signature, the JWS or a value was written down differently. Harmless.
    case reencoded(Recovery)
    /// Signed fields were edited, and what was signed is known.
    case recovered(Recovery)
    /// The signature was taken from another postback, a genuine one of the same data.
    case signatureOfAnother(Recovery, transactionID: String)
    /// No variant that was tried has this signature.
    case noVariantFound(Reason)
  }

  /// Why nothing was found.
  package enum Reason: String, Sendable, CaseIterable {
    /// All variants of the search were tried.
    case exhausted
    /// The budget was used up before.
    case budget
    /// No content whatever has that signature: it was invented.
    case impossibleSignature = "impossible_signature"
    /// What stands for the signature is none, however one reads it.
    case unreadableSignature = "unreadable_signature"
    /// The record is no postback that could be searched: not a JSON object, or without its fields.
    case unreadablePostback = "unreadable_postback"
  }

  /// What a trusted key signed, and how that differs from what arrived.
  package struct Recovery: Sendable, Equatable {
    /// The signed fields that were edited.
    package var edits: [Edit]
    /// What was only written down differently.
    package var reencodings: [Reencoding]
    /// The postback as it was signed: a JSON object of the signed fields and the signature, which verifies.
    package var postback: String
    /// The key that signed.
    package var keyID: String
    /// The key's environment.
    package var environment: Environment
  }

  /// A signed field that was edited. A nil is an absent field.
  package struct Edit: Sendable, Equatable {
    /// The field.
    package var field: Field
    /// What was signed.
    package var original: String?
    /// What arrived.
    package var arrived: String?
  }

  /// The stable word for the finding.
  package var code: String {
    switch finding {
    case .unaltered: "unaltered"
    case .reencoded: "reencoded"
    case .recovered: "recovered"
    case .signatureOfAnother: "signature_of_another"
    case .noVariantFound: "no_variant_found"
    }
  }

  /// All that `code` can be.
  package static let codes = ["unaltered", "reencoded", "recovered", "signature_of_another", "no_variant_found"]

  /// What was signed, where that is known.
  package var recovery: Recovery? {
    switch finding {
    case .unaltered(let recovery), .reencoded(let recovery), .recovered(let recovery),
      .signatureOfAnother(let recovery, _):
      recovery
    case .noVariantFound: nil
    }
  }
}
