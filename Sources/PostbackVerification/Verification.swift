internal import Signatures
public import SKAdNetwork

/// The result of the verification of a postback's signature.
public enum SignatureState: String, CaseIterable, Sendable {
  /// A trusted key signed the postback as it came.
  case valid
  /// A trusted key signed it without the zeros that a forwarder filled in for absent fields.
  case validZeroFilled = "valid_zero_filled"
  /// One of Apple's development keys signed it.
  case development
  /// No trusted key signed this content.
  case invalid
  /// The postback names a key that is not trusted.
  case unknownKey = "unknown_key"
  /// The text in the place of the signature is not a signature.
  case malformed

  /// The code with which a postback in this state is rejected; nil where a trusted key signed it.
  public var rejectCode: RejectCode? {
    switch self {
    case .valid, .validZeroFilled, .development: nil
    case .invalid: .signatureInvalid
    case .unknownKey: .unknownKey
    case .malformed: .malformedSignature
    }
  }
}

/// The result of the verification of one postback.
///
/// `verified` has the postback if it can be believed. Use `received` only to explain a rejection.
public struct Verification: Sendable {
  /// The state of the signature.
  public let state: SignatureState
  /// The postback as it was received; nothing in it is proven.
  public let received: UnverifiedPostback
  /// The key that signed; nil where no trusted key did.
  public let key: TrustedKey?
  /// The choice of fields that were found signed, or that were last tried.
  public let layout: SignedLayout
  /// The postback with its proof; nil if it is rejected.
  public let verified: VerifiedPostback?

  /// The bytes that `key` signed; where it is nil, the bytes that were last tried.
  ///
  /// SKAdNetwork: the values as text, joined by U+2063. AdAttributionKit: the JWS signing input.
  ///
  /// Source: Apple, "Verifying an install-validation postback"; RFC 7515, section 5.1.
  public var signedText: [UInt8] { received.signedText(layout) }

  /// The reason for which the postback is rejected; nil where `verified` has it.
  public var rejectCode: RejectCode? { verified == nil ? state.rejectCode ?? .developmentKey : nil }

  init(
    _ verification: SignatureVerification,
    of received: UnverifiedPostback,
    by trust: TrustPolicy,
    _ verifier: inout SignatureVerifier
  ) throws(LibcryptoFailure) {
    state = verification.state
    self.received = received
    key = verification.signer.map { trust.keys[$0] }
    layout = verification.layout
    verified =
      if let signature = verification.accepted, trust.accepts(signature) {
        try VerifiedPostback(received, signature, by: trust, &verifier)
      } else {
        nil
      }
  }
}

/// A postback that a trusted key signed.
///
/// Only a verification makes one, so that a function which takes a `VerifiedPostback` cannot be given a forgery. Apple
/// does not sign conversion values, coarse values and countries: a sender can still have edited those.
public struct VerifiedPostback: Sendable {
  /// The fields, less the zeros that a forwarder filled in for absent ones.
  public let fields: PostbackFields
  /// The format: a version of SKAdNetwork, or AdAttributionKit.
  public let format: PostbackFormat
  /// The key that signed.
  public let signer: TrustedKey
  /// The environment of the key, or development if a placeholder stands for a real id.
  public let environment: Environment
  /// The key of the postback. Copies have the same key, whichever sender or channel they came from.
  public let key: PostbackKey
  /// The doubts about the unsigned fields.
  public let tierFlags: TierFlags

  fileprivate init(
    _ received: UnverifiedPostback,
    _ signature: AcceptedSignature,
    by trust: TrustPolicy,
    _ verifier: inout SignatureVerifier
  ) throws(LibcryptoFailure) {
    var postback = received.postback
    let bytes = received.bytes
    environment = trust.environment(of: postback, signedBy: signature.key, signature.layout, in: bytes)
    postback.restoreSigned(signature.layout)
    key = try verifier.key(of: postback, in: bytes)
    fields = PostbackFields(postback, of: bytes)
    format = postback.format
    signer = trust.keys[signature.key]
    tierFlags = postback.tierFlags(signedAs: signature.layout)
  }
}
