package import SKAdNetwork
package import Signatures

extension SignatureVerifier {
  /// Returns the signature that another process found valid with the same trusted keys: that of a key, under a layout.
  /// Returns nil if it cannot have found it, because no such key is trusted or the postback has no such layout.
  ///
  /// The signature is not verified again: the caller answers for the other process.
  package mutating func restored(
    _ postback: Postback,
    of bytes: [UInt8],
    keyID: ArraySlice<UInt8>,
    _ layout: SignedLayout
  ) throws(LibcryptoFailure) -> AcceptedSignature? {
    guard let key = trust.keys.firstIndex(where: { keyID.elementsEqual($0.id.utf8) }),
      postback.layouts.contains(layout)
    else { return nil }
    var verification = SignatureVerification(
      state: .invalid,
      key: key,
      layout: layout,
      digest: try digest(postback, layout, bytes)
    )
    guard let item = open(postback, &verification, bytes) else { return nil }
    verification.r = SignatureR(signatures.span.extracting(item.signature), as: item.form)
    accept(key, layout, &verification)
    return verification.accepted
  }
}
