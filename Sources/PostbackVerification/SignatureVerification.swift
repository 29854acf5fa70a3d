package import SKAdNetwork
package import Signatures

/// The verification result of one signature.
package struct SignatureVerification: Sendable {
  /// The state of the signature.
  package var state: SignatureState
  /// The key that signed, as an index of `TrustPolicy.keys`; of AdAttributionKit, where none did, the one that is named.
  package var key: Int?
  /// The fields that were found signed, or were last tried.
  package var layout: SignedLayout
  /// SHA-256 of the bytes that the layout signs.
  package var digest: SHA256Digest
  /// The digest by which later resends of an accepted signature are recognised; nil without a `ResendKey`.
  package var resendDigest: UInt64?
  /// The r of an accepted signature; nil where no key signed.
  package var r: SignatureR?
  /// Indicates that the signature was not verified, because it agrees with that of an earlier postback of the same id.
  package var isResend = false

  /// The key that signed, as an index of `TrustPolicy.keys`; nil where none did.
  package var signer: Int? { accepted?.key }

  /// The signature of a trusted key; nil where none signed.
  package var accepted: AcceptedSignature? {
    switch state {
    case .valid, .validZeroFilled, .development:
      key.map { key in
        AcceptedSignature(
          key: key,
          layout: layout,
          digest: digest,
          isDevelopment: state == .development,
          r: r,
          resendDigest: resendDigest,
          isResend: isResend
        )
      }
    case .invalid, .unknownKey, .malformed: nil
    }
  }
}

/// A signature that a trusted key made.
///
/// Only a verification that found such a key makes one.
package struct AcceptedSignature: Sendable {
  /// The key that signed, as an index of `TrustPolicy.keys`.
  package let key: Int
  /// The fields that the key signed.
  package let layout: SignedLayout
  /// SHA-256 of the bytes that the key signed.
  package let digest: SHA256Digest
  /// Indicates that the key is one of Apple's development keys.
  package let isDevelopment: Bool
  /// The r of the signature, by which stolen copies of it are found.
  package let r: SignatureR?
  /// The digest by which resends of the postback are recognised; nil without a `ResendKey`.
  package internal(set) var resendDigest: UInt64?
  /// Indicates that the postback is an exact resend of an accepted one, and must be rejected: only that one was verified.
  package internal(set) var isResend = false

  /// The state of the signature, one of the accepted ones.
  package var state: SignatureState {
    if isDevelopment { return .development }
    return layout.omitsFilled ? .validZeroFilled : .valid
  }
}
